//! Passphrases of keys: from their variable, and typed on a terminal.

use std::io::{Read, Write};
use std::process::{Child, Command, Stdio};

use insta::assert_snapshot;
use lillux::keys::Passphrase;

use crate::keys::{KeySpace, bob};
use crate::space::RYE;

#[test]
fn a_passphrase_comes_from_its_variable() {
    let space = KeySpace::new();
    let call = space.rye(["keys", "generate", "--passphrase", "--owner", "ada"]);
    assert_snapshot!(call.set("RYE_PASSPHRASE", "secret").show(), @"
    $ RYE_PASSPHRASE=secret rye keys generate --passphrase --owner ada
    exit code: 0
    --- stdout
    key     [KEY]
    owner   ada
    status  trusted since [TIME]
    use     signing, with a passphrase
    file    [SPACE]/home/.ai/keys/signing.pem

    -----BEGIN PUBLIC KEY-----
    [BODY]
    -----END PUBLIC KEY-----
    ");
    assert!(space.read("home/.ai/keys/signing.pem").contains("BEGIN ENCRYPTED PRIVATE KEY"));
    // It is not used where it was not asked for.
    let other = KeySpace::new();
    other.rye(["keys", "generate"]).set("RYE_PASSPHRASE", "secret").output();
    assert!(other.read("home/.ai/keys/signing.pem").contains("BEGIN PRIVATE KEY"));
}

#[test]
fn a_passphrase_that_is_missing_or_wrong() {
    let space = KeySpace::new();
    let pem = bob().to_pem(Some(&Passphrase::from("secret".to_owned()))).unwrap();
    space.write("project/bob.key", pem.as_bytes());
    assert_snapshot!(space.rye(["keys", "generate", "--passphrase"]).show(), @"
    $ rye keys generate --passphrase
    exit code: 3
    --- stderr
    error: a passphrase is needed, and there is no terminal to ask for it [PASSPHRASE_MISSING]
    hint: set RYE_PASSPHRASE
    ");
    assert_snapshot!(space.rye(["keys", "import", "bob.key", "--json"]).show(), @r#"
    $ rye keys import bob.key --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "PASSPHRASE_MISSING",
        "message": "a passphrase is needed, and there is no terminal to ask for it",
        "hint": "set RYE_PASSPHRASE"
      }
    }
    "#);
    assert_snapshot!(space.rye(["keys", "import", "bob.key"]).set("RYE_PASSPHRASE", "Secret").show(), @"
    $ RYE_PASSPHRASE=Secret rye keys import bob.key
    exit code: 3
    --- stderr
    error: cannot import `bob.key`: not a usable Ed25519 private key: the passphrase is wrong [PASSPHRASE_WRONG]
    hint: run the command again; where there is no terminal, RYE_PASSPHRASE is taken
    ");
    assert!(!space.path("home/.ai/keys").exists());
    let imported = space.rye(["keys", "import", "bob.key"]).set("RYE_PASSPHRASE", "secret").json();
    assert_eq!(imported["passphrase"], true, "what was protected stays so");
}

#[test]
fn a_passphrase_is_typed_twice_and_not_shown() {
    let space = KeySpace::new();
    let mut terminal = Terminal::start(&space, "keys generate --passphrase --owner ada");
    terminal.answer("passphrase: ", "secrex\u{7f}t\r");
    terminal.answer("the same again: ", "secret\r");
    let shown = terminal.end();
    assert!(!shown.contains("secre"), "{shown:?}");
    assert!(shown.contains("signing, with a passphrase"), "{shown:?}");
    // That it was `secret` shows when the key is imported elsewhere.
    let other = KeySpace::new();
    other.write("project/ada.key", space.rye(["keys", "export", "--private"]).output().stdout);
    let mut terminal = Terminal::start(&other, "keys import ada.key");
    terminal.answer("passphrase of `ada.key`: ", "secret\r");
    assert!(terminal.end().contains("signing, with a passphrase"));
    assert_eq!(space.own_id(), other.own_id());
}

#[test]
fn a_passphrase_that_is_empty_or_another_the_second_time_or_given_up() {
    let space = KeySpace::new();
    for (first, second, message) in [
        ("\r", None, "error: that cannot be the passphrase: it is empty [PASSPHRASE_INVALID]"),
        (
            "secret\r",
            Some("Secret\r"),
            "error: that cannot be the passphrase: what was typed the second time was another one [PASSPHRASE_INVALID]",
        ),
        ("secret\u{3}", None, "error: nothing was done [CANCELLED]"),
    ] {
        let mut terminal = Terminal::start(&space, "keys generate --passphrase");
        terminal.answer("passphrase: ", first);
        if let Some(second) = second {
            terminal.answer("the same again: ", second);
        }
        let shown = terminal.end();
        assert!(shown.contains(message), "{shown:?}");
    }
    assert!(!space.path("home/.ai").exists());
}

/// The program on a terminal, which `script` provides.
struct Terminal {
    child: Child,
    shown: String,
}

impl Terminal {
    #[expect(
        clippy::disallowed_methods,
        reason = "the tested program must not be started by its own library"
    )]
    fn start(space: &KeySpace, args: &str) -> Self {
        let mut command = Command::new("/usr/bin/script");
        command.args(["-qec", &format!("{RYE} {args}"), "/dev/null"]).current_dir(space.path("project"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh").env("TERM", "xterm");
        command.env("HOME", space.path("home")).env("NO_COLOR", "1");
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        Self { child, shown: String::new() }
    }

    /// Waits until it asks, and then types.
    fn answer(&mut self, prompt: &str, typed: &str) {
        let mut byte = [0];
        while !self.shown.ends_with(prompt) {
            let count = self.child.stdout.as_mut().unwrap().read(&mut byte).unwrap();
            assert_eq!(count, 1, "it did not ask: {:?}", self.shown);
            self.shown.push(char::from(byte[0]));
        }
        self.child.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
    }

    /// Everything that it showed.
    fn end(mut self) -> String {
        self.child.stdout.as_mut().unwrap().read_to_string(&mut self.shown).unwrap();
        self.child.wait().unwrap();
        self.shown
    }
}
