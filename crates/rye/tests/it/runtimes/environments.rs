//! Projects with an environment of their own, made by the real tools.

use std::process::Command;

use serde_json::json;

use super::language::{deps, execute, language, with_perl};
use crate::space::TestSpace;

const WHERE: &str = "import os, sys\ntry:\n    import only_here\n    found = only_here.NAME\nexcept ImportError:\n    found = None\n\
    def execute(params, project_path):\n    return [os.path.realpath(sys.prefix), found, os.environ['RYE_PYTHON']]\n";

/// Makes a virtual environment with a module in it.
#[expect(clippy::disallowed_methods, reason = "a program of the user, not the tested one")]
fn venv(space: &TestSpace) {
    let folder = space.path("project/.venv");
    let output =
        Command::new("/usr/bin/python3").args(["-m", "venv", "--without-pip"]).arg(&folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let library = std::fs::read_dir(folder.join("lib")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(library.join("site-packages/only_here.py"), "NAME = 'only here'\n").unwrap();
}

#[test]
fn the_virtual_environment_of_a_trusted_project_is_used() {
    let space = with_perl();
    venv(&space);
    space.run(["trust", "--yes"]);
    let prefix = space.path("project/.venv");
    let python = prefix.join("bin/python");
    for runtime in ["rye/core/runtimes/python/function", "python_runtime"] {
        language(runtime).tool(&space, "project", "t/where", WHERE);
        let report = execute(&space, &["t/where"]).json();
        assert_eq!(report["data"], json!([prefix, "only here", python]), "{runtime}: {report}");
    }
}

#[test]
fn that_of_an_untrusted_project_is_not() {
    let space = with_perl();
    for runtime in ["rye/core/runtimes/python/function", "python_runtime"] {
        language(runtime).tool(&space, "home", "t/where", WHERE);
        let plain = execute(&space, &["t/where"]).json();
        venv(&space);
        // It came after the decision, so it is not covered by it; nor is anything without one.
        for _ in 0..2 {
            let report = execute(&space, &["t/where"]).json();
            assert_eq!(report["data"], plain["data"], "{runtime}: {report}");
            space.rye(["trust", "--revoke"]).output();
        }
        std::fs::remove_dir_all(space.path("project/.venv")).unwrap();
        space.run(["trust", "--yes"]);
    }
}

/// The packages that npm has installed for our own tests.
fn link_packages(space: &TestSpace, folder: &str) {
    let modules = deps().join("node/node_modules");
    assert!(modules.join("canonicalize").exists(), "run `cargo xtask setup`");
    std::os::unix::fs::symlink(modules, space.path(folder).join("node_modules")).unwrap();
}

#[test]
fn installed_packages_of_a_trusted_project_are_used() {
    let space = with_perl();
    for (runtime, name) in [("rye/core/runtimes/node/node", "one"), ("node_runtime", "two")] {
        space.write(&format!("project/.ai/tools/{name}/package.json"), "{\"type\": \"module\"}");
        link_packages(&space, &format!("project/.ai/tools/{name}"));
        let code = "import canonicalize from 'canonicalize';\nconsole.log(canonicalize({ b: 1, a: process.env.NODE_ENV }));\n";
        space.run(["trust", "--yes"]);
        language(runtime).tool(&space, "project", &format!("{name}/main"), code);
        let report = execute(&space, &[&format!("{name}/main")]).json();
        let mode = if runtime == "node_runtime" { "production" } else { "development" };
        assert_eq!(report["data"], json!({ "a": mode, "b": 1 }), "{runtime}: {report}");
    }
}

#[test]
fn an_interpreter_among_the_packages_of_an_untrusted_project_is_not_used() {
    let space = with_perl();
    let planted = space.write("project/node_modules/.bin/node", "#!/bin/sh\necho '\"planted\"'\n");
    std::fs::set_permissions(&planted, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    language("node_runtime").tool(
        &space,
        "home",
        "t/which",
        "console.log(JSON.stringify(process.env.KIWI_NODE));\n",
    );
    assert_eq!(execute(&space, &["t/which"]).json()["data"], "/usr/bin/node");
    space.run(["trust", "--yes"]);
    assert_eq!(execute(&space, &["t/which"]).json()["data"], "planted", "the operator was asked about it");
}

#[test]
fn arguments_of_a_piece_of_code_are_no_options_of_its_interpreter() {
    let space = with_perl();
    let script = "console.log(JSON.stringify(process.argv.slice(1)))";
    for runtime in ["rye/core/runtimes/node/node", "node_runtime"] {
        let params = json!({ "script": script, "args": ["-x", "--version"] }).to_string();
        let report = execute(&space, &[runtime, "--params", &params]).json();
        assert_eq!(report["data"], json!(["-x", "--version"]), "{runtime}: {report}");
    }
}
