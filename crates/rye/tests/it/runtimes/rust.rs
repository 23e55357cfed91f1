//! Compiled programs.

use insta::assert_snapshot;
use serde_json::json;

use super::language::{compile, compiler, execute, language, sign, with_perl};
use crate::execute::error_code;

const RUNTIME: &str = "rye/core/runtimes/rust/runtime";

/// A program that says which one it is, and what it sees.
fn program(name: &str) -> String {
    format!(
        "fn main() {{\n    let text = std::io::read_to_string(std::io::stdin()).unwrap();\n    \
         let variable = |name| std::env::var(name).unwrap_or_default();\n    \
         print!(\"{name} {{text}} {{:?}} {{}} {{}}\", std::env::args().nth(1).unwrap(), variable(\"RUST_BACKTRACE\"), variable(\"LILLUX_WATCH\"));\n}}\n"
    )
}

const FOUND: &str = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/runtimes/rust/runtime\ndescription: A test\n\
    env_config:\n  program: {type: local_binary, binary: counter, search_paths: [target/release], var: RYE_BINARY, fallback: counter}\n";

#[test]
fn an_entry_is_the_program_that_was_signed() {
    let space = with_perl();
    language(RUNTIME).tool(&space, "project", "t/counter", &program("signed"));
    let report = execute(&space, &["t/counter", "--a", "1"]).json();
    assert_eq!(report["data"], "signed {\"a\":\"1\"} \"--project-path\" 0 ", "{report}");
    let plan = space.rye(["explain", "t/counter"]).json();
    assert_eq!(plan["timeout_s"], 600.0, "{plan}");
    compile(&space, &program("another"), &space.path("project/.ai/tools/t/bin/counter"));
    assert_eq!(error_code(&space, &["t/counter"]), "DEPENDENCY_UNVERIFIED");
    sign(&space, "project", "t/counter");
    let report = execute(&space, &["t/counter"]).json();
    assert!(report["data"].as_str().unwrap().starts_with("another {}"), "{report}");
}

#[test]
fn lillux_is_named_if_it_is_installed() {
    let space = with_perl();
    language(RUNTIME).tool(&space, "project", "t/counter", &program("signed"));
    space.folder("home/.local/bin");
    let lillux = space.path("home/.local/bin/lillux");
    compile(&space, "fn main() {}\n", &lillux);
    let report = execute(&space, &["t/counter"]).json();
    assert!(report["data"].as_str().unwrap().ends_with(&format!(" 0 {}", lillux.display())), "{report}");
}

#[test]
fn what_the_project_builds_counts_if_it_is_trusted() {
    let space = with_perl();
    space.write("home/.ai/tools/t/found.yaml", FOUND);
    sign(&space, "home", "t/found");
    compile(&space, &program("installed"), &space.path("installed/counter"));
    let path = format!("{}:/usr/bin:/bin", space.path("installed").display());
    let ran = || {
        let report = space.rye(["execute", "t/found"]).set("PATH", path.clone()).json();
        report["data"].as_str().unwrap_or_else(|| panic!("{report}")).split(' ').next().unwrap().to_owned()
    };
    assert_eq!(ran(), "installed");
    compile(&space, &program("built"), &space.path("project/target/release/counter"));
    assert_eq!(ran(), "built");
    space.run(["trust", "--revoke"]);
    assert_eq!(ran(), "installed", "a program of an untrusted project does not run");
}

#[test]
fn a_file_is_compiled_and_leaves_nothing_behind() {
    let space = with_perl();
    space.folder("temporary");
    let temporary = space.path("temporary");
    let entries = || std::fs::read_dir(&temporary).unwrap().count();
    language("rust_runtime").tool(&space, "project", "t/file", &program("compiled"));
    let report = execute(&space, &["t/file"]).set("TMPDIR", &temporary).json();
    assert_eq!(report["data"], "compiled {} \"--project-path\" 1 ", "{report}");
    assert_eq!(entries(), 0);
    language("rust_runtime").tool(&space, "project", "t/file", "fn main() { std::process::exit(9) }\n");
    let report = execute(&space, &["t/file"]).set("TMPDIR", &temporary).json();
    assert_eq!((&report["exit_code"], entries()), (&json!(9), 0), "{report}");
    language("rust_runtime").tool(&space, "project", "t/file", "fn main() { missing() }\n");
    let output = execute(&space, &["t/file"]).set("TMPDIR", &temporary).output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let source = space.path("project/.ai/tools/t/file.rs");
    assert!(
        stderr.contains("cannot find function `missing`") && stderr.contains(source.to_str().unwrap()),
        "{stderr}"
    );
    assert_eq!((output.status.code(), output.stdout.len(), entries()), (Some(1), 0, 0));
}

#[test]
fn without_a_compiler_it_is_said() {
    let space = with_perl();
    language("rust_runtime").tool(&space, "project", "t/file", "fn main() {}\n");
    assert!(compiler().exists());
    assert_snapshot!(space.rye(["execute", "t/file"]).show(), @"
    $ rye execute t/file
    exit code: 3
    --- stderr
    error: cannot run tool:t/file: cannot make the environment of the run: cannot find `interpreter` of `rye/core/runtimes/rust_runtime`, for the variable `RYE_RUSTC`: it is in none of these places:
      `[SPACE]/project/bin/rustc`: missing
      `[SPACE]/project/.venv/`: missing
      `[SPACE]/project/node_modules/.bin/rustc`: missing
      `[SPACE]/home/.ai/bin/rustc`: missing
      `[SPACE]/home/.local/bin/rustc`: missing
      `/usr/bin/rustc`: missing
      `/bin/rustc`: missing [INTERPRETER_NOT_FOUND]
    hint: run `rye explain t/file` to see everything that has a say
    ");
}
