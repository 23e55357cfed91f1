//! Hundreds of random changes, after each of which everybody sees the same.

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant, SystemTime};

use rye_engine::Lifetime;

use crate::chance::Chance;
use crate::tree::{Tree, everything, tool};

const FOLDERS: [&str; 8] = [
    "project/.ai/tools",
    "project/.ai/tools/a",
    "project/.ai/tools/a/b",
    "project/.ai/tools/a/b/c",
    "project/.ai/directives",
    "project/.ai/knowledge/a",
    "home/.ai/tools/a",
    "home/.ai/knowledge/a",
];
const FILES: [&str; 8] = ["s.sh", "x.sh", "y.sh", "x.py", "u.yaml", "z.yaml", "x.md", "v.md"];

/// Makes one change, and says which. It may fail where the tree is not fit for it.
fn change(tree: &Tree, chance: &mut Chance, number: usize) -> String {
    let folder = chance.pick(&FOLDERS);
    let file = format!("{folder}/{}", chance.pick(&FILES));
    let path = tree.path(&file);
    let other = tree.path(format!("{}/{}", chance.pick(&FOLDERS), chance.pick(&FILES)));
    let content = content(&file, number);
    let _ = fs::create_dir_all(tree.path(folder));
    match chance.below(20) {
        0..8 => format!("write {file}: {:?}", fs::write(&path, content)),
        8 => format!("remove {file}: {:?}", fs::remove_file(&path)),
        9 => format!("rename {file} to {}: {:?}", other.display(), fs::rename(&path, &other)),
        10 => format!("remove folder {folder}: {:?}", fs::remove_dir_all(tree.path(folder))),
        11 => {
            let folder_too = tree.path(chance.pick(&FOLDERS));
            format!("rename {folder}: {:?}", fs::rename(tree.path(folder), folder_too.join("moved")))
        }
        12 => {
            let draft = tree.path("draft");
            fs::write(&draft, content).unwrap();
            format!("replace {file}: {:?}", fs::rename(draft, &path))
        }
        13 => {
            let mode = [0o600, 0o644, 0o755][chance.below(3)];
            format!("chmod {file}: {:?}", fs::set_permissions(&path, Permissions::from_mode(mode)))
        }
        14 => {
            let written = fs::File::options().append(true).open(&path);
            format!("append {file}: {:?}", written.and_then(|mut file| file.write_all(b"\n\n")))
        }
        15 => {
            let _ = fs::remove_file(&path);
            format!("link {file}: {:?}", symlink(&other, &path))
        }
        16 => format!("folder {file}: {:?}", fs::create_dir(&path)),
        17 => {
            let old = SystemTime::now() - Duration::from_secs(1_000_000);
            let touched = fs::write(&path, content)
                .and_then(|()| fs::File::options().write(true).open(&path)?.set_modified(old));
            format!("write and touch {file}: {touched:?}")
        }
        18 => {
            let _ = fs::remove_file(&path);
            format!("hard link {file}: {:?}", fs::hard_link(&other, &path))
        }
        _ => {
            let space = tree.path(folder.split_once("/.ai").unwrap().0);
            let away = tree.path("away");
            let _ = fs::remove_dir_all(&away);
            let swapped =
                fs::rename(space.join(".ai"), &away).and_then(|()| fs::rename(&away, space.join(".ai")));
            format!("move {} away and back: {swapped:?}", space.display())
        }
    }
}

/// The content of a file, of the same length for many numbers.
fn content(name: &str, number: usize) -> String {
    match name.rsplit_once('.').unwrap().1 {
        "py" => {
            format!("__version__ = '1.0.0'\n__executor_id__ = 'x'\n__tool_description__ = 'n{number:05}'\n")
        }
        "yaml" if number.is_multiple_of(5) => format!("no: tool {number:05}\n"),
        "yaml" => format!("tool_type: http\nexecutor_id: x\ndescription: n{number:05}\n"),
        "md" => format!("# Title\n\nn{number:05}\n"),
        _ => tool(&format!("n{number:05}")),
    }
}

/// Fills a tree with files, and waits until they count as settled: only those are not read again.
fn plant(tree: &Tree) {
    for (number, folder) in FOLDERS.iter().enumerate() {
        for name in ["s.sh", "t.py", "u.yaml", "v.md", "x.sh"] {
            let file = format!("{folder}/{name}");
            tree.write(&file, content(&file, number));
        }
    }
    std::thread::sleep(Duration::from_millis(2_100));
}

#[track_caller]
#[expect(clippy::print_stderr, reason = "how long it took is worth knowing and not worth asserting")]
fn check(seed: u64, count: usize) {
    let tree = Tree::new();
    plant(&tree);
    let long = tree.engine(Lifetime::Long);
    let mut chance = Chance::new(seed);
    let mut history = Vec::new();
    let mut most = 0;
    let start = Instant::now();
    everything(&tree.engine_with_cache(Lifetime::Short));
    for number in 0..count {
        history.push(change(&tree, &mut chance, number));
        let expect = everything(&tree.engine(Lifetime::Short));
        most = most.max(expect.len());
        let last = &history[history.len().saturating_sub(5)..];
        assert_eq!(everything(&long), expect, "long-lived, change {number} of seed {seed}: {last:#?}");
        let kept = everything(&tree.engine_with_cache(Lifetime::Short));
        assert_eq!(kept, expect, "with an index on the disk, change {number} of seed {seed}: {last:#?}");
    }
    assert!(most > 5, "the changes leave something to be seen");
    eprintln!("{count} changes, at most {most} items: {:?}", start.elapsed());
}

#[test]
fn everybody_sees_the_same() {
    check(1, 100);
}

#[test]
fn everybody_sees_the_same_once_more() {
    check(2, 100);
}

#[test]
fn everybody_sees_the_same_yet_again() {
    check(3, 100);
}
