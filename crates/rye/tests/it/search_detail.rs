//! How much is told of each result, for people and for programs.

use insta::assert_snapshot;

use crate::library::library;

#[test]
fn names() {
    let space = library();
    let args = ["search", "lines", "--sort", "id", "--detail", "names"];
    assert_snapshot!(space.rye(args).show(), @"
    $ rye search lines --sort id --detail names
    exit code: 0
    --- stdout
    text/cat
    text/sort
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(args.into_iter().chain(["--json"])).show(), @r#"
    $ rye search lines --sort id --detail names --json
    exit code: 0
    --- stdout
    {
      "total": 2,
      "hits": [
        {
          "kind": "tool",
          "id": "text/cat",
          "space": "project"
        },
        {
          "kind": "tool",
          "id": "text/sort",
          "space": "project"
        }
      ],
      "notes": [
        "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      ]
    }
    "#);
}

#[test]
fn summary() {
    let space = library();
    let args = ["search", "fetches", "--detail", "summary"];
    assert_snapshot!(space.rye(args).show(), @"
    $ rye search fetches --detail summary
    exit code: 0
    --- stdout
    tool  net/fetch  user  1.0.0  Fetches a page of the web  unsigned
    1 to 1 of 1
    ");
    assert_snapshot!(space.rye(args.into_iter().chain(["--json"])).show(), @r#"
    $ rye search fetches --detail summary --json
    exit code: 0
    --- stdout
    {
      "query": "fetches",
      "total": 1,
      "hits": [
        {
          "kind": "tool",
          "id": "net/fetch",
          "space": "user",
          "name": "fetch",
          "description": "Fetches a page of the web",
          "category": "net",
          "version": "1.0.0",
          "executor": "http_client",
          "tags": [
            "web"
          ],
          "signer": {
            "state": "nobody"
          },
          "shadows": [],
          "shadowed_by": null,
          "score": [SCORE],
          "misspelt": false
        }
      ],
      "searched": [
        {
          "space": "project",
          "kind": "tool",
          "count": 3
        },
        {
          "space": "project",
          "kind": "directive",
          "count": 1
        },
        {
          "space": "project",
          "kind": "knowledge",
          "count": 1
        },
        {
          "space": "user",
          "kind": "tool",
          "count": 2
        },
        {
          "space": "system",
          "kind": "tool",
          "count": 5
        }
      ]
    }
    "#);
}

#[test]
fn full() {
    let space = library();
    let args = ["search", "git", "--space", "project", "--kind", "tool", "--detail", "full"];
    assert_snapshot!(space.rye(args).show(), @r#"
    $ rye search git --space project --kind tool --detail full
    exit code: 0
    --- stdout
    tool  vcs/git  project  1.2.0  Runs git in the project.  unsigned, shadows user

    vcs/git
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
    1 to 1 of 1
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    "#);
    assert_snapshot!(space.rye(args.into_iter().chain(["--json"])).show(), @r#"
    $ rye search git --space project --kind tool --detail full --json
    exit code: 0
    --- stdout
    {
      "query": "git",
      "total": 1,
      "hits": [
        {
          "kind": "tool",
          "id": "vcs/git",
          "space": "project",
          "name": "git",
          "description": "Runs git in the project.",
          "category": "vcs",
          "version": "1.2.0",
          "executor": "python_runtime",
          "tags": [
            "git",
            "commit"
          ],
          "signer": {
            "state": "nobody"
          },
          "shadows": [
            "user"
          ],
          "shadowed_by": null,
          "score": [SCORE],
          "misspelt": false,
          "schema": {
            "type": "object",
            "properties": {
              "command": {
                "type": "string"
              }
            },
            "required": [
              "command"
            ]
          },
          "annotations": null
        }
      ],
      "searched": [
        {
          "space": "project",
          "kind": "tool",
          "count": 3
        }
      ],
      "notes": [
        "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      ]
    }
    "#);
}

#[test]
fn all_kinds_are_shown_alike() {
    assert_snapshot!(library().rye(["search", "commit", "--sort", "id"]).show(), @"
    $ rye search commit --sort id
    exit code: 0
    --- stdout
    directive  review         project  0.1.0  Review a commit with care         unsigned
    knowledge  style/commits  project         What a good commit message says.  unsigned
    tool       vcs/git        project  1.2.0  Runs git in the project.          unsigned, shadows user
    tool       vcs/git        user     0.9.0  Runs git for the user.            unsigned, shadowed by project
    1 to 4 of 4
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
}

#[test]
fn a_broken_item_is_shown_with_its_problem_and_hides_no_other() {
    let space = library();
    space.write("project/.ai/tools/text/broken.yaml", "tool_type: [\n");
    space.write("project/.ai/tools/text/typo.yaml", "tool_type: http\nexecuter_id: http_client\n");
    space.write("project/.ai/tools/text/broken2.py", "__version__ = \n");
    assert_snapshot!(space.rye(["search", "--category", "text", "--sort", "id"]).show(), @"
    $ rye search --category text --sort id
    exit code: 0
    --- stdout
    tool  text/broken   project          error: `file` cannot be read: not valid YAML at 1:12: unclosed bracket '['      unsigned
    tool  text/broken2  project          error: `file` cannot be read: not valid Python at 1:15: Expected an expression  unsigned
    tool  text/cat      project  2.0.0   Prints the lines of a text                                                      unsigned
    tool  text/sort     project  1.10.0  Sorts the lines of a text                                                       unsigned
    tool  text/typo     project          2:1: error: `executer_id` is unknown; did you mean `executor_id`?               unsigned
    1 to 5 of 5
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(["search", "id:text/broken", "--json"]).show(), @r#"
    $ rye search id:text/broken --json
    exit code: 0
    --- stdout
    {
      "query": "id:text/broken",
      "total": 1,
      "hits": [
        {
          "kind": "tool",
          "id": "text/broken",
          "space": "project",
          "name": "broken",
          "description": null,
          "category": "text",
          "version": null,
          "executor": null,
          "tags": [],
          "signer": {
            "state": "nobody"
          },
          "problem": "error: `file` cannot be read: not valid YAML at 1:12: unclosed bracket '['",
          "shadows": [],
          "shadowed_by": null,
          "score": [SCORE],
          "misspelt": false
        }
      ],
      "searched": [
        {
          "space": "project",
          "kind": "tool",
          "count": 6
        },
        {
          "space": "project",
          "kind": "directive",
          "count": 1
        },
        {
          "space": "project",
          "kind": "knowledge",
          "count": 1
        },
        {
          "space": "user",
          "kind": "tool",
          "count": 2
        },
        {
          "space": "system",
          "kind": "tool",
          "count": 5
        }
      ],
      "notes": [
        "the project `[SPACE]/project` is not trusted: nobody has decided to trust it"
      ]
    }
    "#);
    assert_eq!(space.found(["lines"]), ["text/cat", "text/sort"]);
    assert_eq!(space.found(["broken"]).len(), 2);
}

#[test]
fn a_file_that_is_no_tool_is_passed_over() {
    let space = library();
    space.write("project/.ai/tools/text/__init__.py", "");
    space.write("project/.ai/tools/text/package.json", r#"{"dependencies": {}}"#);
    space.write("project/.ai/tools/text/README.md", "# Lines and more lines\n");
    space.write("project/.ai/tools/text/notes.txt", "lines\n");
    space.write("project/.ai/tools/text/node_modules/x/lines.sh", crate::library::shell("1.0.0", "lines"));
    for _ in 0..2 {
        assert_eq!(space.found(["--category", "text"]), ["text/cat", "text/sort"]);
        assert_eq!(space.found(["lines"]), ["text/cat", "text/sort"]);
    }
}
