//! Deno, which lets a tool do only what it asks for.

use serde_json::json;

use super::language::{deno_folder, execute, language, with_perl};

/// Tries everything, and tells what was allowed.
const TRIES: &str = "const project = Deno.args[1];\n\
    async function may(act: () => unknown) {\n  try { await act(); return true; } catch (error) {\n    \
    if (error instanceof Deno.errors.NotCapable) return false;\n    throw error;\n  }\n}\n\
    console.log(JSON.stringify({\n  own: await may(() => Deno.readTextFile(new URL(import.meta.url))),\n  \
    project: await may(() => Deno.readTextFile(`${project}/data.txt`)),\n  \
    other: await may(() => Deno.readTextFile('/etc/hostname')),\n  \
    write: await may(() => Deno.writeTextFile(`${project}/written`, 'x')),\n  \
    env: await may(() => Deno.env.get('HOME')),\n  \
    run: await may(() => new Deno.Command('/bin/true').output()),\n  \
    net: await may(async () => { try { await Deno.connect({ hostname: '127.0.0.1', port: 9 }); } catch (error) {\n    \
    if (error instanceof Deno.errors.ConnectionRefused) return; throw error; } }),\n  \
    sys: await may(() => Deno.hostname()),\n}));\n";

/// Deno takes a file by its extension for TypeScript.
fn tool(space: &crate::space::TestSpace, id: &str, more: &str, code: &str) {
    let header = language("deno_runtime").header();
    space.write(&format!("project/.ai/tools/{id}.ts"), format!("{header}{more}{code}"));
    space.run(["sign", id]);
}

#[test]
fn a_tool_may_read_itself_and_the_project() {
    let space = with_perl();
    space.write("project/data.txt", "data");
    tool(&space, "t/tries", "", TRIES);
    let report = execute(&space, &["t/tries"]).json();
    assert_eq!(
        report["data"],
        json!({ "own": true, "project": true, "other": false, "write": false, "env": false, "run": false, "net": false, "sys": false }),
        "{report}"
    );
    assert!(!space.path("project/written").exists());
}

#[test]
fn what_it_asks_for_takes_the_place_of_that() {
    let space = with_perl();
    space.write("project/data.txt", "data");
    let config =
        "export const config = { permissions: [\"--allow-net=127.0.0.1\", \"--allow-env=HOME\"] };\n";
    tool(&space, "t/tries", config, TRIES);
    let report = execute(&space, &["t/tries"]).json();
    assert_eq!(
        report["data"],
        json!({ "own": false, "project": false, "other": false, "write": false, "env": true, "run": false, "net": true, "sys": false }),
        "{report}"
    );
}

#[test]
fn a_caller_cannot_ask_for_more() {
    let space = with_perl();
    space.write("project/data.txt", "data");
    tool(&space, "t/tries", "", TRIES);
    let report = execute(&space, &["t/tries", "--params", r#"{"permissions": ["--allow-all"]}"#]).json();
    assert_eq!((&report["data"]["own"], &report["data"]["run"]), (&json!(true), &json!(false)), "{report}");
}

#[test]
fn a_unit_has_its_modules_and_no_code_from_elsewhere() {
    let space = with_perl();
    space.write("project/.ai/tools/unit/deno.json", "{\"imports\": {\"named\": \"./lib/named.ts\"}}");
    space.write("project/.ai/tools/unit/lib/named.ts", "export const name: string = 'named';\n");
    space.write("project/.ai/tools/unit/other.ts", "export default 'other';\n");
    let code = "import { name } from 'named';\nimport other from './other.ts';\nconsole.log(JSON.stringify([name, other]));\n";
    tool(&space, "unit/main", "", code);
    assert_eq!(execute(&space, &["unit/main"]).json()["data"], json!(["named", "other"]));
    for (id, from, flag) in
        [("t/remote", "https://deno.land/x.ts", "--no-remote"), ("t/package", "npm:canonicalize", "--no-npm")]
    {
        tool(&space, id, "", &format!("import x from '{from}';\nconsole.log(x);\n"));
        let output = execute(&space, &[id]).output();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(flag), "it was refused, not tried: {stderr}");
    }
}

#[test]
fn the_user_may_have_it_too() {
    let space = with_perl();
    space.folder("home/.local/bin");
    std::os::unix::fs::symlink(deno_folder().join("deno"), space.path("home/.local/bin/deno")).unwrap();
    tool(&space, "t/hello", "", "const text: string = 'hello';\nconsole.log(text);\n");
    assert_eq!(space.rye(["execute", "t/hello"]).json()["data"], "hello\n");
    space.remove("home/.local/bin/deno");
    let shown = space.rye(["execute", "t/hello"]).show();
    assert!(shown.contains("[INTERPRETER_NOT_FOUND]"), "{shown}");
}
