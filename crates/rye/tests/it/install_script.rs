//! `install.sh`, in a prefix of its own.

use std::process::{Command, Output};

use crate::space::{RYE, TestSpace};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../install.sh");

#[expect(clippy::disallowed_methods, reason = "a shell of the user, not of the tested program")]
fn install(space: &TestSpace, args: &[&str]) -> Output {
    let mut command = Command::new("/bin/sh");
    command.arg(SCRIPT).args(args).current_dir(space.path("elsewhere"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", space.path("home")).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap()
}

const FILES: [&str; 6] = [
    "bin/rye",
    "share/bash-completion/completions/rye",
    "share/zsh/site-functions/_rye",
    "share/fish/vendor_completions.d/rye.fish",
    "share/man/man1/rye.1",
    "share/man/man1/rye-execute.1",
];

#[test]
#[expect(clippy::disallowed_methods, reason = "the installed program is started as a user would")]
fn what_is_installed_works_and_can_be_removed() {
    let space = TestSpace::with_bundle();
    // A relative prefix with a space in it, and a second time over the first.
    for _ in 0..2 {
        let output = install(&space, &["--prefix", "my programs", "--from", RYE]);
        assert!(output.status.success(), "{}", text(&output));
        assert!(text(&output).contains("on your PATH, then: rye doctor"), "{}", text(&output));
    }
    let prefix = space.path("elsewhere/my programs");
    for file in FILES {
        assert!(prefix.join(file).metadata().unwrap().len() > 100, "{file}");
    }
    let run = Command::new(prefix.join("bin/rye")).arg("--version").env_clear().output().unwrap();
    assert!(text(&run).starts_with("rye "), "{run:?}");
    assert_eq!(prefix.join("bin").read_dir().unwrap().count(), 1);

    std::fs::write(prefix.join("share/man/man1/other.1"), "").unwrap();
    let output = install(&space, &["--uninstall", "--prefix", "my programs"]);
    assert!(output.status.success(), "{}", text(&output));
    for file in FILES {
        assert!(!prefix.join(file).exists(), "{file}");
    }
    assert!(prefix.join("share/man/man1/other.1").exists());
}

#[test]
fn without_a_program_that_runs_nothing_is_installed() {
    let space = TestSpace::with_bundle();
    let missing = install(&space, &["--prefix", "p", "--from", "nowhere"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(text(&missing).contains("there is no program at nowhere: run `cargo build --release -p rye`"));
    space.write("elsewhere/broken", "no program");
    let broken = install(&space, &["--prefix", "p", "--from", "./broken"]);
    assert_eq!(broken.status.code(), Some(1));
    assert!(text(&broken).contains("./broken does not run on this machine"), "{}", text(&broken));
    assert!(!space.path("elsewhere/p").exists());
    let unknown = install(&space, &["--prefx", "p"]);
    assert!(text(&unknown).contains("nobody knows what --prefx means"), "{}", text(&unknown));
}

/// Most of the time of a short command is its start. What the tests need has the archives that the linker wants for this.
#[test]
fn the_program_needs_no_loader() {
    const LOADER: usize = 3;
    let program = std::fs::read(RYE).unwrap();
    let number = |at: usize, length: usize| {
        program[at..at + length].iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte))
    };
    let (table, size, count) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    assert!(program.starts_with(b"\x7fELF\x02\x01") && count > 0);
    let kinds: Vec<_> = (0..count).map(|entry| number(table + entry * size, 4)).collect();
    assert!(!kinds.contains(&LOADER), "{kinds:?}");
}
