//! Shell scripts, whose metadata is a comment header.

use insta::assert_snapshot;

use crate::support::show;

#[test]
fn a_comment_header_is_enough() {
    let tool = "#!/bin/sh\n# rye:signed:v1:none\n# version: 1.0.0\n# tool_type: shell\n# executor_id: rye/core/runtimes/bash/bash\n\
        #\n# description: Lists the files that changed.\n# tags: git, files\n# secrets: TOKEN\n\
        # config_schema: {type: object, properties: {since: {type: string}}}\n\ngit diff --name-only \"$1\"\n";
    assert_snapshot!(show("git/changed.sh", tool), @r#"
    {
      "name": "changed",
      "version": "1.0.0",
      "tool_type": "shell",
      "executor_id": "rye/core/runtimes/bash/bash",
      "category": "git",
      "description": "Lists the files that changed.",
      "tags": [
        "git",
        "files"
      ],
      "config_schema": {
        "type": "object",
        "properties": {
          "since": {
            "type": "string"
          }
        }
      },
      "secrets": [
        {
          "name": "TOKEN",
          "env": "TOKEN",
          "required": true
        }
      ]
    }
    "#);
}

#[test]
fn problems_have_their_line() {
    let tool = "# version: 1.0\n# tool_type: shell\n# executor_id: x\n# description: d\n# config_schema: {type: [}\n";
    assert_snapshot!(show("git/changed.sh", tool), @r#"
    {
      "name": "changed",
      "version": "1.0",
      "tool_type": "shell",
      "executor_id": "x",
      "category": "git",
      "description": "d"
    }
    1:12: error: `version` is not a semantic version: `1.0`: unexpected end of input while parsing minor version number
    5:18: error: `config_schema` is not valid YAML: mismatched bracket '[' closed by '}'
    "#);
}

#[test]
fn only_the_start_of_a_file_is_searched() {
    let tool = format!("{}\n# version: 1.0.0\n", "echo x\n".repeat(10_000));
    assert_snapshot!(show("git/changed.sh", tool), @r#"
    {
      "name": "changed",
      "category": "git"
    }
    error: `tool_type` is missing
    error: `executor_id` is missing
    warning: `version` is missing
    warning: `description` is missing
    "#);
}
