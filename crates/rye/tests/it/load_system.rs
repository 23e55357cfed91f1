//! Items that are inside the program.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use insta::assert_snapshot;

use crate::space::TestSpace;

const ID: &str = "rye/core/extractors/json";

/// Where the item is laid out, after it was loaded.
fn laid_out(space: &TestSpace) -> PathBuf {
    let loaded = space.rye(["load", ID]).json();
    PathBuf::from(loaded["path"].as_str().unwrap())
}

fn source(space: &TestSpace) -> Vec<u8> {
    space.rye(["load", ID, "--part", "source"]).output().stdout
}

/// The folder that holds the whole bundle.
fn root(path: &Path) -> &Path {
    path.ancestors().find(|folder| folder.parent().unwrap().ends_with("bundle")).unwrap()
}

fn unlock(path: &Path) {
    std::fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn it_is_named_by_the_file_that_is_laid_out() {
    let space = TestSpace::with_bundle();
    let text = space.rye(["load", ID]).show();
    let head: Vec<_> = text.lines().filter(|line| !line.starts_with("digest")).take(12).collect();
    assert_snapshot!(head.join("\n"), @"
    $ rye load rye/core/extractors/json
    exit code: 0
    --- stdout
    tool         rye/core/extractors/json
    space        system
    path         [SPACE]/cache/rye/bundle/[DIGEST]/tools/rye/core/extractors/json.yaml
    signed by    part of the program
    version      1.0.0
    type         extractor
    category     rye/core/extractors
    description  Finds the metadata of JSON files
    ");
    let path = laid_out(&space);
    assert_eq!(std::fs::read(&path).unwrap(), source(&space));
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(root(&path))), (0o444, 0o555));
}

#[test]
fn search_finds_it() {
    let space = TestSpace::with_bundle();
    let found = space.rye(["search", ID]).json();
    assert_eq!(
        (&found["hits"][0]["id"], &found["hits"][0]["signer"]["state"]),
        (&ID.into(), &"program".into())
    );
}

#[test]
fn a_layout_that_was_tampered_with_is_made_again() {
    let space = TestSpace::with_bundle();
    let path = laid_out(&space);
    let original = source(&space);

    unlock(&path);
    std::fs::write(&path, "tampered").unwrap();
    assert_eq!(source(&space), original, "what is shown comes from the program");
    assert_eq!((laid_out(&space), std::fs::read(&path).unwrap()), (path.clone(), original.clone()));

    unlock(path.parent().unwrap());
    std::fs::remove_file(&path).unwrap();
    laid_out(&space);
    assert_eq!(std::fs::read(&path).unwrap(), original);

    let planted = path.with_file_name("planted.yaml");
    unlock(path.parent().unwrap());
    std::fs::write(&planted, "tool_type: x\n").unwrap();
    laid_out(&space);
    assert!(!planted.exists());

    unlock(path.parent().unwrap());
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &path).unwrap();
    laid_out(&space);
    assert!(!path.is_symlink());
    assert_eq!(std::fs::read(&path).unwrap(), original);
    let beside: Vec<_> = std::fs::read_dir(root(&path).parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "no draft is left: {beside:?}");
}

#[test]
fn it_is_shown_even_if_there_is_no_place_to_lay_it_out() {
    let space = TestSpace::with_bundle();
    space.write("cache", "a file is in the way");
    let output = space.rye(["load", ID, "--part", "source"]).output();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(space.rye(["load", ID]).json()["path"], format!("<bundle>/tools/{ID}.yaml"));
    let nowhere = space.rye(["load", ID]).unset("HOME").unset("XDG_CACHE_HOME");
    assert_eq!(nowhere.json()["path"], format!("<bundle>/tools/{ID}.yaml"));
}

#[test]
fn many_at_once_lay_out_the_same() {
    let space = TestSpace::with_bundle();
    let calls: Vec<_> = (0..8).map(|_| space.rye(["load", ID, "--json"])).collect();
    let children: Vec<_> = calls
        .iter()
        .map(|call| call.command().stdout(std::process::Stdio::null()).spawn().unwrap())
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let path = laid_out(&space);
    let beside: Vec<_> = std::fs::read_dir(root(&path).parent().unwrap()).unwrap().collect();
    assert_eq!(beside.len(), 1, "no draft is left: {beside:?}");
}
