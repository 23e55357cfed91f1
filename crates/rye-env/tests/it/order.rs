//! What is set by whom, in which order.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use insta::assert_snapshot;
use rye_env::{Environment, Origin, ProcessEnvironment};

use crate::test_space::{TestSpace, problems};

/// Each variable that is not simply passed on, with who set it.
fn table(space: &TestSpace, environment: &Environment) -> String {
    let mut text = String::new();
    for (name, variable) in environment.changes() {
        let who = match &variable.origin {
            Origin::DotEnv { path, line } => format!("{}:{line}", path.display()),
            Origin::Interpreter { element, name } => format!("{name} of {element}"),
            Origin::Declared { element } => element.to_string(),
            other => format!("{other:?}"),
        };
        writeln!(text, "{}={} ({who})", name.display(), variable.value.display()).unwrap();
    }
    space.filtered(&text)
}

#[test]
fn later_layers_see_and_replace_earlier_ones() {
    let space = TestSpace::new().with("A", "process").with("KEPT", "process").with("HOME_DIR", "/h");
    space.program("bin2/thing");
    space.write("home/.ai/.env", "A=user\nB=user\nC=user\nD=user\nE=user");
    space.write("project/.ai/.env", "B=ai\nC=ai\nD=ai\nE=ai");
    space.write("project/.env", "C=project\nD=project\nE=project");
    space.write("project/.env.local", "D=local\nE=local\nTHING=local");
    let primitive = "env:\n  E: ${E}+primitive\n  P: ${UNSET}|${UNSET:-default}";
    let runtime = "interpreter: {type: system_binary, binary: thing, var: THING}\nenv:\n  E: ${E}+runtime\n  \
                   F: ${E}\n  G: ${THING} ${F}";
    let tool = "env: {E: '${E}+tool'}";
    let environment = space
        .resolve_all(
            &[("primitive", primitive), ("runtime", runtime), ("tool", tool)],
            &[("E", "${E}+own"), ("H", "${A} ${KEPT} ${G}")],
        )
        .unwrap();
    assert_snapshot!(table(&space, &environment), @"
    A=user (/home/.ai/.env:1)
    B=ai (/project/.ai/.env:1)
    C=project (/project/.env:1)
    D=local (/project/.env.local:1)
    E=local+primitive+runtime+tool+own (Tool)
    THING=/bin2/thing (interpreter of runtime)
    P=|default (primitive)
    F=local+primitive+runtime (runtime)
    G=/bin2/thing local+primitive+runtime (runtime)
    H=user process /bin2/thing local+primitive+runtime (Tool)
    ");
    assert_eq!(environment.get_with_origin("KEPT"), Some((OsStr::new("process"), &Origin::Process)));
    assert_eq!(
        environment.all().get(OsStr::new("E")),
        Some(&OsString::from("local+primitive+runtime+tool+own"))
    );
}

#[test]
fn values_and_search_roots_know_names() {
    let space = TestSpace::new();
    let tsx = space.program("anchor/node_modules/.bin/tsx");
    let environment = space
        .resolve(
            "interpreter: {type: local_binary, binary: tsx, search_paths: [node_modules/.bin], \
             search_roots: ['{anchor_path}'], var: RYE_NODE, fallback: node}\n\
             env: {GEMFILE: '{anchor_path}/Gemfile', OTHER: '{unknown} {\"json\": 1}'}",
        )
        .unwrap();
    assert_eq!(environment.get("RYE_NODE"), Some(tsx.as_os_str()));
    assert_eq!(environment.get("GEMFILE"), Some(space.path("anchor/Gemfile").as_os_str()));
    assert_eq!(environment.get("OTHER"), Some(OsStr::new("{unknown} {\"json\": 1}")));
}

#[test]
fn nothing_is_substituted_twice() {
    let space = TestSpace::new().with("TRICK", "${PATH} {anchor_path}");
    let environment = space.resolve_all(&[], &[("A", "${TRICK}"), ("B", "${A}")]).unwrap();
    for name in ["A", "B"] {
        assert_eq!(environment.get(name), Some(OsStr::new("${PATH} {anchor_path}")));
    }
}

#[test]
fn several_interpreters_have_names_of_their_own() {
    let space = TestSpace::new();
    space.program("bin1/one");
    space.program("bin2/two");
    assert_snapshot!(space.story(
        "interpreter: {type: system_binary, binary: one}\n\
         mcp_runner: {type: binary, search: [project, system], var: RYE_MCP_RUNNER, fallback: two}\n\
         other: {type: local_binary, binary: nope, search_paths: [bin], var: OTHER, fallback: one}"
    ), @"
    INTERPRETER=/bin1/one
      `/bin1/one`: found
    RYE_MCP_RUNNER=/bin2/two
      `/project/bin/two`: missing
      `/project/.venv/`: missing
      `/project/node_modules/.bin/two`: missing
      `/bin1/two`: missing
      `/bin2/two`: found
    OTHER=/bin1/one (fallback)
      `/project/bin/nope`: missing
      `/bin1/one`: found
    ");
}

#[test]
fn two_interpreters_cannot_share_a_variable() {
    let space = TestSpace::new();
    space.program("bin1/one");
    let error = space
        .resolve("a: {type: system_binary, binary: one}\nb: {type: system_binary, binary: one}")
        .unwrap_err();
    assert_snapshot!(problems(&error), @"cannot find `b` of `runtime`, for the variable `INTERPRETER`: `a` is for the same variable; give each its own `var`");
}

#[test]
fn a_later_element_replaces_an_interpreter() {
    let space = TestSpace::new();
    let two = space.program("bin2/two");
    let runtime = "interpreter: {type: system_binary, binary: missing, var: X}";
    let tool = "mine: {type: system_binary, binary: two, var: X}";
    let environment = space.resolve_all(&[("runtime", runtime), ("tool", tool)], &[]).unwrap();
    assert_eq!(environment.get("X"), Some(two.as_os_str()));
    assert_eq!(environment.interpreters().len(), 1);
}

#[test]
fn dotenv_files_can_be_left_out() {
    let space = TestSpace::new();
    space.write("project/.env", "A=1");
    let environment =
        space.resolve_all(&[("p", "include_dotenv: false"), ("r", "env: {B: x}")], &[]).unwrap();
    assert_eq!(environment.get("A"), None);
    assert!(environment.dotenv_files().is_empty());
}

#[test]
fn malformed_process_environments_survive() {
    let space = TestSpace::new();
    let odd = |bytes: &[u8]| OsStr::from_bytes(bytes).to_owned();
    let process: ProcessEnvironment = [
        (OsString::from("PATH"), odd(b"/a\xff:/b")),
        (odd(b"=C:"), OsString::from("x")),
        (odd(b"N\xfe"), odd(b"\xfd")),
        (OsString::new(), OsString::from("empty")),
    ]
    .into_iter()
    .collect();
    let environment = space
        .resolve_in(&process, &[("bash", "env: {PATH: '${PATH}', BOTH: 'x${PATH}:{anchor_path}'}")], &[])
        .unwrap();
    let mut expected: Vec<_> = process.iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    let mut both = b"x/a\xff:/b:".to_vec();
    both.extend(space.path("anchor").as_os_str().as_bytes());
    expected.push(("BOTH".into(), odd(&both)));
    // No process can be given these.
    assert!(environment.get("=C:").is_some() && environment.get("").is_some());
    expected.retain(|(name, _)| name != "=C:" && !name.is_empty());
    assert_eq!(**environment.all(), expected.into_iter().collect());
}

#[test]
fn impossible_variables_are_all_reported() {
    let space = TestSpace::new();
    let doubling: Vec<_> = (0..40).map(|_| ("X", "${X}${X}abcdefgh")).collect();
    let mut tool_env = vec![("", "empty"), ("A=B", "equals")];
    tool_env.extend(doubling.iter().take(15));
    let error = space.resolve_all(&[("r", "env: {N: \"a\\0b\"}")], &tool_env).unwrap_err();
    assert_snapshot!(problems(&error), @"
    `N`, which `r` declares, cannot be a variable: its value has a NUL byte in it
    ``, which the tool declares, cannot be a variable: its name is empty or has a `=` or a NUL byte in it
    `A=B`, which the tool declares, cannot be a variable: its name is empty or has a `=` or a NUL byte in it
    `X`, which the tool declares, cannot be a variable: its value would have more than 131072 bytes
    ");
    assert_snapshot!(error, @"cannot make the environment of the run: `N`, which `r` declares, cannot be a variable: its value has a NUL byte in it, and 3 more");
}
