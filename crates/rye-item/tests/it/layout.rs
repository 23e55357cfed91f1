use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::{World, bundle, symlink};

type Attack = fn(&Path);

/// Allows writing below a folder, as an attacker of the same user would.
fn unprotect(folder: &Path) {
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            unprotect(&entry.path());
        }
    }
}

#[test]
fn a_layout_is_made_once_and_cannot_be_written() {
    let world = World::new();
    let folder = bundle().lay_out(&world.path("cache")).unwrap();
    assert_eq!(fs::read(folder.join("tools/rye/core/git.py")).unwrap(), b"system git");
    let mode = |below: &str| fs::metadata(folder.join(below)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        (mode("tools"), mode("tools/rye/core/git.py"), mode("tools/rye/core/run.sh")),
        (0o555, 0o444, 0o555)
    );
    let time = fs::metadata(&folder).unwrap().modified().unwrap();
    assert_eq!(bundle().lay_out(&world.path("cache")).unwrap(), folder);
    assert_eq!(fs::metadata(&folder).unwrap().modified().unwrap(), time, "it was left alone");
}

#[test]
fn a_layout_that_was_tampered_with_is_made_again() {
    let attacks: [(&str, Attack); 5] = [
        ("changed", |folder| {
            let file = folder.join("tools/rye/core/git.py");
            fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            fs::write(file, "evil").unwrap();
        }),
        ("added", |folder| fs::write(folder.join("tools/rye/core/evil.py"), "evil").unwrap()),
        ("removed", |folder| fs::remove_file(folder.join("tools/rye/core/git.py")).unwrap()),
        ("linked", |folder| {
            fs::remove_file(folder.join("tools/rye/core/git.py")).unwrap();
            fs::write(folder.join("../git.py"), "system git").unwrap();
            symlink(folder.join("../git.py"), folder.join("tools/rye/core/git.py"));
        }),
        ("replaced by a file", |folder| {
            fs::rename(folder, folder.with_extension("moved")).unwrap();
            fs::write(folder, "evil").unwrap();
        }),
    ];
    for (name, attack) in attacks {
        let world = World::new();
        let folder = bundle().lay_out(&world.path("cache")).unwrap();
        unprotect(&folder);
        attack(&folder);
        assert_eq!(bundle().lay_out(&world.path("cache")).unwrap(), folder, "{name}");
        assert_eq!(fs::read(folder.join("tools/rye/core/git.py")).unwrap(), b"system git", "{name}");
        assert!(!folder.join("tools/rye/core/evil.py").exists(), "{name}");
        assert!(!folder.join("tools/rye/core/git.py").is_symlink(), "{name}");
    }
}

#[test]
fn many_may_lay_out_at_once() {
    let world = World::new();
    let cache = world.path("cache");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| bundle().lay_out(&cache).unwrap());
        }
    });
    let left: Vec<_> = fs::read_dir(&cache).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, [std::ffi::OsString::from(bundle().digest().to_string())], "no draft stays");
}
