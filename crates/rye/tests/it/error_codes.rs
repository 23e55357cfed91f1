//! Every code that these commands give, for people and for programs, has a test that shows the whole message: the
//! others are where their subject is (`load_refused`, `load_copy`, `keys_refused`, `keys_passphrase`,
//! `spaces`, `terminal`).

use std::path::Path;
use std::process::Command;

use insta::assert_snapshot;

use crate::library::library;
use crate::space::RYE;

#[test]
fn errors_have_one_form_for_programs() {
    let space = library();
    let large = std::fs::File::create(space.path("project/.ai/tools/vcs/large.py")).unwrap();
    large.set_len(9 << 20).unwrap();
    space.write("project/.ai/tools/vcs/git.sh", "");
    for (args, code) in [
        (&["load", "none/such"][..], "ITEM_NOT_FOUND"),
        (&["load", "text/cat", "--part", "schema"], "ITEM_NOT_FOUND"),
        (&["load", "vcs/git"], "ITEM_AMBIGUOUS"),
        (&["load", "../x"], "INVALID_ID"),
        (&["load", "vcs/large"], "ITEM_UNREADABLE"),
        (&["load", "net/fetch", "--to", "user"], "ALREADY_EXISTS"),
        (&["search", "x", "--project", "none"], "SPACE_UNUSABLE"),
        (&["keys", "show"], "KEY_NOT_FOUND"),
        (&["keys", "generate", "--passphrase"], "PASSPHRASE_MISSING"),
    ] {
        let output = space.rye(args.iter().chain(&["--json"]).copied()).output();
        let error: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{args:?}");
        assert_eq!(error["error"]["code"], code, "{args:?}");
        let message = error["error"]["message"].as_str().unwrap();
        let text = String::from_utf8(space.rye(args.iter().copied()).output().stderr).unwrap();
        let hint = error["error"]["hint"].as_str().unwrap();
        assert_eq!(text, format!("error: {message} [{code}]\nhint: {hint}\n"), "{args:?}");
    }
}

#[test]
fn a_working_directory_that_is_gone() {
    let space = library();
    space.folder("gone");
    let folder = space.path("gone");
    let script = format!("rmdir {} && exec {RYE} search x", folder.display());
    let output = shell(&script, &folder).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    error: there is no working directory: No such file or directory (os error 2) [IO]
    hint: change to a folder that exists
    ");
}

#[expect(clippy::disallowed_methods, reason = "the tested program must not be started by its own library")]
fn shell(script: &str, folder: &Path) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(folder).env_clear().env("PATH", "/usr/bin:/bin");
    command
}
