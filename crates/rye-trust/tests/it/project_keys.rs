//! The keys that a project ships.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use lillux::keys::SigningKey;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_trust::{KeyOrigin, KeyStatus, Keyring, PublicKeyFile, project_keys};

use crate::{chmod, key, now, with_sources};

struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(project.path("keys")).unwrap();
        project
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(".ai").join(below)
    }

    fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        std::fs::write(self.path("keys").join(name), contents).unwrap();
    }

    /// Each key as "file: owner, id", and each problem as its message.
    fn list(&self) -> (Vec<String>, Vec<String>) {
        let found = project_keys(&self.path(""));
        let name = |path: &Path| path.strip_prefix(self.path("keys")).unwrap().display().to_string();
        let keys = found.keys.iter().map(|key| format!("{}: {}", name(&key.path), key.owner));
        let filter = |text: String| text.replace(self.path("").to_str().unwrap(), "");
        (keys.collect(), found.problems.iter().map(|problem| filter(with_sources(problem))).collect())
    }
}

fn toml(seed: u8, owner: &str) -> String {
    PublicKeyFile { key: key(seed), owner: Some(owner.to_owned()) }.to_toml().unwrap()
}

#[test]
fn a_project_may_ship_none() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().join("none"), folder.path().to_owned()] {
        let found = project_keys(&path);
        assert!(found.keys.is_empty() && found.problems.is_empty(), "{found:?}");
    }
}

#[test]
fn keys_are_listed_by_name_whoever_may_write_them() {
    let project = Project::new();
    project.write("team.toml", toml(1, "the team"));
    project.write("bob.pem", key(2).to_pem().unwrap());
    project.write("README.md", "Our keys.");
    project.write(".hidden.pem", key(3).to_pem().unwrap());
    chmod(&project.path("keys/bob.pem"), 0o666);
    assert_eq!(project.list(), (vec!["bob.pem: bob".to_owned(), "team.toml: the team".to_owned()], vec![]));
    let mut keyring = Keyring::default();
    for key in project_keys(&project.path("")).keys {
        keyring.trust(key.trusted_since(now()));
    }
    assert!(
        matches!(keyring.status(key(2).id()), KeyStatus::Trusted(key) if key.origin == KeyOrigin::Project)
    );
}

#[test]
fn what_is_no_key_is_reported_and_hides_no_other() {
    let project = Project::new();
    let outside = project.path("outside.pem");
    std::fs::write(&outside, key(1).to_pem().unwrap()).unwrap();
    project.write("good.toml", toml(1, "the team"));
    project.write("empty.toml", "");
    project.write("evil.toml", toml(2, "x").replace("\"x\"", "\"\\u001b[31mroot\""));
    project.write("large.pem", vec![b'x'; 20_000]);
    project.write("private.pem", SigningKey::from_seed(&[1; 32]).to_pem(None).unwrap().as_bytes());
    project.write("weak.toml", format!("public_key = \"{}=\"", "A".repeat(43)));
    project.write("e\u{1b}vil.pem", key(2).to_pem().unwrap());
    symlink(&outside, project.path("keys/link.pem")).unwrap();
    std::fs::create_dir(project.path("keys/folder.pem")).unwrap();
    mknodat(CWD, project.path("keys/pipe.pem"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let (keys, problems) = project.list();
    assert_eq!(keys, ["good.toml: the team"]);
    assert_eq!(
        problems,
        [
            "`keys/e\u{1b}vil.pem` is not a key of the project: `owner` cannot be shown: `\\u{1b}` is not allowed in it",
            "`keys/empty.toml` is not a key of the project: there is no public key in it: expected PEM, or TOML with `public_key`",
            "`keys/evil.toml` is not a key of the project: `owner` cannot be shown: `\\u{1b}` is not allowed in it",
            "`keys/folder.pem` is not a key of the project: it is not a regular file",
            "`keys/large.pem` is not a key of the project: it has more than 16384 bytes",
            "`keys/link.pem` is not a key of the project: it is a symbolic link",
            "`keys/pipe.pem` is not a key of the project: it is not a regular file",
            "`keys/private.pem` is not a key of the project: it is a private key",
            "`keys/weak.toml` is not a key of the project: not a usable Ed25519 public key: it has small order, so that its signatures prove nothing",
        ]
    );
}

#[test]
fn a_folder_that_is_a_link_or_holds_too_much_is_not_looked_into() {
    let project = Project::new();
    for number in 0..257 {
        project.write(&format!("{number}.pem"), key(1).to_pem().unwrap());
    }
    assert_eq!(
        project.list(),
        (vec![], vec!["`keys` is not a key of the project: it holds more than 256 files".to_owned()])
    );
    std::fs::remove_file(project.path("keys/0.pem")).unwrap();
    assert_eq!(project.list().0.len(), 256);
    std::fs::rename(project.path("keys"), project.path("elsewhere")).unwrap();
    symlink(project.path("elsewhere"), project.path("keys")).unwrap();
    assert_eq!(
        project.list(),
        (
            vec![],
            vec![
                "`keys` is not a key of the project: it is not a folder, or a symbolic link to one"
                    .to_owned()
            ]
        )
    );
}
