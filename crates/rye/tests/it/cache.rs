//! What is kept between commands can be missing, locked or damaged.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::library::library;
use crate::space::TestSpace;

const EXPECTED: [&str; 2] = ["text/cat", "text/sort"];

/// The files of the index.
fn files(space: &TestSpace) -> Vec<PathBuf> {
    let entries = fs::read_dir(space.path("cache/rye/index")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[track_caller]
fn check(space: &TestSpace, what: &str) {
    let output = space.rye(["search", "lines", "--sort", "id", "--detail", "names"]).output();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        EXPECTED.map(|id| format!("{id}\n")).concat(),
        "{what}"
    );
    let project = space.path("project");
    let note = "is not trusted: nobody has decided to trust it";
    let expect = format!("note: the project `{}` {note}\n", project.display());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), expect, "{what}");
}

#[test]
fn an_index_is_kept_for_its_owner_alone() {
    let space = library();
    check(&space, "at first");
    assert!(!files(&space).is_empty());
    let mode = fs::metadata(space.path("cache/rye/index")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    check(&space, "again");
}

#[test]
fn a_cache_that_cannot_be_written_is_done_without() {
    let space = library();
    space.write("cache", "a file is in the way");
    check(&space, "a file");
    space.remove("cache");
    space.folder("cache");
    fs::set_permissions(space.path("cache"), Permissions::from_mode(0o555)).unwrap();
    check(&space, "a folder without the right to write");
    let output = space.rye(["search", "lines"]).unset("HOME").unset("XDG_CACHE_HOME").output();
    assert_eq!(output.status.code(), Some(0));
    let call = space.rye(["search", "lines"]).set("XDG_CACHE_HOME", "/proc/nowhere");
    assert_eq!(call.output().status.code(), Some(0));
    let call = space.rye(["load", "vcs/git"]).set("XDG_CACHE_HOME", "/proc/nowhere");
    assert_eq!(call.output().status.code(), Some(0));
}

#[test]
fn a_damaged_index_is_made_again() {
    let space = library();
    check(&space, "at first");
    let intact: Vec<_> = files(&space).into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect();
    let damage = |name: &str, change: &dyn Fn(&mut Vec<u8>)| {
        for (bytes, path) in &intact {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            fs::write(path, bytes).unwrap();
        }
        check(&space, name);
        check(&space, &format!("after {name}"));
    };
    damage("emptied", &|bytes| bytes.clear());
    for part in 1..8 {
        damage(&format!("cut to {part} eighths"), &|bytes| bytes.truncate(bytes.len() * part / 8));
        damage(&format!("flipped at {part} eighths"), &|bytes| {
            let at = bytes.len() * part / 8;
            bytes[at] ^= 0x40;
        });
    }
    damage("flipped at the end", &|bytes| *bytes.last_mut().unwrap() ^= 1);
    damage("flipped at the beginning", &|bytes| bytes[0] ^= 1);
    damage("zeroes", &|bytes| bytes.fill(0));
    damage("junk", &|bytes| {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        for byte in bytes {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            *byte = state.to_be_bytes()[0];
        }
    });
    damage("longer", &|bytes| bytes.extend([0; 100]));
}

#[test]
fn something_else_in_place_of_the_index_does_no_harm() {
    let space = library();
    check(&space, "at first");
    for path in files(&space) {
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
    }
    check(&space, "folders");
    fs::remove_dir_all(space.path("cache/rye/index")).unwrap();
    space.write("cache/rye/index", "a file");
    check(&space, "a file instead of the folder");
}

#[test]
fn the_index_of_one_space_is_not_taken_for_that_of_another() {
    let space = library();
    check(&space, "at first");
    let files: Vec<_> =
        files(&space).into_iter().filter(|path| path.extension().is_some_and(|e| e == "idx")).collect();
    let contents: Vec<_> = files.iter().map(|path| fs::read(path).unwrap()).collect();
    for (index, path) in files.iter().enumerate() {
        fs::write(path, &contents[(index + 1) % contents.len()]).unwrap();
    }
    check(&space, "mixed up");
}

#[test]
fn many_at_once_agree() {
    let space = library();
    let calls: Vec<_> = (0..8).map(|_| space.rye(["search", "lines", "--detail", "names"])).collect();
    let children: Vec<_> = calls
        .iter()
        .map(|call| call.command().stdout(std::process::Stdio::piped()).spawn().unwrap())
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
    }
    let drafts = files(&space).into_iter().filter(|path| path.to_string_lossy().contains("draft")).count();
    assert_eq!(drafts, 0);
}
