//! What exactly would run, and what would stop it.

use insta::assert_snapshot;

use super::{shell, tool, trusted};

#[test]
fn a_tool_that_would_run() {
    let space = trusted();
    tool(&space, "t/hello.sh", &shell("echo hello"));
    assert_snapshot!(space.rye(["explain", "t/hello"]).show(), @"
    $ rye explain t/hello
    exit code: 0
    --- stdout
    chain
      t/hello 1.0.0 (project) bb0f780b1cc1, signed by ada (key [KEY]) on [TIME]
      └ rye/core/runtimes/bash/bash 1.0.0 (system) e8028d81d973, signed by part of the program
        └ rye/core/primitives/execute 1.0.0 (system) c76efc5d1561, signed by part of the program
    environment
      PATH=/usr/bin:/bin (env of rye/core/runtimes/bash/bash)
    files
      [SPACE]/cache/rye/snapshots/[DIGEST]/files
    command
      cd [SPACE]/project && printf %s '{}' | env PATH=/usr/bin:/bin /bin/bash [SPACE]/cache/rye/snapshots/[DIGEST]/files/hello.sh [SPACE]/project
      at most 300 s
    ");
}

#[test]
fn a_tool_that_would_not() {
    let space = trusted();
    space.write("project/.ai/tools/t/hello.sh", shell("echo hello").replace("bash/bash", "bash/bsh"));
    assert_snapshot!(space.rye(["explain", "t/hello"]).show(), @"
    $ rye explain t/hello
    exit code: 3
    --- stdout
    chain
      t/hello 1.0.0 (project) ca2321ef8175, it is not signed
    what stops it
      tool:t/hello (`[SPACE]/project/.ai/tools/t/hello.sh`) is refused: it is not signed [UNSIGNED]
      tool:t/hello (project) is executed by `rye/core/runtimes/bash/bsh`, which is not in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools` [EXECUTOR_NOT_FOUND]
      hint: run `rye sign t/hello`
      hint: did you mean `rye/core/runtimes/bash/bash`, `rye/shell/bash`, `rye/core/runtimes/mcp/http`?
    ");
}

#[test]
fn what_is_hidden_is_told() {
    let space = trusted();
    tool(
        &space,
        "rye/core/runtimes/bash/bash.yaml",
        "version: \"9.0.0\"\ntool_type: runtime\n\
        executor_id: rye/core/primitives/execute\ndescription: Mine\nconfig: {command: echo, args: [mine]}\n",
    );
    tool(&space, "t/hello.sh", &shell("echo hello"));
    let explained = space.rye(["explain", "t/hello"]).json();
    assert_eq!(explained["chain"][1]["space"], "project");
    assert_eq!(explained["chain"][1]["shadows"], serde_json::json!(["system"]));
    assert_eq!(explained["stops"], serde_json::json!([]));
}

#[test]
fn the_command_line_can_be_copied() {
    let space = trusted();
    tool(
        &space,
        "t/quote.yaml",
        "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\n\
        description: A test\nconfig: {command: printf, args: ['%s|', \"it's\", '$HOME `x`', '{word}'], env: {A: \"b c\"}}\n\
        config_schema: {type: object, properties: {word: {type: string}}}\n",
    );
    let plan = space.rye(["execute", "t/quote", "--word", "a\"b", "--dry-run"]).json();
    let line = plan["process"]["command_line"].as_str().unwrap().to_owned();
    let printed = space.shell(&line);
    assert_eq!(printed, "it's|$HOME `x`|a\"b|");
}
