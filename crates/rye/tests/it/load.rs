//! What `rye load` shows of an item.

use insta::assert_snapshot;

use crate::library::{library, yaml};

#[test]
fn a_tool() {
    let space = library();
    assert_snapshot!(space.rye(["load", "text/cat"]).show(), @"
    $ rye load text/cat
    exit code: 0
    --- stdout
    tool         text/cat
    space        project
    path         [SPACE]/project/.ai/tools/text/cat.sh
    digest       8455c530[…]
    refused      the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    version      2.0.0
    type         script
    category     text
    description  Prints the lines of a text
    executor     bash_runtime

    #!/bin/bash
    # tool_type: script
    # executor_id: bash_runtime
    # version: 2.0.0
    # description: Prints the lines of a text
    cat done
    ");
    assert_snapshot!(space.rye(["load", "vcs/git", "--json"]).show(), @r#"
    $ rye load vcs/git --json
    exit code: 0
    --- stdout
    {
      "kind": "tool",
      "id": "vcs/git",
      "space": "project",
      "path": "[SPACE]/project/.ai/tools/vcs/git.py",
      "digest": "f8012051[…]",
      "signer": {
        "state": "refused",
        "code": "PROJECT_UNTRUSTED",
        "reason": "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      },
      "metadata": {
        "name": "git",
        "version": "1.2.0",
        "tool_type": "python",
        "executor_id": "python_runtime",
        "category": "vcs",
        "description": "Runs git in the project.",
        "doc": "Runs git in the project.\n\nEvery command of git is allowed, and its output is returned as text.",
        "tags": [
          "git",
          "commit"
        ],
        "config_schema": {
          "type": "object",
          "properties": {
            "command": {
              "type": "string"
            }
          },
          "required": [
            "command"
          ]
        }
      },
      "problems": [],
      "shadows": [
        {
          "space": "user",
          "path": "[SPACE]/home/.ai/tools/vcs/git.py"
        }
      ],
      "shadowed_by": null,
      "content": "\"\"\"Runs git in the project.\n\nEvery command of git is allowed, and its output is returned as text.\"\"\"\n__version__ = \"1.2.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python_runtime\"\n__category__ = \"vcs\"\n__tags__ = [\"git\", \"commit\"]\n\nCONFIG_SCHEMA = {\n    \"type\": \"object\",\n    \"properties\": {\"command\": {\"type\": \"string\"}},\n    \"required\": [\"command\"],\n}\n"
    }
    "#);
}

#[test]
fn parts_of_it() {
    let space = library();
    assert_snapshot!(space.rye(["load", "vcs/git", "--part", "schema"]).show(), @r#"
    $ rye load vcs/git --part schema
    exit code: 0
    --- stdout
    {
      "type": "object",
      "properties": {
        "command": {
          "type": "string"
        }
      },
      "required": [
        "command"
      ]
    }
    "#);
    assert_snapshot!(space.rye(["load", "vcs/git", "--part", "doc"]).show(), @"
    $ rye load vcs/git --part doc
    exit code: 0
    --- stdout
    Runs git in the project.

    Every command of git is allowed, and its output is returned as text.
    ");
    assert_snapshot!(space.rye(["load", "text/cat", "--part", "source"]).show(), @"
    $ rye load text/cat --part source
    exit code: 0
    --- stdout
    #!/bin/bash
    # tool_type: script
    # executor_id: bash_runtime
    # version: 2.0.0
    # description: Prints the lines of a text
    cat done
    ");
    assert_snapshot!(space.rye(["load", "text/cat", "--part", "metadata"]).show(), @r#"
    $ rye load text/cat --part metadata
    exit code: 0
    --- stdout
    {
      "name": "cat",
      "version": "2.0.0",
      "tool_type": "script",
      "executor_id": "bash_runtime",
      "category": "text",
      "description": "Prints the lines of a text"
    }
    "#);
    assert_snapshot!(space.rye(["load", "text/cat", "--part", "doc"]).show(), @"
    $ rye load text/cat --part doc
    exit code: 0
    --- stdout
    Prints the lines of a text
    ");
}

#[test]
fn a_part_that_is_not_there() {
    let space = library();
    assert_snapshot!(space.rye(["load", "text/cat", "--part", "schema"]).show(), @"
    $ rye load text/cat --part schema
    exit code: 3
    --- stderr
    error: tool `text/cat` has no schema [ITEM_NOT_FOUND]
    hint: run `rye load text/cat` to see what it has
    ");
    assert_snapshot!(space.rye(["load", "text/cat", "--part", "schema", "--json"]).show(), @r#"
    $ rye load text/cat --part schema --json
    exit code: 3
    --- stderr
    {
      "error": {
        "code": "ITEM_NOT_FOUND",
        "message": "tool `text/cat` has no schema",
        "hint": "run `rye load text/cat` to see what it has"
      }
    }
    "#);
    space.write("project/.ai/tools/bare.yaml", "tool_type: http\nexecutor_id: http_client\n");
    assert_snapshot!(space.rye(["load", "bare", "--part", "doc"]).show(), @"
    $ rye load bare --part doc
    exit code: 3
    --- stderr
    error: tool `bare` has no documentation [ITEM_NOT_FOUND]
    hint: run `rye load bare` to see what it has
    ");
}

#[test]
fn the_source_is_given_byte_by_byte() {
    let space = library();
    let bytes = b"# tool_type: x\r\n\xff\x00 no newline";
    space.write("project/.ai/tools/odd.sh", bytes);
    assert_eq!(space.rye(["load", "odd", "--part", "source"]).output().stdout, bytes);
}

#[test]
fn a_directive() {
    assert_snapshot!(library().rye(["load", "review", "--kind", "directive"]).show(), @r#"
    $ rye load review --kind directive
    exit code: 0
    --- stdout
    directive    review
    space        project
    path         [SPACE]/project/.ai/directives/review.md
    digest       7375d707[…]
    refused      the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    version      0.1.0
    description  Review a commit with care

    ---
    version: "0.1.0"
    description: Review a commit with care
    tags: [git]
    ---
    # Review

    Look at {input:commit}.
    "#);
}

#[test]
fn knowledge() {
    assert_snapshot!(library().rye(["load", "style/commits", "--kind", "knowledge", "--json"]).show(), @r##"
    $ rye load style/commits --kind knowledge --json
    exit code: 0
    --- stdout
    {
      "kind": "knowledge",
      "id": "style/commits",
      "space": "project",
      "path": "[SPACE]/project/.ai/knowledge/style/commits.md",
      "digest": "d0e57d35[…]",
      "signer": {
        "state": "refused",
        "code": "PROJECT_UNTRUSTED",
        "reason": "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      },
      "metadata": {
        "name": "commits",
        "title": "Commits",
        "category": "style",
        "description": "What a good commit message says.",
        "doc": "# Commits\n\nWhat a good commit message says."
      },
      "problems": [],
      "shadows": [],
      "shadowed_by": null,
      "content": "# Commits\n\nWhat a good commit message says.\n"
    }
    "##);
}

#[test]
fn a_bare_name_finds_an_item_anywhere_in_a_space() {
    let space = library();
    assert_eq!(space.rye(["load", "fetch"]).json()["id"], "net/fetch");
    assert_eq!(space.rye(["load", "git"]).json()["space"], "project");
    assert_eq!(space.rye(["load", "commits", "--kind", "knowledge"]).json()["id"], "style/commits");
    // Taken as a path it is another item, which then wins.
    space.write("project/.ai/tools/fetch.yaml", yaml("Another"));
    assert_eq!(space.rye(["load", "fetch"]).json()["id"], "fetch");
}

#[test]
fn an_item_of_the_user_space() {
    let space = library();
    assert_snapshot!(space.rye(["load", "net/fetch"]).show(), @r#"
    $ rye load net/fetch
    exit code: 0
    --- stdout
    tool         net/fetch
    space        user
    path         [SPACE]/home/.ai/tools/net/fetch.yaml
    digest       25ffc37c[…]
    refused      it is not signed
    version      1.0.0
    type         http
    category     net
    description  Fetches a page of the web
    executor     http_client

    version: "1.0.0"
    tool_type: http
    executor_id: http_client
    description: "Fetches a page of the web"
    tags: [web]
    "#);
    assert_snapshot!(space.rye(["load", "net/fetch", "--from", "project"]).show(), @"
    $ rye load net/fetch --from project
    exit code: 3
    --- stderr
    error: cannot find tool `net/fetch`: there is none in `[SPACE]/project/.ai/tools` [ITEM_NOT_FOUND]
    hint: another space has it: name that one, or none
    ");
    assert_snapshot!(space.rye(["load", "net/fetch"]).within("elsewhere").show(), @r#"
    $ rye load net/fetch
    exit code: 0
    --- stdout
    tool         net/fetch
    space        user
    path         [SPACE]/home/.ai/tools/net/fetch.yaml
    digest       25ffc37c[…]
    refused      it is not signed
    version      1.0.0
    type         http
    category     net
    description  Fetches a page of the web
    executor     http_client

    version: "1.0.0"
    tool_type: http
    executor_id: http_client
    description: "Fetches a page of the web"
    tags: [web]
    "#);
}

#[test]
fn problems_are_shown_all_at_once() {
    let space = library();
    space.write(
        "project/.ai/tools/net/bad.yaml",
        "version: one\nexecuter_id: http_client\ncategory: elsewhere\nanchor: {mode: never}\n",
    );
    assert_snapshot!(space.rye(["load", "net/bad"]).show(), @"
    $ rye load net/bad
    exit code: 0
    --- stdout
    tool      net/bad
    space     project
    path      [SPACE]/project/.ai/tools/net/bad.yaml
    digest    ae3da478[…]
    refused   the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    version   one
    category  elsewhere
    error: `executer_id` is unknown; did you mean `executor_id`? (line 2, column 1)
    error: `version` is not a semantic version: `one`: unexpected character 'o' while parsing major version number (line 1, column 10)
    warning: `category` `elsewhere` is not the end of the item's folder `net` (line 3, column 11)
    error: `anchor.mode` has an unknown value `never`; known: auto, always (line 4, column 16)
    error: `tool_type` is missing
    error: `executor_id` is missing
    warning: `description` is missing

    version: one
    executer_id: http_client
    category: elsewhere
    anchor: {mode: never}
    ");
    let problems = space.rye(["load", "net/bad"]).json()["problems"].clone();
    assert_snapshot!(serde_json::to_string_pretty(&problems[0]).unwrap(), @r#"
    {
      "severity": "error",
      "field": "executer_id",
      "message": "is unknown; did you mean `executor_id`?",
      "position": {
        "line": 2,
        "column": 1
      }
    }
    "#);
}

#[test]
fn content_that_is_no_text_is_encoded() {
    let space = library();
    space.write("project/.ai/tools/binary.py", b"\xff\xfe\x00");
    assert_snapshot!(space.rye(["load", "binary", "--json"]).show(), @r#"
    $ rye load binary --json
    exit code: 0
    --- stdout
    {
      "kind": "tool",
      "id": "binary",
      "space": "project",
      "path": "[SPACE]/project/.ai/tools/binary.py",
      "digest": "ba778c02[…]",
      "signer": {
        "state": "refused",
        "code": "PROJECT_UNTRUSTED",
        "reason": "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      },
      "metadata": {},
      "problems": [
        {
          "severity": "error",
          "field": "file",
          "message": "cannot be read: invalid UTF-8 at 1:1",
          "position": {
            "line": 1,
            "column": 1
          }
        }
      ],
      "shadows": [],
      "shadowed_by": null,
      "content_base64": "//4A"
    }
    "#);
}

#[test]
fn a_claimed_signature_is_not_taken_for_a_checked_one() {
    let space = library();
    let line = "# rye:signed:v1:2026-01-01T00:00:00Z:aa:bb:0123456789abcdef0123456789abcdef\n";
    space.write("home/.ai/tools/net/signed.yaml", format!("{line}{}", yaml("Signed")));
    let loaded = space.rye(["load", "net/signed"]).json();
    assert_eq!(loaded["signer"]["code"], "SIGNATURE_INVALID");
}
