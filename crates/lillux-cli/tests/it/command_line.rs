use std::process::Stdio;

use insta::assert_snapshot;

use crate::space::{LILLUX, TestSpace};

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["frobnicate"]).show(), @r#"
    $ lillux frobnicate
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"unrecognized subcommand 'frobnicate'\n\nUsage: lillux <COMMAND>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec"]).show(), @r#"
    $ lillux exec
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <PROGRAM>...\n\nUsage: lillux exec -- <PROGRAM>...\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec", "true"]).show(), @r#"
    $ lillux exec true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"unexpected argument 'true' found\n\nUsage: lillux exec [OPTIONS] -- <PROGRAM>...\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec", "--timeout", "soon", "--", "true"]).show(), @r#"
    $ lillux exec --timeout soon -- true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value 'soon' for '--timeout <SECONDS>': expected seconds, for example `2` or `0.5`\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec", "--timeout", "-1", "--", "true"]).show(), @r#"
    $ lillux exec --timeout -1 -- true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '-1' for '--timeout <SECONDS>': expected seconds, for example `2` or `0.5`\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec", "--env", "A", "--", "true"]).show(), @r#"
    $ lillux exec --env A -- true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value 'A' for '--env <NAME=VALUE>': expected a name, `=` and a value\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["exec", "--env", "=1", "--", "true"]).show(), @r#"
    $ lillux exec --env =1 -- true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '=1' for '--env <NAME=VALUE>': expected a name, `=` and a value\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn help_tells_what_there_is() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["--help"]).show(), @"
    $ lillux --help
    exit code: 0
    --- stdout
    The microkernel for scripts: answers in JSON

    Usage: lillux <COMMAND>

    Commands:
      exec      Run a program to its end, with everything that it starts
      spawn     Start a program that outlives this command
      status    Tell whether a spawned process still runs
      kill      End a spawned process and its process group
      watch     Wait for files to change: one JSON object per event, and one at the end
      cas       Keep bytes by their SHA-256 digest
      keypair   Make and show keys
      sign      Sign a file
      verify    Tell whether a signature is one of a key for a file
      envelope  Seal secrets, and open what was sealed
      time      Tell, read and compare times
      help      Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version

    Exit codes:
      0  done, and the answer is yes
      1  done, and the answer is no: the program failed, the signature does not verify, there is no such object
      2  the command line is wrong
      3  it could not be done
    Except for a no in the answer itself, a JSON object with `code` and `message` is on standard error then.
    ");
    assert_eq!(space.lillux([""; 0]).output().status.code(), Some(2));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let space = TestSpace::new();
    for args in [
        "--help",
        "exec -- seq 100000",
        "spawn -- true",
        "watch --timeout 0 . || true",
        "cas --root store put /dev/null",
        "cas --root store list",
        "keypair generate --out key",
        "keypair show key",
        "sign --key key /dev/null",
        "time now",
    ] {
        let script = format!("{{ {LILLUX} {args}; echo $? >code; }} | head -c0");
        let output = space.command("/bin/sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args}");
        assert_eq!(std::fs::read_to_string(space.path("code")).unwrap(), "0\n", "{args}");
    }
}

#[test]
fn an_answer_that_cannot_be_written_is_a_failure() {
    let space = TestSpace::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = space.command(LILLUX).args(["exec", "--", "true"]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr), @r#"{"code":"IO","message":"cannot write the answer: No space left on device (os error 28)"}"#);
}

#[test]
fn errors_that_nobody_reads_still_have_their_exit_code() {
    let space = TestSpace::new();
    let full = || Stdio::from(std::fs::File::options().write(true).open("/dev/full").unwrap());
    let status = space.command(LILLUX).args(["frobnicate"]).stdout(full()).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}
