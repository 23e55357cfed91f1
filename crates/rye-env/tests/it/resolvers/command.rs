//! `command`.

use std::ffi::OsStr;

use insta::assert_snapshot;
use rye_env::ResolveCommands;

use crate::test_space::TestSpace;

const CONFIG: &str = "interpreter: {type: command, resolve_cmd: [which-tool, tool], var: X, fallback: other}";

/// A space where `which-tool` is this script, and commands run.
fn space(script: &str) -> TestSpace {
    let mut space = TestSpace::new();
    space.commands = ResolveCommands::Run;
    space.program("bin2/other");
    space.program("opt/tool");
    space.script("bin1/which-tool", &format!("#!/bin/sh\n{script}\n"));
    space
}

#[test]
fn what_it_prints_is_the_interpreter() {
    let space = space(r#"echo "  ${0%/*}/../opt/$1  ""#);
    assert_snapshot!(space.story(CONFIG), @"
    X=/bin1/../opt/tool (a command ran)
      the command `which-tool tool`: printed `/bin1/../opt/tool`
      `/bin1/../opt/tool`: found
    ");
}

#[test]
fn it_sees_the_operators_environment_and_no_projects() {
    let space = space(
        r#"test "$MINE$THEIRS" = yes && test "$PWD" = "${0%/bin1/*}/project" && echo "${0%/bin1/*}/opt/tool""#,
    );
    space.write("home/.ai/.env", "MINE=yes");
    space.write("project/.env", "THEIRS=no");
    assert_eq!(space.chosen(CONFIG), Some(space.path("opt/tool")));
}

#[test]
fn it_does_not_run_in_an_untrusted_project() {
    let mut space = space(r#"test "$PWD" = "${0%/bin1/*}/home" && echo "${0%/bin1/*}/project/tool""#);
    space.program("project/tool");
    space.is_trusted = false;
    assert_snapshot!(space.story(CONFIG), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: printed `/project/tool`
      `/project/tool`: in an untrusted project
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
}

#[test]
fn failures_lead_to_the_fallback() {
    let story = |script: &str| space(script).story(CONFIG);
    assert_snapshot!(story("exit 3"), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: exited with 3
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
    assert_snapshot!(story("kill -9 $$"), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: ended by signal 9
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
    assert_snapshot!(story("echo tool"), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: printed no absolute path
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
    assert_snapshot!(story("printf '/a\\n/b\\n'"), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: printed no absolute path
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
    assert_snapshot!(story(""), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: printed no absolute path
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
    assert_snapshot!(story("echo /nowhere/tool"), @"
    X=/bin2/other (fallback) (a command ran)
      the command `which-tool tool`: printed `/nowhere/tool`
      `/nowhere/tool`: missing
      `/bin1/other`: missing
      `/bin2/other`: found
    ");
}

#[test]
fn it_is_left_alone_unless_it_may_run() {
    let mut space = space("touch ${0%/bin1/*}/ran; echo /bin/sh");
    space.commands = ResolveCommands::Leave;
    assert_snapshot!(space.story(CONFIG), @"
    X=nothing
      the command `which-tool tool`: not run
      warning: the command that finds the interpreter was not run
    ");
    assert!(!space.path("ran").exists());
    space.set("X", "/somewhere/else");
    assert_eq!(space.resolve(CONFIG).unwrap().get("X"), Some(OsStr::new("")));
}

#[test]
fn every_place_is_listed() {
    let mut space = TestSpace::new();
    space.commands = ResolveCommands::Run;
    assert_snapshot!(space.story("interpreter: {type: command, resolve_cmd: [pyenv, which, python], var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/bin1/pyenv`: missing
      `/bin2/pyenv`: missing
      the command `pyenv which python`: there is no such program
    ");
}

#[test]
fn arguments_know_names() {
    let space = space(r#"echo "$1/tool""#);
    let tool = space.program("anchor/tool");
    assert_eq!(
        space.chosen("interpreter: {type: command, resolve_cmd: [which-tool, '{anchor_path}'], var: X}"),
        Some(tool)
    );
}
