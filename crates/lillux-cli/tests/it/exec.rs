use insta::assert_snapshot;

use crate::space::TestSpace;

#[test]
fn a_program_gets_input_and_says_how_it_ended() {
    let space = TestSpace::new();
    let args = ["exec", "--timeout", "2", "--cwd", "/tmp", "--env", "A=1", "--stdin-file", "-", "--"];
    let program = ["sh", "-c", "cat; exit 3"];
    assert_snapshot!(space.lillux([&args[..], &program].concat()).stdin("hello\n").show(), @r#"
    $ lillux exec --timeout 2 --cwd /tmp --env A=1 --stdin-file - -- sh -c 'cat; exit 3'
    exit code: 1
    --- stdout
    {"status":"exited","exit_code":3,"stdout_bytes":6,"stdout":"hello\n","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
}

#[test]
fn success_is_exit_code_0() {
    let space = TestSpace::new();
    space.write("input", b"a\0b");
    assert_snapshot!(space.lillux(["exec", "--stdin-file", "input", "--", "cat"]).show(), @r#"
    $ lillux exec --stdin-file input -- cat
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":3,"stdout":"a\u0000b","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
}

#[test]
fn the_environment_is_ours_and_what_is_added_unless_it_is_cleared() {
    let space = TestSpace::new();
    let script = r#"echo "${HOME:+home} $A""#;
    assert_snapshot!(space.lillux(["exec", "--env", "A=x=y", "--", "sh", "-c", script]).show(), @r#"
    $ lillux exec --env A=x=y -- sh -c 'echo "${HOME:+home} $A"'
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":9,"stdout":"home x=y\n","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
    let cleared = ["exec", "--clear-env", "--env", "A=", "--", "/bin/sh", "-c", script];
    assert_snapshot!(space.lillux(cleared).show(), @r#"
    $ lillux exec --clear-env --env A= -- /bin/sh -c 'echo "${HOME:+home} $A"'
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":2,"stdout":" \n","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
}

#[test]
fn what_was_ignored_when_we_were_started_is_not_ignored_in_the_program() {
    let space = TestSpace::new();
    // Signals 1, 10 and 40, in the shell and in what it starts.
    let script = r#"trap '' HUP USR1 40
grep -o 'SigIgn.*' /proc/self/status
"$0" exec -- grep SigIgn /proc/self/status | grep -o 'SigIgn:..[0-9a-f]*'"#;
    let arguments = ["exec", "--", "bash", "-c", script, env!("CARGO_BIN_EXE_lillux")];
    let shown = space.lillux(arguments).show();
    let (_, shown) = shown.split_once("--- stdout\n").unwrap();
    assert_snapshot!(shown, @r#"{"status":"exited","exit_code":0,"stdout_bytes":51,"stdout":"SigIgn:\t0000008000000201\nSigIgn:\\t0000000000000000\n","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}"#);
}

#[test]
fn bytes_that_are_not_text_come_as_base64() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["exec", "--", "printf", r"\377\376"]).show(), @r#"
    $ lillux exec -- printf '\377\376'
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":2,"stdout_base64":"//4=","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
}

#[test]
fn other_endings_are_exit_code_1() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["exec", "--", "sh", "-c", "kill -9 $$"]).show(), @r#"
    $ lillux exec -- sh -c 'kill -9 $$'
    exit code: 1
    --- stdout
    {"status":"signaled","signal":9,"stdout_bytes":0,"stdout":"","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--timeout", "0.1", "--", "sleep", "100"]).show(), @r#"
    $ lillux exec --timeout 0.1 -- sleep 100
    exit code: 1
    --- stdout
    {"status":"timed_out","killed":false,"stdout_bytes":0,"stdout":"","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
    let script = "echo abcdefgh; exec sleep 100";
    let stop = ["exec", "--max-output", "4", "--stop-on-excess", "--", "sh", "-c", script];
    assert_snapshot!(space.lillux(stop).show(), @r#"
    $ lillux exec --max-output 4 --stop-on-excess -- sh -c 'echo abcdefgh; exec sleep 100'
    exit code: 1
    --- stdout
    {"status":"output_limit","channel":"stdout","killed":false,"stdout_bytes":9,"stdout_truncated":true,"stdout":"abcd","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
}

#[test]
fn output_over_the_limit_is_cut_or_spooled() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["exec", "--max-output", "4", "--", "echo", "abcdefgh"]).show(), @r#"
    $ lillux exec --max-output 4 -- echo abcdefgh
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":9,"stdout_truncated":true,"stdout":"abcd","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
    let spool = ["exec", "--max-output", "4", "--spool", "spool", "--", "echo", "abcdefgh"];
    assert_snapshot!(space.lillux(spool).show(), @r#"
    $ lillux exec --max-output 4 --spool spool -- echo abcdefgh
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":9,"stdout_file":{"path":"spool/[NUMBER].out","sha256":"97c68304cee2c147cb62886e928048554c46a302b10aea98312b83dd41a76890"},"stdout":"abcd","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"pid_namespace"}
    "#);
    space.write("file", "");
    let no_folder = ["exec", "--max-output", "4", "--spool", "file", "--", "echo", "abcdefgh"];
    assert_snapshot!(space.lillux(no_folder).show(), @r#"
    $ lillux exec --max-output 4 --spool file -- echo abcdefgh
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot run `echo`: output is lost: cannot spool output to `file`: File exists (os error 17)"}
    "#);
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let space = TestSpace::new();
    space.write("file", "#!/bin/sh\n");
    assert_snapshot!(space.lillux(["exec", "--", "no-such-program"]).show(), @r#"
    $ lillux exec -- no-such-program
    exit code: 3
    --- stderr
    {"code":"PROGRAM_NOT_FOUND","message":"cannot run `no-such-program`: no such program in `/usr/sbin/no-such-program`, `/usr/bin/no-such-program`, `/sbin/no-such-program`, `/bin/no-such-program`"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--", "./no-such-program"]).show(), @r#"
    $ lillux exec -- ./no-such-program
    exit code: 3
    --- stderr
    {"code":"PROGRAM_NOT_FOUND","message":"cannot run `./no-such-program`: no such program in `./no-such-program`"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--clear-env", "--", "true"]).show(), @r#"
    $ lillux exec --clear-env -- true
    exit code: 3
    --- stderr
    {"code":"PROGRAM_NOT_FOUND","message":"cannot run `true`: the name has no slash and the given environment has no PATH to look it up in"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--", ""]).show(), @r#"
    $ lillux exec -- ''
    exit code: 3
    --- stderr
    {"code":"PROGRAM_NOT_FOUND","message":"cannot run ``: no such program in `/usr/sbin/`, `/usr/bin/`, `/sbin/`, `/bin/`"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--", "./file"]).show(), @r#"
    $ lillux exec -- ./file
    exit code: 3
    --- stderr
    {"code":"NOT_EXECUTABLE","message":"cannot run `./file`: `./file` is not executable: Permission denied (os error 13)"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--", "/"]).show(), @r#"
    $ lillux exec -- /
    exit code: 3
    --- stderr
    {"code":"NOT_EXECUTABLE","message":"cannot run `/`: `/` is not executable: Permission denied (os error 13)"}
    "#);
    space.write("script", "#!/no/such/interpreter\n");
    space.chmod("script", 0o755);
    assert_snapshot!(space.lillux(["exec", "--", "./script"]).show(), @r#"
    $ lillux exec -- ./script
    exit code: 3
    --- stderr
    {"code":"NOT_EXECUTABLE","message":"cannot run `./script`: `./script` exists, but the interpreter or loader that it names does not"}
    "#);
}

#[test]
fn what_a_program_is_given_must_be_there() {
    let space = TestSpace::new();
    space.write("file", "");
    assert_snapshot!(space.lillux(["exec", "--cwd", "missing", "--", "true"]).show(), @r#"
    $ lillux exec --cwd missing -- true
    exit code: 3
    --- stderr
    {"code":"CWD_INVALID","message":"cannot run `true`: cannot enter the working directory `missing`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--cwd", "file", "--", "true"]).show(), @r#"
    $ lillux exec --cwd file -- true
    exit code: 3
    --- stderr
    {"code":"CWD_INVALID","message":"cannot run `true`: cannot enter the working directory `file`: Not a directory (os error 20)"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--stdin-file", "missing", "--", "true"]).show(), @r#"
    $ lillux exec --stdin-file missing -- true
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot read `missing`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--stdin-file", ".", "--", "true"]).show(), @r#"
    $ lillux exec --stdin-file . -- true
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot read `.`: Is a directory (os error 21)"}
    "#);
}

#[test]
fn the_containment_can_be_chosen() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["exec", "--containment", "subreaper", "--", "true"]).show(), @r#"
    $ lillux exec --containment subreaper -- true
    exit code: 0
    --- stdout
    {"status":"exited","exit_code":0,"stdout_bytes":0,"stdout":"","stderr_bytes":0,"stderr":"","duration_ms":[MS],"containment":"subreaper"}
    "#);
    assert_snapshot!(space.lillux(["exec", "--containment", "jail", "--", "true"]).show(), @r#"
    $ lillux exec --containment jail -- true
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value 'jail' for '--containment <MECHANISM>'\n  [possible values: pid_namespace, cgroup, subreaper, process_group]\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn a_guard_that_is_killed_is_a_failure() {
    let space = TestSpace::new();
    let call = ["exec", "--containment", "subreaper", "--", "sh", "-c", "kill -9 $PPID; sleep 1"];
    assert_snapshot!(space.lillux(call).show(), @r#"
    $ lillux exec --containment subreaper -- sh -c 'kill -9 $PPID; sleep 1'
    exit code: 3
    --- stderr
    {"code":"GUARD_LOST","message":"cannot run `sh`: the guard of the run was killed; containment was subreaper"}
    "#);
}
