use insta::assert_snapshot;

use crate::patience::happens;
use crate::space::TestSpace;

#[test]
fn a_program_is_spawned_looked_at_and_killed() {
    let space = TestSpace::new();
    let script = "echo hello; echo $A >&2; sleep 1000";
    let spawn = space.lillux(["spawn", "--log", "log", "--env", "A=1", "--", "sh", "-c", script]).json();
    let handle = spawn["handle"].as_str().unwrap();
    assert_eq!(handle.split(':').next().unwrap(), spawn["pid"].to_string());
    assert!(happens(|| std::fs::read_to_string(space.path("log")).unwrap() == "hello\n1\n"));
    assert_snapshot!(space.lillux(["status", handle]).show(), @r#"
    $ lillux status [HANDLE]
    exit code: 0
    --- stdout
    {"status":"running"}
    "#);
    assert_snapshot!(space.lillux(["kill", handle]).show(), @r#"
    $ lillux kill [HANDLE]
    exit code: 0
    --- stdout
    {"status":"terminated"}
    "#);
    // Whoever has inherited it may not have noticed yet.
    let status = space.lillux(["status", handle]).output();
    let statuses = ["{\"status\":\"gone\"}\n", "{\"status\":\"zombie\"}\n"];
    assert_eq!(status.status.code(), Some(1));
    assert!(statuses.contains(&str::from_utf8(&status.stdout).unwrap()), "{status:?}");
    assert_snapshot!(space.lillux(["kill", handle]).show(), @r#"
    $ lillux kill [HANDLE]
    exit code: 1
    --- stdout
    {"status":"already_gone"}
    "#);
}

/// In a namespace of its own, a program cannot open processes outside, and still sees that they are there.
#[test]
fn a_program_is_looked_at_from_inside_of_another_run() {
    let space = TestSpace::new();
    let spawn = space.lillux(["spawn", "--", "sleep", "1000"]).json();
    let handle = spawn["handle"].as_str().unwrap();
    let look = || {
        let program = env!("CARGO_BIN_EXE_lillux");
        let outcome = space.lillux(["exec", "--", program, "status", handle]).json();
        outcome["stdout"].as_str().unwrap().to_owned()
    };
    assert_eq!(look(), "{\"status\":\"running\"}\n");
    space.lillux(["kill", handle]).json();
    let statuses = ["{\"status\":\"gone\"}\n", "{\"status\":\"zombie\"}\n"];
    assert!(statuses.contains(&look().as_str()));
}

#[test]
fn a_program_that_does_not_listen_is_killed() {
    let space = TestSpace::new();
    let script = "trap '' TERM; touch ready; while :; do sleep 0.05; done";
    let spawn = space.lillux(["spawn", "--", "sh", "-c", script]).json();
    assert!(happens(|| space.path("ready").exists()));
    assert_snapshot!(space.lillux(["kill", "--grace", "0.1", spawn["handle"].as_str().unwrap()]).show(), @r#"
    $ lillux kill --grace 0.1 [HANDLE]
    exit code: 0
    --- stdout
    {"status":"killed"}
    "#);
}

#[test]
fn a_handle_of_another_process_with_the_same_number_is_gone() {
    let space = TestSpace::new();
    let spawn = space.lillux(["spawn", "--", "sleep", "1000"]).json();
    let handle = spawn["handle"].as_str().unwrap();
    let (pid, rest) = handle.split_once(':').unwrap();
    let (_, boot) = rest.split_once(':').unwrap();
    assert_snapshot!(space.lillux(["kill", &format!("{pid}:1:{boot}")]).show(), @r#"
    $ lillux kill [HANDLE]
    exit code: 1
    --- stdout
    {"status":"already_gone"}
    "#);
    assert_snapshot!(space.lillux(["status", handle]).show(), @r#"
    $ lillux status [HANDLE]
    exit code: 0
    --- stdout
    {"status":"running"}
    "#);
    assert_snapshot!(space.lillux(["kill", handle]).show(), @r#"
    $ lillux kill [HANDLE]
    exit code: 0
    --- stdout
    {"status":"terminated"}
    "#);
}

#[test]
fn a_bad_handle_is_a_wrong_command_line() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["status", "12"]).show(), @r#"
    $ lillux status 12
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '12' for '<HANDLE>': `12` is not a process handle: expected PID:START_TICKS:BOOT_ID\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["kill", "0:1:00000000-0000-0000-0000-000000000000"]).show(), @r#"
    $ lillux kill [HANDLE]
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '[HANDLE]' for '<HANDLE>': `[HANDLE]` is not a process handle: expected PID:START_TICKS:BOOT_ID\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["kill"]).show(), @r#"
    $ lillux kill
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <HANDLE>\n\nUsage: lillux kill <HANDLE>\n\nFor more information, try '--help'."}
    "#);
}

#[test]
fn a_program_that_cannot_be_spawned_is_named() {
    let space = TestSpace::new();
    space.write("file", "");
    assert_snapshot!(space.lillux(["spawn", "--", "no-such-program"]).show(), @r#"
    $ lillux spawn -- no-such-program
    exit code: 3
    --- stderr
    {"code":"PROGRAM_NOT_FOUND","message":"cannot run `no-such-program`: no such program in `/usr/sbin/no-such-program`, `/usr/bin/no-such-program`, `/sbin/no-such-program`, `/bin/no-such-program`"}
    "#);
    assert_snapshot!(space.lillux(["spawn", "--", "./file"]).show(), @r#"
    $ lillux spawn -- ./file
    exit code: 3
    --- stderr
    {"code":"NOT_EXECUTABLE","message":"cannot run `./file`: `./file` is not executable: Permission denied (os error 13)"}
    "#);
    assert_snapshot!(space.lillux(["spawn", "--cwd", "missing", "--", "true"]).show(), @r#"
    $ lillux spawn --cwd missing -- true
    exit code: 3
    --- stderr
    {"code":"CWD_INVALID","message":"cannot run `true`: cannot enter the working directory `missing`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(space.lillux(["spawn", "--log", "missing/log", "--", "true"]).show(), @r#"
    $ lillux spawn --log missing/log -- true
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot run `true`: cannot open the log file `missing/log`: No such file or directory (os error 2)"}
    "#);
    assert_snapshot!(space.lillux(["spawn", "--log", ".", "--", "true"]).show(), @r#"
    $ lillux spawn --log . -- true
    exit code: 3
    --- stderr
    {"code":"OUTPUT_NOT_WRITABLE","message":"cannot run `true`: cannot open the log file `.`: Is a directory (os error 21)"}
    "#);
}
