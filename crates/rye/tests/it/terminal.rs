//! Colours, control characters, and readers that go away.

use std::process::Stdio;

use crate::library::library;
use crate::space::{RYE, TestSpace};

/// What a command prints on a terminal, which `script` provides.
#[expect(clippy::disallowed_methods, reason = "the tested program must not be started by its own library")]
fn on_terminal(space: &TestSpace, args: &str, no_color: &str) -> String {
    let mut command = std::process::Command::new("/usr/bin/script");
    command.args(["-qec", &format!("{RYE} {args}"), "/dev/null"]).current_dir(space.path("project"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh").env("TERM", "xterm");
    command.env("HOME", space.path("home")).env("XDG_CACHE_HOME", space.path("cache"));
    command.env("RYE_SYSTEM_SPACE", space.path("system")).env("NO_COLOR", no_color);
    let output = command.stdin(Stdio::null()).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn colours_are_for_terminals() {
    let space = library();
    for args in ["search lines", "search zebra", "load vcs/git", "load nowhere"] {
        let plain = space.rye(args.split(' ')).output();
        assert!(!plain.stdout.contains(&0x1b) && !plain.stderr.contains(&0x1b), "{args}");
        let colored = on_terminal(&space, args, "");
        assert!(colored.contains('\u{1b}'), "{args}: {colored:?}");
        let sober = on_terminal(&space, args, "1");
        assert!(!sober.contains('\u{1b}') && !sober.is_empty(), "{args}: {sober:?}");
    }
    let json = on_terminal(&space, "search lines --json", "");
    assert!(!json.contains('\u{1b}'));
}

#[test]
fn what_an_item_says_cannot_disturb_the_terminal() {
    let space = library();
    space.write(
        "project/.ai/tools/text/evil.yaml",
        "version: \"1\\e[31m\"\ntool_type: \"http\\e]0;title\\a\"\nexecutor_id: \"a\\eb\"\ndescription: \"ev\\e[31mil\\u202e\"\ncategory: \"ca\\e[1m\"\ntags: [\"wobble\\e[2J\"]\n\"ke\\e[31my\": 1\n",
    );
    space.write("project/.ai/tools/rye/core/extractors/evil.yaml", "config: {\"pa\\e[31mrser\": x}\n");
    let control = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}')
    };
    for args in [
        &["search", "text/evil"][..],
        &["search", "tag:wobbel"],
        &["search", "--category", "cat"],
        &["search", "text/evil", "--json"],
        &["load", "text/evil"],
    ] {
        let output = space.rye(args.iter().copied()).output();
        // Only escapes that the file spells out are in it, so its source may be printed as it is.
        assert!(
            !control(&output.stderr),
            "{args:?}: {}",
            String::from_utf8_lossy(&output.stderr).escape_debug()
        );
        if !args.contains(&"--json") {
            assert!(
                !control(&output.stdout),
                "{args:?}: {}",
                String::from_utf8_lossy(&output.stdout).escape_debug()
            );
        }
        assert!(!output.stdout.contains(&0x1b), "{args:?}");
    }
}

#[test]
fn a_reader_that_has_gone_away_is_no_error() {
    let space = library();
    for args in
        [&["search"][..], &["search", "--json"], &["load", "vcs/git"], &["--help"], &["load", "nowhere"]]
    {
        let call = space.rye(args.iter().copied());
        let mut command = call.command();
        let (reader, writer) = std::io::pipe().unwrap();
        let (error_reader, error_writer) = std::io::pipe().unwrap();
        drop((reader, error_reader));
        let status = command.stdout(writer).stderr(error_writer).status().unwrap();
        let expect = if args.contains(&"nowhere") { 3 } else { 0 };
        assert_eq!(status.code(), Some(expect), "{args:?}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_an_error() {
    let space = library();
    let call = space.rye(["load", "vcs/git"]);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output =
        call.command().stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: cannot write the answer: No space left on device (os error 28) [IO]\n\
         hint: see whether the disk is full, and whether what reads it is still there\n"
    );
}

#[test]
fn what_takes_long_is_watched_on_a_terminal_alone() {
    let space = TestSpace::with_bundle();
    let slow = ["execute", "rye/shell/bash", "--command", "sleep 3"];
    let shown = space.on_terminal("execute rye/shell/bash --command 'sleep 3'", "");
    assert!(shown.contains("running"), "{shown:?}");
    let output = space.rye(slow).output();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let talks = space.on_terminal("execute rye/shell/bash --command 'echo so >&2; sleep 2'", "");
    assert!(talks.contains("so") && !talks.contains("running"), "{talks:?}");
}
