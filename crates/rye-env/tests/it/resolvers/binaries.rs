//! `local_binary`, `system_binary`, `binary`.

use std::ffi::OsStr;

use insta::assert_snapshot;

use crate::test_space::TestSpace;

const LOCAL: &str = "interpreter: {type: local_binary, binary: python, candidates: [python3], \
                     search_paths: [.venv/bin, .venv/Scripts], var: RYE_PYTHON, fallback: python3}";

#[test]
fn local_binary_tries_each_name_in_each_folder() {
    let space = TestSpace::new();
    let exe = space.program("project/.venv/Scripts/python3.exe");
    assert_eq!(space.chosen(LOCAL), Some(exe));
    let candidate = space.program("project/.venv/bin/python3");
    assert_eq!(space.chosen(LOCAL), Some(candidate));
    let binary = space.program("project/.venv/bin/python");
    assert_eq!(space.chosen(LOCAL), Some(binary));
}

#[test]
fn local_binary_falls_back_to_path() {
    let space = TestSpace::new();
    space.program("bin2/python3");
    assert_snapshot!(space.story(LOCAL), @"
    RYE_PYTHON=/bin2/python3 (fallback)
      `/project/.venv/bin/python`: missing
      `/project/.venv/bin/python3`: missing
      `/project/.venv/Scripts/python.exe`: missing
      `/project/.venv/Scripts/python3.exe`: missing
      `/bin1/python3`: missing
      `/bin2/python3`: found
    ");
}

#[test]
fn local_binary_lists_every_place() {
    let mut space = TestSpace::new();
    space.set("VENDOR", "{space}/vendor");
    assert_snapshot!(space.story(LOCAL), @"
    cannot find `interpreter` of `runtime`, for the variable `RYE_PYTHON`: it is in none of these places:
      `/project/.venv/bin/python`: missing
      `/project/.venv/bin/python3`: missing
      `/project/.venv/Scripts/python.exe`: missing
      `/project/.venv/Scripts/python3.exe`: missing
      `/bin1/python3`: missing
      `/bin2/python3`: missing
    ");
    assert_snapshot!(space.story(
        "interpreter: {type: local_binary, binary: tsx, search_roots: ['{anchor_path}', tools, '${VENDOR}'], \
         search_paths: [node_modules/.bin, .], var: X}"
    ), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      `/anchor/node_modules/.bin/tsx`: missing
      `/anchor/tsx`: missing
      `/project/tools/node_modules/.bin/tsx`: missing
      `/project/tools/tsx`: missing
      `/vendor/node_modules/.bin/tsx`: missing
      `/vendor/tsx`: missing
    ");
}

#[test]
fn system_binary_is_the_first_in_path() {
    let space = TestSpace::new();
    let second = space.program("bin2/lillux");
    let config = "interpreter: {type: system_binary, binary: lillux, var: LILLUX_WATCH}";
    assert_eq!(space.chosen(config), Some(second));
    let first = space.program("bin1/lillux");
    assert_eq!(space.chosen(config), Some(first.clone()));
    assert_eq!(space.chosen("interpreter: {type: system_binary, fallback: lillux}"), Some(first));
}

#[test]
fn system_binary_lists_every_place() {
    let space = TestSpace::new();
    assert_snapshot!(space.story(
        "interpreter: {type: system_binary, binary: lillux, var: LILLUX_WATCH, fallback: other}"
    ), @"
    cannot find `interpreter` of `runtime`, for the variable `LILLUX_WATCH`: it is in none of these places:
      `/bin1/lillux`: missing
      `/bin2/lillux`: missing
      `/bin1/other`: missing
      `/bin2/other`: missing
    ");
    assert_snapshot!(space.with("PATH", "").story("interpreter: {type: system_binary, binary: lillux}"), @"
    cannot find `interpreter` of `runtime`, for the variable `INTERPRETER`: it is in none of these places:
      PATH: there is none
    ");
}

#[test]
fn system_binary_takes_an_absolute_path() {
    let space = TestSpace::new();
    let tool = space.program("opt/tool");
    let config = format!("interpreter: {{type: system_binary, binary: {}}}", tool.display());
    assert_eq!(space.chosen(&config), Some(tool.clone()));
    let config = format!("interpreter: {{type: system_binary, binary: nope, fallback: {}}}", tool.display());
    assert_eq!(space.chosen(&config), Some(tool));
}

#[test]
fn binary_searches_where_it_is_told() {
    let config = "mcp_runner: {type: binary, search: [project, kiwi, user, system], var: X, fallback: mcp}";
    let space = TestSpace::new();
    assert_snapshot!(space.story(config), @"
    cannot find `mcp_runner` of `runtime`, for the variable `X`: it is in none of these places:
      `/project/bin/mcp`: missing
      `/project/.venv/`: missing
      `/project/node_modules/.bin/mcp`: missing
      `/project/.ai/scripts/bin/mcp`: missing
      `/project/.ai/scripts/.venv/`: missing
      `/project/.ai/scripts/node_modules/.bin/mcp`: missing
      `/home/.ai/bin/mcp`: missing
      `/home/.local/bin/mcp`: missing
      `/bin1/mcp`: missing
      `/bin2/mcp`: missing
    ");
    let places = [
        "bin1/mcp",
        "home/.local/bin/mcp",
        "home/.ai/bin/mcp",
        "project/.ai/scripts/bin/mcp",
        "project/node_modules/.bin/mcp",
        "project/.venv/bin/mcp",
        "project/bin/mcp",
    ];
    for place in places {
        let program = space.program(place);
        assert_eq!(space.chosen(config), Some(program));
    }
}

#[test]
fn an_unknown_type_uses_its_fallback_and_warns() {
    let space = TestSpace::new();
    space.program("bin1/thing");
    assert_snapshot!(space.story("interpreter: {type: venv_pyton, var: X, fallback: thing, whatever: 1}"), @"
    X=/bin1/thing (fallback)
      `/bin1/thing`: found
      warning: no resolver type is called `venv_pyton`, so the fallback was used
    ");
    assert_snapshot!(space.story("interpreter: {type: venv_pyton, var: X}"), @"cannot find `interpreter` of `runtime`, for the variable `X`: no resolver type is called `venv_pyton`, and there is no fallback; did you mean `venv_python`?");
    assert_snapshot!(space.story("interpreter: {type: zzz, var: X}"), @"cannot find `interpreter` of `runtime`, for the variable `X`: no resolver type is called `zzz`, and there is no fallback; known: local_binary, system_binary, binary, command, venv_python, node_modules, version_manager, conda_env, pipx, homebrew");
}

#[test]
fn nothing_is_assumed_without_a_project_and_a_home() {
    let mut space = TestSpace::new();
    space.has_places = false;
    space.program("project/bin/mcp");
    assert_snapshot!(space.story(LOCAL), @"
    cannot find `interpreter` of `runtime`, for the variable `RYE_PYTHON`: it is in none of these places:
      the project: there is none
      `/bin1/python3`: missing
      `/bin2/python3`: missing
    ");
    assert_snapshot!(space.story("interpreter: {type: binary, search: [project, user], binary: mcp, var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      the project: there is none
      the user's home: there is none
    ");
    assert_snapshot!(space.story("interpreter: {type: venv_python, search: [kiwi, user], var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      the project: there is none
      the user's home: there is none
    ");
    assert_snapshot!(space.story("interpreter: {type: version_manager, manager: pyenv, var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      the user's home: there is none
      `/bin1/python`: missing
      `/bin2/python`: missing
      `/bin1/python3`: missing
      `/bin2/python3`: missing
    ");
    assert_snapshot!(space.story("interpreter: {type: pipx, package: black, var: X}"), @"
    cannot find `interpreter` of `runtime`, for the variable `X`: it is in none of these places:
      the user's home: there is none
    ");
}

#[test]
fn a_run_can_do_without_an_optional_program() {
    let space = TestSpace::new().with("TOOL", "from outside");
    let declared = "interpreter: {type: system_binary, binary: thing, var: TOOL, optional: true}\nenv: {AFTER: 'x${TOOL}'}";
    let environment = space.resolve_all(&[("runtime", declared)], &[]).unwrap();
    assert_eq!(environment.get("TOOL"), Some(OsStr::new("")), "nothing passes for it");
    assert_eq!(environment.get("AFTER"), Some(OsStr::new("x")));
    assert_eq!(environment.interpreters()[0].chosen, None);
    space.program("bin2/thing");
    let environment = space.resolve_all(&[("runtime", declared)], &[]).unwrap();
    assert!(environment.get("TOOL").unwrap().to_string_lossy().ends_with("/bin2/thing"));
}
