//! What a project brings for its own tools does not disturb those that come with the program.

use serde_json::json;

use super::{call, link};
use crate::execute::{stdout, tool, trusted};
use crate::space::TestSpace;

/// A project with broken interpreters, variables and modules of its own, which its operator trusts.
fn broken_project() -> TestSpace {
    let space = trusted();
    let broken = "#!/bin/sh\necho broken >&2\nexit 1\n";
    for name in ["python", "python3", "bash", "git"] {
        for folder in [".venv/bin", ".ai/scripts/.venv/bin", "node_modules/.bin", "bin"] {
            let file = space.write(&format!("project/{folder}/{name}"), broken);
            std::fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
    }
    space.write("project/.venv/pyvenv.cfg", "home = /nonexistent\n");
    space.write("project/.env", "PYTHONPATH=/evil\nTZDIR=/evil\nTOKEN='not closed\n");
    // Modules of these names are what the tools and their runtime import.
    for module in ["os", "json", "project_files", "sqlite3", "asyncio", "git_program"] {
        space.write(&format!("project/{module}.py"), "raise SystemExit('planted')\n");
    }
    space.run(["trust", "--yes"]);
    space
}

#[test]
fn a_broken_project_disturbs_none_of_them() {
    let space = broken_project();
    space.write("project/a.json", "{\"a\": 1}");
    space.shell("/usr/bin/git init -q .");
    assert_eq!(call(&space, "rye/file/read", &json!({ "path": "a.json" }))["text"], "{\"a\": 1}");
    assert_eq!(call(&space, "rye/file/glob", &json!({ "pattern": "*.json" }))["paths"], json!(["a.json"]));
    assert_eq!(
        call(&space, "rye/data/query", &json!({ "file": "a.json", "path": "a" }))["values"],
        json!([1])
    );
    assert_eq!(call(&space, "rye/shell/bash", &json!({ "command": "echo $((1 + 1))" })), json!(2));
    assert!(call(&space, "rye/git/status", &json!({}))["branch"].is_string());
    let db = json!({ "path": "t.db", "sql": "CREATE TABLE t (x)", "write": true });
    assert_eq!(call(&space, "rye/data/sqlite", &db)["changes"], 0);
    call(&space, "rye/system/time", &json!({ "zone": "Europe/Berlin" }));
    call(&space, "rye/core/runs/list", &json!({}));
    let plan = space.rye(["explain", "rye/file/read"]).json();
    let python = plan["interpreters"][0]["path"].as_str().unwrap();
    assert!(!python.contains("/project/"), "{python}");
}

#[test]
fn the_projects_own_tools_get_its_interpreter() {
    let space = trusted();
    link_python(&space);
    space.run(["trust", "--yes"]);
    let text = crate::execute::python("import os\nreturn os.environ['RYE_PYTHON']");
    tool(&space, "t/which.py", &text);
    assert!(stdout(&space, &["t/which"]).contains("/project/.venv/bin/python"));
}

fn link_python(space: &TestSpace) {
    space.folder("project/.venv/bin");
    link(space, "/usr/bin/python3", "project/.venv/bin/python");
}

#[test]
fn variables_of_the_caller_do_not_disturb_them() {
    let space = TestSpace::with_bundle();
    space.write("project/a.txt", "x");
    for module in ["os", "json", "re", "project_files"] {
        space.write(&format!("elsewhere/{module}.py"), "raise SystemExit('planted')\n");
    }
    let read = || space.rye(["execute", "rye/file/read", "--path", "a.txt"]);
    let elsewhere = space.path("elsewhere");
    for call in [
        read().set("PYTHONPATH", &elsewhere),
        read().set("PYTHONHOME", &elsewhere),
        read().set("PYTHONOPTIMIZE", "2"),
        read().set("PYTHONIOENCODING", "ascii"),
        read().set("LC_ALL", "C"),
    ] {
        let output = call.output();
        assert!(output.status.success(), "{output:?}");
    }
}

#[test]
fn they_run_from_a_system_space_that_is_a_folder() {
    let space = TestSpace::with_bundle_as_folder();
    space.write("project/a.json", "{\"a\": 1}");
    assert_eq!(call(&space, "rye/file/read", &json!({ "path": "a.json" }))["size"], 8);
    assert_eq!(call(&space, "rye/file/glob", &json!({ "pattern": "*.json" }))["paths"], json!(["a.json"]));
    assert_eq!(
        call(&space, "rye/data/query", &json!({ "file": "a.json", "path": "a" }))["values"],
        json!([1])
    );
    call(&space, "rye/system/time", &json!({}));
}

#[test]
fn without_python_the_error_says_so() {
    let space = TestSpace::with_bundle();
    space.folder("elsewhere/bin");
    link(&space, "/bin/bash", "elsewhere/bin/bash");
    let output = space.rye(["execute", "rye/file/list"]).set("PATH", space.path("elsewhere/bin")).output();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("[INTERPRETER_NOT_FOUND]") && said.contains("RYE_PYTHON"), "{said}");
}
