//! The tools that come with the program, as an agent calls them.

mod archives;
mod archives_hostile;
mod catalogue;
mod confinement;
mod edits;
mod files;
mod git;
mod interpreters;
mod queries;
mod runs;
mod search;
mod shell;
mod sqlite;
mod system;
mod web;

use serde_json::Value;

use crate::space::TestSpace;

/// What a tool answers.
fn call(space: &TestSpace, id: &str, params: &Value) -> Value {
    let report = space.rye(["execute", id, "--params", &params.to_string()]).json();
    assert_eq!(report["status"], "success", "{id} {params}: {} {}", report["error"], report["stderr"]);
    report["data"].clone()
}

/// The sentence with which a tool says that it does not do something.
fn refusal(space: &TestSpace, id: &str, params: &Value) -> String {
    let report = space.rye(["execute", id, "--params", &params.to_string()]).json();
    assert_eq!(report["error"]["code"], "TOOL_FAILED", "{id} {params}: {report:#}");
    let said = report["stderr"].as_str().unwrap();
    let sentence = said.strip_prefix("error: ").unwrap_or_else(|| panic!("{id} {params}: {said}"));
    let (sentence, rest) = sentence.split_once('\n').unwrap();
    assert!(
        rest.is_empty() || rest.starts_with("hint: ") && rest.lines().count() == 1,
        "{id} {params}: {said}"
    );
    sentence.to_owned()
}

/// The code with which parameters are refused before anything runs.
fn wrong_parameters(space: &TestSpace, id: &str, params: &Value) {
    let output = space.rye(["execute", id, "--params", &params.to_string(), "--json"]).output();
    let error: Value =
        serde_json::from_slice(&output.stderr).unwrap_or_else(|_| panic!("{params}: {output:?}"));
    assert_eq!(error["error"]["code"], "PARAMS_INVALID", "{id} {params}: {error:#}");
}

/// Runs a piece of Python in the project, to make what a tool then meets.
#[expect(clippy::disallowed_methods, reason = "the world around the tested program")]
fn python(space: &TestSpace, code: &str) {
    let mut command = std::process::Command::new("/usr/bin/python3");
    let output = command.args(["-c", code]).current_dir(space.path("project")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn link(space: &TestSpace, target: impl AsRef<std::path::Path>, name: &str) {
    std::os::unix::fs::symlink(target, space.path(name)).unwrap();
}

/// The names in a folder, sorted.
fn names(space: &TestSpace, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(space.path(folder)).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
