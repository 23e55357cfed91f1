//! Every way in which a chain or a plan is refused, as a person sees it.

use insta::assert_snapshot;

use super::{error_code, shell, tool, trusted};
use crate::space::TestSpace;

fn yaml(executor: &str, rest: &str) -> String {
    format!("version: \"1.0.0\"\ntool_type: t\nexecutor_id: {executor}\ndescription: A test\n{rest}\n")
}

fn write(space: &TestSpace, file: &str, text: &str) {
    space.write(&format!("project/.ai/tools/{file}"), text);
}

fn show(space: &TestSpace, id: &str) -> String {
    space.rye(["execute", id]).show()
}

#[test]
fn item_not_found() {
    let space = trusted();
    tool(&space, "t/hello.sh", &shell("echo"));
    assert_snapshot!(show(&space, "t/helo"), @"
    $ rye execute t/helo
    exit code: 3
    --- stderr
    error: cannot find tool `t/helo`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools` [ITEM_NOT_FOUND]
    hint: did you mean `t/hello`, `rye/core/extractors/shell`?
    ");
}

#[test]
fn unsigned() {
    let space = trusted();
    write(&space, "t/a.sh", &shell("echo"));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.sh`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign t/a`
    ");
}

#[test]
fn signature_invalid() {
    let space = trusted();
    tool(&space, "t/a.sh", &shell("echo"));
    let signed = space.read("project/.ai/tools/t/a.sh");
    write(&space, "t/a.sh", &format!("{signed}# more\n"));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.sh`) is refused: it was changed after it was signed by ada on [TIME] [SIGNATURE_INVALID]
    hint: look at `[SPACE]/project/.ai/tools/t/a.sh`, and if that is what shall run, run `rye sign t/a`
    ");
    write(&space, "t/b.sh", &signed);
    assert_snapshot!(show(&space, "t/b"), @"
    $ rye execute t/b
    exit code: 3
    --- stderr
    error: tool:t/b cannot run: tool:t/b (`[SPACE]/project/.ai/tools/t/b.sh`) is refused: the signature does not fit: the signature was changed, or the file was signed under another id [SIGNATURE_INVALID]
    hint: look at `[SPACE]/project/.ai/tools/t/b.sh`, and if that is what shall run, run `rye sign t/b`
    ");
}

#[test]
fn key_untrusted() {
    let space = trusted();
    tool(&space, "t/a.sh", &shell("echo"));
    space.run(["keys", "generate", "--rotate"]);
    let list = space.rye(["keys", "list"]).json();
    let keys: Vec<_> =
        list["keys"].as_array().unwrap().iter().map(|key| key["id"].as_str().unwrap()).collect();
    let signed = space.read("project/.ai/tools/t/a.sh");
    let old = keys.iter().find(|key| signed.contains(**key)).unwrap();
    space.run(["keys", "revoke", old, "--reason", "lost"]);
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.sh`) is refused: the key [KEY] was revoked on [TIME]: lost [KEY_UNTRUSTED]
    hint: look at `[SPACE]/project/.ai/tools/t/a.sh`, and if that is what shall run, run `rye sign t/a`
    ");
}

#[test]
fn project_untrusted() {
    let space = trusted();
    tool(&space, "t/a.sh", &shell("echo"));
    space.run(["trust", "--revoke"]);
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.sh`) is refused: the project `[SPACE]/project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
}

#[test]
fn lock_mismatch() {
    let space = trusted();
    tool(&space, "t/a.sh", &shell("echo 1"));
    space.run(["lock", "t/a"]);
    assert_eq!(super::stdout(&space, &["t/a", "--locked"]), "1\n");
    tool(&space, "t/a.sh", &shell("echo 2"));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a is not what `[SPACE]/project/.ai/locks/t/a@1.0.0.lock.json` says: `t/a`: expected 396cfa5e[…] (project), found 12ce507b[…] (project) [LOCK_MISMATCH]
    hint: if that is what shall run, run `rye lock t/a`
    ");
    tool(&space, "t/b.sh", &shell("echo"));
    assert_snapshot!(space.rye(["execute", "t/b", "--locked"]).show(), @"
    $ rye execute t/b --locked
    exit code: 3
    --- stderr
    error: tool:t/b has no lock file [LOCK_MISMATCH]
    hint: run `rye lock t/b`
    ");
}

#[test]
fn executor_not_found() {
    let space = trusted();
    write(&space, "t/a.yaml", &yaml("rye/core/runtimes/bash/bsh", ""));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.yaml`) is refused: it is not signed; tool:t/a (project) is executed by `rye/core/runtimes/bash/bsh`, which is not in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools` [EXECUTOR_NOT_FOUND]
    hint: did you mean `rye/core/runtimes/bash/bash`, `rye/shell/bash`, `rye/core/runtimes/mcp/http`?
    ");
}

#[test]
fn chain_cycle() {
    let space = trusted();
    for (one, next) in [("a", "b"), ("b", "c"), ("c", "b")] {
        write(&space, &format!("t/{one}.yaml"), &yaml(&format!("t/{next}"), ""));
    }
    let shown = show(&space, "t/a");
    assert!(
        shown.contains("the chain never ends: `t/b` (project) -> `t/c` (project) -> `t/b` (project)"),
        "{shown}"
    );
    assert!(shown.contains("it is not signed"), "all issues are told at once: {shown}");
}

#[test]
fn chain_too_deep() {
    let space = trusted();
    for index in 0..12 {
        write(&space, &format!("t/e{index}.yaml"), &yaml(&format!("t/e{}", index + 1), ""));
    }
    let shown = show(&space, "t/e0");
    assert!(shown.contains("the chain has more than 10 elements: `t/e0` (project) -> `t/e1`"), "{shown}");
}

/// All nine rows: who may be executed by whom.
#[test]
fn space_violation() {
    let space = TestSpace::with_bundle_as_folder();
    let spaces = [("project", "project/.ai"), ("user", "home/.ai"), ("system", "system")];
    for (child, child_folder) in spaces {
        for (parent, parent_folder) in spaces {
            let runtime = format!("r/{child}_{parent}");
            let config = "config: {command: echo, args: [ran]}";
            space.write(
                &format!("{parent_folder}/tools/{runtime}.yaml"),
                yaml("rye/core/primitives/execute", config),
            );
            space.write(&format!("{child_folder}/tools/c/{child}_{parent}.yaml"), yaml(&runtime, ""));
        }
    }
    space.rye(["sign", "--space", "system", "**"]).output();
    space.rye(["sign", "--space", "user", "**"]).output();
    space.rye(["sign", "--space", "project", "**"]).output();
    let rank = |name: &str| spaces.iter().position(|(known, _)| *known == name).unwrap();
    for (child, _) in spaces {
        for (parent, _) in spaces {
            let id = format!("c/{child}_{parent}");
            if rank(child) <= rank(parent) {
                assert_eq!(super::stdout(&space, &[&id]), "ran\n", "{id}");
            } else {
                let shown = show(&space, &id);
                assert!(
                    shown.contains(&format!("is in the {child} space and cannot be executed by")),
                    "{shown}"
                );
            }
        }
    }
}

#[test]
fn primitive_unknown() {
    let space = trusted();
    tool(&space, "t/a.yaml", &yaml("null", ""));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a has no executor, so it has to be a primitive, and there is none of that name: there are `primitives/execute`, `primitives/subprocess`, `primitives/http_client` [PRIMITIVE_UNKNOWN]
    hint: run `rye explain t/a` to see everything that has a say
    ");
}

#[test]
fn version_constraint() {
    let space = trusted();
    let constraint = "config: {command: echo}\nchild_constraints: {a: {min_version: 2.0.0}}";
    tool(&space, "t/runtime.yaml", &yaml("rye/core/primitives/execute", constraint));
    write(&space, "t/a.yaml", &yaml("t/runtime", ""));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.yaml`) is refused: it is not signed; `t/runtime` executes tool:t/a only in version 2.0.0 or later, and it is 1.0.0 [VERSION_CONSTRAINT]
    hint: run `rye explain t/a` to see everything that has a say
    ");
}

#[test]
fn io_mismatch() {
    let space = trusted();
    let inputs = "config: {command: echo}\ninputs: [text, code]";
    tool(&space, "t/runtime.yaml", &yaml("rye/core/primitives/execute", inputs));
    write(&space, "t/a.yaml", &yaml("t/runtime", "outputs: [code]"));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.yaml`) is refused: it is not signed; `t/runtime` needs `text` from tool:t/a, which does not have it among its outputs [IO_MISMATCH]
    hint: run `rye explain t/a` to see everything that has a say
    ");
}

#[test]
fn metadata_invalid() {
    let space = trusted();
    write(
        &space,
        "t/a.yaml",
        "version: one\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescripton: x\n",
    );
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: tool:t/a cannot run: tool:t/a (`[SPACE]/project/.ai/tools/t/a.yaml`) is refused: it is not signed; tool:t/a says something about itself that cannot be: `descripton` is unknown; did you mean `description`? (line 4); `version` is not a semantic version: `one`: unexpected character 'o' while parsing major version number (line 1) [METADATA_INVALID]
    hint: run `rye help tools` to see how a file says what it is
    ");
    write(&space, "t/lib.py", "__version__ = \"1.0.0\"\n__tool_type__ = \"python_lib\"\n");
    assert_snapshot!(show(&space, "t/lib"), @"
    $ rye execute t/lib
    exit code: 3
    --- stderr
    error: tool:t/lib cannot run: tool:t/lib is a library: others import it, and nothing executes it; tool:t/lib (`[SPACE]/project/.ai/tools/t/lib.py`) is refused: it is not signed [METADATA_INVALID]
    hint: execute a tool that imports it
    ");
}

#[test]
fn interpreter_not_found() {
    let space = trusted();
    let config = "env_config:\n  interpreter: {type: system_binary, binary: no-such-program, var: X}\nconfig: {command: \"${X}\"}";
    tool(&space, "t/a.yaml", &yaml("rye/core/primitives/execute", config));
    let shown = space.rye(["execute", "t/a"]).set("PATH", "/usr/bin:/bin").show();
    assert_snapshot!(shown, @"
    $ PATH=/usr/bin:/bin rye execute t/a
    exit code: 3
    --- stderr
    error: cannot run tool:t/a: cannot make the environment of the run: cannot find `interpreter` of `t/a`, for the variable `X`: it is in none of these places:
      `/usr/bin/no-such-program`: missing
      `/bin/no-such-program`: missing [INTERPRETER_NOT_FOUND]
    hint: run `rye explain t/a` to see everything that has a say
    ");
}

#[test]
fn template_invalid() {
    let space = trusted();
    let config = "config: {args: [x]}";
    tool(&space, "t/a.yaml", &yaml("rye/core/primitives/execute", config));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: cannot run tool:t/a: the chain's configuration has no `command` [TEMPLATE_INVALID]
    hint: run `rye explain t/a` to see everything that has a say
    ");
    let config = "config: {command: echo, args: [\"{word}\"]}\nconfig_schema: {type: object, properties: {word: {type: string}}}";
    tool(&space, "t/b.yaml", &yaml("rye/core/primitives/execute", config));
    assert_snapshot!(show(&space, "t/b"), @"
    $ rye execute t/b
    exit code: 3
    --- stderr
    error: cannot run tool:t/b: `{word}` is used in the configuration, and there is no value for it [TEMPLATE_INVALID]
    hint: run `rye explain t/b` to see everything that has a say
    ");
}

#[test]
fn spawn_failed() {
    let space = trusted();
    tool(&space, "t/a.yaml", &yaml("rye/core/primitives/execute", "config: {command: /no/such/program}"));
    assert_snapshot!(show(&space, "t/a"), @"
    $ rye execute t/a
    exit code: 3
    --- stderr
    error: cannot run `/no/such/program`: no such program in `/no/such/program` [SPAWN_FAILED]
    hint: run `rye doctor` to see which interpreters are there
    ");
    assert_eq!(error_code(&space, &["t/a"]), "SPAWN_FAILED");
}
