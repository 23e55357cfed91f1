//! Shell commands.

use serde_json::json;

use super::{call, wrong_parameters};
use crate::space::TestSpace;

const BASH: &str = "rye/shell/bash";

#[test]
fn a_command_runs_in_the_project_or_below() {
    let space = TestSpace::with_bundle();
    space.folder("project/sub/..odd");
    let project = space.path("project");
    let shown = |params| call(&space, BASH, &params).as_str().unwrap().to_owned();
    assert_eq!(shown(json!({ "command": "pwd" })), format!("{}\n", project.display()));
    assert_eq!(shown(json!({ "command": "pwd", "cwd": "./sub/" })), format!("{}/sub\n", project.display()));
    assert_eq!(
        shown(json!({ "command": "pwd", "cwd": "sub/..odd" })),
        format!("{}/sub/..odd\n", project.display())
    );
    for cwd in ["..", "../x", "sub/..", "sub/../..", "/", "/tmp"] {
        wrong_parameters(&space, BASH, &json!({ "command": "pwd", "cwd": cwd }));
    }
    wrong_parameters(&space, BASH, &json!({ "command": "" }));
    wrong_parameters(&space, BASH, &json!({ "comand": "ls" }));
}

#[test]
fn a_command_is_taken_as_it_is() {
    let space = TestSpace::with_bundle();
    let command = "for x in 'a b' \"$HOME\"; do echo \"$x {command} ${x}\"; done | wc -l; cat; exit 0";
    let answer = call(&space, BASH, &json!({ "command": command, "stdin": "{\"a\": \"{cwd}\"}" }));
    assert_eq!(answer, json!("2\n{\"a\": \"{cwd}\"}"));
    assert_eq!(call(&space, BASH, &json!({ "command": "cat" })), json!(null));
    assert_eq!(call(&space, BASH, &json!({ "command": "echo '{\"n\": 1.50}'" })), json!({ "n": 1.50 }));
}

#[test]
fn a_failure_has_its_exit_code_and_words() {
    let space = TestSpace::with_bundle();
    let params = json!({ "command": "echo out; echo oops >&2; exit 7" }).to_string();
    let report = space.rye(["execute", BASH, "--params", &params]).json();
    assert_eq!((&report["exit_code"], &report["stderr"]), (&json!(7), &json!("oops\n")));
    assert_eq!((&report["data"], &report["error"]["code"]), (&json!("out\n"), &json!("TOOL_FAILED")));
}
