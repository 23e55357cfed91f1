//! What a tool finds beside itself.

use serde_json::json;

use super::{error_code, shell, stdout, tool, trusted};

const HEADER: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n";

fn importing(modules: &str) -> String {
    format!(
        "{HEADER}import {modules}\n\ndef execute(params, project_path):\n    return [m.NAME for m in ({modules},)]\n"
    )
}

#[test]
fn a_package_brings_its_modules() {
    let space = trusted();
    space.write("project/.ai/tools/pkg/__init__.py", "");
    space.write("project/.ai/tools/pkg/helper.py", "NAME = 'helper'\n");
    space.write("project/.ai/tools/pkg/lib/deep.py", "NAME = 'deep'\n");
    tool(&space, "pkg/main.py", &importing("helper, deep"));
    assert_eq!(stdout(&space, &["pkg/main"]), "[\"helper\", \"deep\"]\n");
    // A module that came later is not there, and the report says so.
    space.write("project/.ai/tools/pkg/later.py", "NAME = 'later'\n");
    let report = space.rye(["execute", "pkg/main"]).json();
    assert_eq!(report["left_out"][0]["path"], "later.py");
    space.write("project/.ai/tools/pkg/helper.py", "NAME = 'changed'\n");
    assert_eq!(error_code(&space, &["pkg/main"]), "DEPENDENCY_UNVERIFIED");
    space.run(["sign", "pkg/main"]);
    assert_eq!(stdout(&space, &["pkg/main"]), "[\"changed\", \"deep\"]\n");
}

#[test]
fn a_tool_without_a_package_has_what_it_requires() {
    let space = trusted();
    space.write("project/.ai/tools/solo/helper.py", "NAME = 'helper'\n");
    tool(&space, "solo/main.py", &importing("helper"));
    let output = space.rye(["execute", "solo/main"]).output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("No module named 'helper'"), "{stderr}");
    tool(&space, "solo/main.py", &format!("__requires__ = [\"helper.py\"]\n{}", importing("helper")));
    assert_eq!(stdout(&space, &["solo/main"]), "[\"helper\"]\n");
}

#[test]
fn an_entry_runs_in_place_of_its_description() {
    let space = trusted();
    space.write("project/.ai/tools/bin/thing", "#!/bin/sh\necho \"thing $1\"\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(space.path("project/.ai/tools/bin/thing"), mode).unwrap();
    let text = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
        entry: bin/thing\nconfig: {command: \"{tool_path}\", args: [\"{word}\"]}\n\
        config_schema: {type: object, properties: {word: {type: string}}}\n";
    tool(&space, "entry.yaml", text);
    assert_eq!(stdout(&space, &["entry", "--word", "x"]), "thing x\n");
    space.write("project/.ai/tools/bin/thing", "#!/bin/sh\necho evil\n");
    assert_eq!(error_code(&space, &["entry", "--word", "x"]), "DEPENDENCY_UNVERIFIED");
}

#[test]
fn node_finds_what_is_installed_beside_its_package() {
    let space = trusted();
    space.write("project/.ai/tools/app/package.json", "{\"type\": \"module\"}");
    space.write(
        "project/.ai/tools/app/node_modules/dep/package.json",
        "{\"name\": \"dep\", \"main\": \"i.js\"}",
    );
    space.write("project/.ai/tools/app/node_modules/dep/i.js", "module.exports = 'installed';");
    space.write("project/.ai/tools/app/own.js", "export const name = 'own';");
    space.run(["trust", "--yes"]);
    let text = "export const version = \"1.0.0\";\nexport const tool_type = \"node\";\n\
        export const executor_id = \"rye/core/runtimes/node/node\";\n\
        import dep from 'dep';\nimport { name } from './own.js';\nconsole.log(JSON.stringify([dep, name]));\n";
    tool(&space, "app/main.js", text);
    assert_eq!(stdout(&space, &["app/main"]), "[\"installed\",\"own\"]\n");
}

#[test]
fn configuration_of_all_spaces_is_joined() {
    let space = trusted();
    space.write("home/.ai/config/web/search.yaml", "engine: user\nlimits: {pages: 3, words: 100}\n");
    space.write("project/.ai/config/web/search.yaml", "limits: {pages: 5}\n");
    let text = |mode: &str| {
        format!(
            "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
             config_resolve: {mode}\nconfig: {{command: cat, input_data: \"{{params_json}}\"}}\n"
        )
    };
    let resolved = |mode: &str| {
        tool(&space, "t/config.yaml", &text(mode));
        let printed: serde_json::Value = serde_json::from_str(&stdout(&space, &["t/config"])).unwrap();
        printed["resolved_config"].clone()
    };
    let joined = json!({ "engine": "user", "limits": { "pages": 5, "words": 100 } });
    assert_eq!(resolved("{path: web/search.yaml}"), joined);
    assert_eq!(resolved("{path: web/search.yaml, mode: first_match}"), json!({ "limits": { "pages": 5 } }));
    assert_eq!(
        resolved("[{path: web/search.yaml, name: s}, {path: none.json}]"),
        json!({ "s": joined, "none": {} })
    );
    tool(&space, "t/config.yaml", &text("{path: ../x.yaml}"));
    assert_eq!(error_code(&space, &["t/config"]), "TEMPLATE_INVALID");
}

#[test]
fn variables_come_from_where_they_are_declared() {
    let space = trusted();
    space.write("home/.ai/.env", "FROM_USER=user\nFROM_BOTH=user\nPATH=/evil\n");
    space.write("project/.env", "FROM_BOTH=project\nLD_PRELOAD=/evil.so\n");
    space.run(["trust", "--yes"]);
    let text = shell("echo \"$FROM_USER $FROM_BOTH ${LD_PRELOAD:-none} $PATH\"");
    tool(&space, "t/env.sh", &text);
    let printed = stdout(&space, &["t/env"]);
    assert!(printed.starts_with("user project none /") && !printed.contains("/evil"), "{printed}");
}

/// With the real thing, as npm installs it.
#[test]
fn typescript_runs_with_the_tsx_of_its_package() {
    let space = trusted();
    space.write("project/.ai/tools/ts/package.json", "{\"type\": \"module\"}");
    let modules = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.deps/node/node_modules");
    assert!(std::path::Path::new(modules).join(".bin/tsx").exists(), "run `cargo xtask setup`");
    std::os::unix::fs::symlink(modules, space.path("project/.ai/tools/ts/node_modules")).unwrap();
    space.run(["trust", "--yes"]);
    let text = "export const version = \"1.0.0\";\nexport const tool_type = \"node\";\n\
        export const executor_id = \"rye/core/runtimes/node/node\";\n\
        enum Colour { Red = 'red' }\nconst answer: { colour: Colour } = { colour: Colour.Red };\n\
        console.log(JSON.stringify(answer satisfies object));\n";
    tool(&space, "ts/main.ts", text);
    assert_eq!(stdout(&space, &["ts/main"]), "{\"colour\":\"red\"}\n");
    let plan = space.rye(["explain", "ts/main"]).json();
    let path = plan["interpreters"][0]["path"].as_str().unwrap();
    assert!(path.ends_with("/files/node_modules/.bin/tsx"), "{path}");
}
