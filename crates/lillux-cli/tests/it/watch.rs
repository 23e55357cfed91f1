use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout};

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};

use crate::patience::happens;
use crate::space::{LILLUX, TestSpace};

/// A watch that is ready, and the lines that follow.
fn start(space: &TestSpace, args: &[&str]) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut child = space.lillux([&["watch", "--timeout", "20"], args].concat()).start();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), r#"{"event":"ready"}"#);
    (child, lines)
}

fn finish((mut child, lines): (Child, Lines<BufReader<ChildStdout>>)) -> String {
    let mut text = String::new();
    for line in lines {
        text += &(line.unwrap() + "\n");
    }
    format!("{text}exit code: {}", child.wait().unwrap().code().unwrap())
}

#[test]
fn one_change_is_enough() {
    let space = TestSpace::new();
    let watch = start(&space, &["."]);
    std::fs::create_dir(space.path("folder")).unwrap();
    assert_snapshot!(finish(watch), @r#"
    {"event":"created","path":"./folder"}
    {"status":"satisfied","changes":1}
    exit code: 0
    "#);
}

#[test]
fn changes_are_counted() {
    let space = TestSpace::new();
    std::fs::create_dir(space.path("folder")).unwrap();
    space.write("a", "");
    let watch = start(&space, &["--recursive", "--count", "3", "folder", "a"]);
    std::fs::create_dir(space.path("folder/b")).unwrap();
    std::fs::rename(space.path("folder/b"), space.path("folder/c")).unwrap();
    std::fs::remove_file(space.path("a")).unwrap();
    assert_snapshot!(finish(watch), @r#"
    {"event":"created","path":"folder/b"}
    {"event":"renamed","from":"folder/b","to":"folder/c"}
    {"event":"removed","path":"a"}
    {"status":"satisfied","changes":3}
    exit code: 0
    "#);
}

#[test]
fn time_that_is_up_is_a_no() {
    let space = TestSpace::new();
    space.write("file", "");
    assert_snapshot!(space.lillux(["watch", "--timeout", "0.1", "file"]).show(), @r#"
    $ lillux watch --timeout 0.1 file
    exit code: 1
    --- stdout
    {"event":"ready"}
    {"status":"timed_out","changes":0}
    "#);
    assert_snapshot!(space.lillux(["watch", "--timeout", "0.1", "--forever", "file"]).show(), @r#"
    $ lillux watch --timeout 0.1 --forever file
    exit code: 1
    --- stdout
    {"event":"ready"}
    {"status":"timed_out","changes":0}
    "#);
}

#[test]
fn ctrl_c_ends_it() {
    let space = TestSpace::new();
    let forever = start(&space, &["--forever", "."]);
    kill_process(Pid::from_child(&forever.0), Signal::INT).unwrap();
    assert_snapshot!(finish(forever), @r#"
    {"status":"cancelled","changes":0}
    exit code: 0
    "#);
    let once = start(&space, &["."]);
    kill_process(Pid::from_child(&once.0), Signal::INT).unwrap();
    assert_snapshot!(finish(once), @r#"
    {"status":"cancelled","changes":0}
    exit code: 1
    "#);
}

#[test]
fn it_ends_when_nobody_reads() {
    let space = TestSpace::new();
    let script = format!("{{ {LILLUX} watch --forever . ; echo $? >code; }} | head -n1 >/dev/null");
    let mut shell = space.command("/bin/sh").args(["-c", &script]).spawn().unwrap();
    assert!(happens(|| {
        space.write("file", "");
        space.path("code").exists()
    }));
    assert!(shell.wait().unwrap().success());
    assert_eq!(std::fs::read_to_string(space.path("code")).unwrap(), "0\n");
}

#[test]
fn what_cannot_be_watched_is_named() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["watch", "missing"]).show(), @r#"
    $ lillux watch missing
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot watch files: there is no `missing`"}
    "#);
    assert_snapshot!(space.lillux(["watch", ".", "missing/file"]).show(), @r#"
    $ lillux watch . missing/file
    exit code: 3
    --- stderr
    {"code":"FILE_NOT_FOUND","message":"cannot watch files: there is no `missing/file`"}
    "#);
    assert_snapshot!(space.lillux(["watch", "/proc/self/mem/x"]).show(), @r#"
    $ lillux watch /proc/self/mem/x
    exit code: 3
    --- stderr
    {"code":"IO","message":"cannot watch files: cannot watch `/proc/self/mem/x`: Not a directory (os error 20)"}
    "#);
}

#[test]
fn a_wrong_command_line_says_so() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["watch"]).show(), @r#"
    $ lillux watch
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <PATH>...\n\nUsage: lillux watch <PATH>...\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["watch", "--count", "0", "."]).show(), @r#"
    $ lillux watch --count 0 .
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '0' for '--count <NUMBER>': number would be zero for non-zero type\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["watch", "--count", "2", "--forever", "."]).show(), @r#"
    $ lillux watch --count 2 --forever .
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the argument '--count <NUMBER>' cannot be used with '--forever'\n\nUsage: lillux watch --count <NUMBER> <PATH>...\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["watch", "--timeout", "-1", "."]).show(), @r#"
    $ lillux watch --timeout -1 .
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"invalid value '-1' for '--timeout <SECONDS>': expected seconds, for example `2` or `0.5`\n\nFor more information, try '--help'."}
    "#);
}
