//! The first minutes: `rye init`, `rye new`, and errors that lead on.

use std::process::Stdio;

use insta::assert_snapshot;

use crate::space::{RYE, TestSpace};

/// A folder that nothing was done in yet.
fn empty() -> TestSpace {
    TestSpace::with_bundle()
}

/// What a person sees who types what was printed under `next:`, command by command.
fn follow(space: &TestSpace, printed: &str) -> Vec<String> {
    let (_, next) = printed.split_once("\nnext:\n").unwrap();
    let commands = next.lines().map_while(|line| line.strip_prefix("  "));
    commands.map(|command| typed(space, "project", command)).collect()
}

/// What a person sees who types a command.
fn typed(space: &TestSpace, folder: &str, command: &str) -> String {
    let words: Vec<_> = command.split(' ').skip(1).map(str::to_owned).collect();
    let output = space.rye(words).within(folder).output();
    assert_eq!(output.status.code(), Some(0), "{command}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_folder_is_prepared_once() {
    let space = empty();
    assert_snapshot!(space.rye(["init", "--owner", "ada"]).within("elsewhere").show(), @"
    $ rye init --owner ada
    exit code: 0
    --- stdout
    key     made   [KEY] in [SPACE]/home/.ai/keys/signing.pem
    folder  made   [SPACE]/elsewhere/.ai
    trust   given  [SPACE]/elsewhere

    next:
      rye new tool demo/greet --lang bash
      rye help start
    ");
    assert_snapshot!(space.rye(["init"]).within("elsewhere").show(), @"
    $ rye init
    exit code: 0
    --- stdout
    key     there
    folder  there  [SPACE]/elsewhere/.ai
    trust   there  [SPACE]/elsewhere

    next:
      rye new tool demo/greet --lang bash
      rye help start
    ");
    assert_snapshot!(space.rye(["init", "--project", "new/one", "--json"]).within("elsewhere").show(), @r#"
    $ rye init --project new/one --json
    exit code: 0
    --- stdout
    {
      "project": "[SPACE]/elsewhere/new/one",
      "made": [
        "[SPACE]/elsewhere/new/one/.ai",
        "[SPACE]/elsewhere/new/one/.ai/tools",
        "[SPACE]/elsewhere/new/one/.ai/directives",
        "[SPACE]/elsewhere/new/one/.ai/knowledge"
      ],
      "key": null,
      "trusted": true,
      "next": [
        "rye new tool demo/greet --lang bash --project [SPACE]/elsewhere/new/one",
        "rye help start"
      ]
    }
    "#);
    for kind in ["tools", "directives", "knowledge"] {
        assert!(space.path(format!("elsewhere/new/one/.ai/{kind}")).is_dir());
    }
}

#[test]
fn what_was_printed_leads_to_a_tool_that_runs() {
    let space = empty();
    let printed = typed(&space, "project", "rye init --owner ada");
    let made = follow(&space, &printed);
    let answers = follow(&space, &made[0]);
    assert_eq!(answers[0], "Hello World\n");
    assert!(answers[1].ends_with("2 passed, 0 failed, 0 skipped\n"), "{}", answers[1]);
}

#[test]
fn a_folder_that_brings_something_is_shown_first() {
    let space = empty();
    space.write("project/.env", "TOKEN=1\n");
    assert_snapshot!(space.rye(["init", "--owner", "ada"]).show(), @"
    $ rye init --owner ada
    exit code: 3
    --- stdout
    key     made       [KEY] in [SPACE]/home/.ai/keys/signing.pem
    folder  made       [SPACE]/project/.ai
    trust   not given  the folder brings keys, interpreters or variables: look at them first
    --- stderr
    error: nothing was decided, because there is no terminal to ask at [CONFIRMATION_NEEDED]
    hint: if you trust it, run `rye trust [SPACE]/project --yes`
    ");
    let shown = space.on_terminal("init", "y\n");
    assert!(shown.contains("variables") && shown.contains("TOKEN") && shown.contains("given"), "{shown}");
    assert_eq!(space.rye(["trust", "--show"]).json()["trusted"], true);
}

#[test]
fn places_that_are_no_projects_are_refused() {
    let space = empty();
    assert_snapshot!(space.rye(["init"]).within("home").show(), @"
    $ rye init
    exit code: 3
    --- stderr
    error: `[SPACE]/home/.ai` is your user space, and no project [SPACE_UNUSABLE]
    hint: run `rye init` in the folder of a project
    ");
    std::fs::remove_dir(space.path("project/.ai")).unwrap();
    std::os::unix::fs::symlink(space.path("elsewhere"), space.path("project/.ai")).unwrap();
    assert_snapshot!(space.rye(["init"]).show(), @"
    $ rye init
    exit code: 3
    --- stderr
    error: cannot use the project space at `[SPACE]/project/.ai`: a project's `.ai` must be a folder, not a symbolic link [SPACE_UNUSABLE]
    hint: run `rm [SPACE]/project/.ai`, then `rye init`; what it leads to stays
    ");
    assert_eq!(std::fs::read_dir(space.path("elsewhere")).unwrap().count(), 0);
    space.write("elsewhere/file", "");
    assert_snapshot!(space.rye(["init", "--project", "file"]).within("elsewhere").show(), @"
    $ rye init --project file
    exit code: 3
    --- stderr
    error: cannot write `[SPACE]/elsewhere/file/.ai`: Not a directory (os error 20) [IO]
    hint: name another place, or run `ls -la [SPACE]/elsewhere/file` to see what is there
    ");
}

#[test]
fn a_client_is_told() {
    let space = empty();
    space.run(["init", "--mcp", "claude-code"]);
    assert!(space.read("project/.mcp.json").contains("\"serve\""));
    assert_eq!(space.rye(["init", "--mcp", "netscape"]).output().status.code(), Some(2));
}

#[test]
fn every_template_makes_something_that_runs() {
    let space = TestSpace::with_key();
    let templates = space.rye(["new", "--list"]).json();
    let templates = templates["templates"].as_array().unwrap();
    assert!(templates.len() >= 7, "{templates:?}");
    for (number, template) in templates.iter().enumerate() {
        let (kind, lang) = (template["kind"].as_str().unwrap(), template["lang"].as_str().unwrap());
        let made = typed(&space, "project", &format!("rye new {kind} demo/my-{kind}.{number} --lang {lang}"));
        assert!(made.contains("made and signed"), "{made}");
        for answer in follow(&space, &made) {
            assert!(!answer.contains("<<"), "{kind} {lang}: {answer}");
        }
    }
    assert_snapshot!(space.rye(["verify", "--all"]).show().lines().last().unwrap(), @"10 would run, 0 would not");
    let report = space.rye(["test", "--all"]).json();
    assert_eq!((report["failed"].as_u64(), report["skipped"].as_u64()), (Some(0), Some(0)), "{report:#}");
}

#[test]
fn what_nothing_can_execute_is_made_and_not_signed() {
    let space = TestSpace::with_key();
    let template = "---\ndescription: Ours\nversion: \"1.0.0\"\n---\n# Ours\n\n```yaml file=.ai/tools/<<id>>.yaml\n\
        version: \"1.0.0\"\ntool_type: ours\nexecutor_id: our/runtime\ndescription: Ours\n```\n\
        ```sh run\nrye execute <<id>>\n```\n";
    space.write("project/.ai/knowledge/rye/templates/tool/ours.md", template);
    space.run(["sign", "rye/templates/tool/ours", "--kind", "knowledge"]);
    assert_snapshot!(space.rye(["new", "tool", "demo/our", "--lang", "ours"]).show(), @"
    $ rye new tool demo/our --lang ours
    exit code: 0
    --- stdout
    made  tool:demo/our  [SPACE]/project/.ai/tools/demo/our.yaml
    not signed: tool:demo/our (project) is executed by `our/runtime`, which is not in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools`

    next:
      rye sign demo/our
      rye execute demo/our
    ");
}

#[test]
fn what_is_made_is_told() {
    let space = TestSpace::with_key();
    assert_snapshot!(space.rye(["new", "tool", "demo/greet", "--lang", "python"]).show(), @"
    $ rye new tool demo/greet --lang python
    exit code: 0
    --- stdout
    made and signed  tool:demo/greet  [SPACE]/project/.ai/tools/demo/greet.py

    next:
      rye execute demo/greet --name World
      rye test demo/greet
    ");
    assert_snapshot!(space.rye(["new", "runtime", "lang/perl", "--json"]).show(), @r#"
    $ rye new runtime lang/perl --json
    exit code: 0
    --- stdout
    {
      "items": [
        {
          "kind": "tool",
          "id": "rye/core/extractors/pl",
          "path": "[SPACE]/project/.ai/tools/rye/core/extractors/pl.yaml"
        },
        {
          "kind": "tool",
          "id": "lang/perl",
          "path": "[SPACE]/project/.ai/tools/lang/perl.yaml"
        },
        {
          "kind": "tool",
          "id": "lang/perl_hello",
          "path": "[SPACE]/project/.ai/tools/lang/perl_hello.pl"
        }
      ],
      "signed": true,
      "reason": null,
      "next": [
        "rye execute lang/perl_hello --name World",
        "rye test lang/perl lang/perl_hello"
      ]
    }
    "#);
    assert_snapshot!(space.rye(["new", "knowledge", "notes", "--space", "user", "--no-sign"]).show(), @"
    $ rye new knowledge notes --space user --no-sign
    exit code: 0
    --- stdout
    made  knowledge:notes  [SPACE]/home/.ai/knowledge/notes.md

    next:
      rye sign notes --kind knowledge --space user
      rye execute --kind knowledge notes
    ");
    assert_snapshot!(space.rye(["new", "--list"]).show(), @"
    $ rye new --list
    exit code: 0
    --- stdout
    tool       bash      A shell script that gets its parameters as variables           system
    tool       node      A module that Node.js runs, with parameters on standard input  system
    tool       python    A function that gets its parameters as a dictionary            system
    tool       ruby      A file that ruby runs, with parameters on standard input       system
    runtime    perl      Another language in three files, to be changed for yours       system
    directive  markdown  Instructions with places for inputs                            system
    knowledge  markdown  A text to be found and read                                    system
    graph      yaml      Two steps, one after the other, and an answer made of both     system
    ");
}

#[test]
fn without_a_key_what_is_made_says_how_to_go_on() {
    let space = empty();
    let call = space.rye(["new", "tool", "demo/greet", "--lang", "bash"]);
    assert_snapshot!(call.show(), @"
    $ rye new tool demo/greet --lang bash
    exit code: 0
    --- stdout
    made  tool:demo/greet  [SPACE]/project/.ai/tools/demo/greet.sh
    not signed: you have no key yet

    next:
      rye init
      rye sign demo/greet
      rye execute demo/greet --name World
      rye test demo/greet
    ");
    space.remove("project/.ai/tools/demo/greet.sh");
    let made = typed(&space, "project", "rye new tool demo/greet --lang bash");
    assert_eq!(follow(&space, &made)[2], "Hello World\n");
}

#[test]
fn nothing_is_replaced_and_nothing_is_guessed() {
    let space = TestSpace::with_key();
    space.run(["new", "tool", "demo/greet", "--lang", "bash"]);
    let before = space.read("project/.ai/tools/demo/greet.sh");
    assert_snapshot!(space.rye(["new", "tool", "demo/greet", "--lang", "bash"]).show(), @"
    $ rye new tool demo/greet --lang bash
    exit code: 3
    --- stderr
    error: `[SPACE]/project/.ai/tools/demo/greet.sh` has that id already [ALREADY_EXISTS]
    hint: remove that file, or give it another name
    ");
    assert_snapshot!(space.rye(["new", "tool", "demo/greet", "--lang", "python"]).show(), @"
    $ rye new tool demo/greet --lang python
    exit code: 3
    --- stderr
    error: `[SPACE]/project/.ai/tools/demo/greet.sh` has that id already [ALREADY_EXISTS]
    hint: remove that file, or give it another name
    ");
    assert_eq!(space.read("project/.ai/tools/demo/greet.sh"), before);
    space.run(["new", "runtime", "lang/one"]);
    // One of its files is there, so that none of them is made.
    assert_snapshot!(space.rye(["new", "runtime", "lang/two"]).show(), @"
    $ rye new runtime lang/two
    exit code: 3
    --- stderr
    error: `[SPACE]/project/.ai/tools/rye/core/extractors/pl.yaml` has that id already [ALREADY_EXISTS]
    hint: remove that file, or give it another name
    ");
    assert!(!space.path("project/.ai/tools/lang/two.yaml").exists());
    assert_snapshot!(space.rye(["new", "tool", "x"]).show(), @"
    $ rye new tool x
    exit code: 2
    --- stderr
    error: there are several templates for a tool [USAGE]
    hint: add `--lang` with one of bash, node, python, ruby
    ");
    assert_snapshot!(space.rye(["new", "tool", "x", "--lang", "cobol"]).show(), @"
    $ rye new tool x --lang cobol
    exit code: 2
    --- stderr
    error: there is no template `cobol` for a tool [USAGE]
    hint: add `--lang` with one of bash, node, python, ruby
    ");
    assert_snapshot!(space.rye(["new", "tool", "../x", "--lang", "bash"]).show(), @"
    $ rye new tool ../x --lang bash
    exit code: 3
    --- stderr
    error: `../x` cannot be the id of an item: `..` would leave the folder [INVALID_ID]
    hint: an id looks like `demo/greet`; run `rye search` to see which there are
    ");
    assert_snapshot!(space.rye(["new", "tool", "x", "--lang", "bash"]).within("elsewhere").show(), @"
    $ rye new tool x --lang bash
    exit code: 3
    --- stderr
    error: `[SPACE]/elsewhere` is not in a project: no folder above it has `.ai` [SPACE_UNUSABLE]
    hint: run `rye init`, or name a project with `--project`
    ");
}

#[test]
fn templates_of_a_project_count_once_they_are_signed() {
    let space = TestSpace::with_key();
    let template = "---\ndescription: Ours\nversion: \"1.0.0\"\n---\n# Ours\n\n```sh file=.ai/tools/<<id>>.sh\n\
        # version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: Ours\necho <<name>>\n```\n\
        ```sh run\nrye execute <<id>>\n```\n";
    space.write("project/.ai/knowledge/rye/templates/tool/ours.md", template);
    assert_snapshot!(space.rye(["new", "tool", "a/b", "--lang", "ours"]).show(), @"
    $ rye new tool a/b --lang ours
    exit code: 3
    --- stderr
    error: knowledge:rye/templates/tool/ours (`[SPACE]/project/.ai/knowledge/rye/templates/tool/ours.md`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign rye/templates/tool/ours --kind knowledge`
    ");
    space.run(["sign", "rye/templates/tool/ours", "--kind", "knowledge"]);
    let made = typed(&space, "project", "rye new tool a/b --lang ours");
    assert_eq!(follow(&space, &made), ["b\n"]);
    space.write(
        "project/.ai/knowledge/rye/templates/tool/ours.md",
        "---\ndescription: Ours\nversion: \"1.0.0\"\n---\n# Ours\n",
    );
    space.run(["sign", "rye/templates/tool/ours", "--kind", "knowledge"]);
    assert_snapshot!(space.rye(["new", "tool", "c", "--lang", "ours"]).show(), @"
    $ rye new tool c --lang ours
    exit code: 3
    --- stderr
    error: nothing can be made of the template `rye/templates/tool/ours`: it has no block with `file=` [METADATA_INVALID]
    hint: run `rye load rye/templates/tool/ours --kind knowledge` to see it
    ");
}

#[test]
fn an_error_leads_to_a_running_tool_in_two_commands() {
    let space = empty();
    let tool = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: A\necho done\n";
    space.write("project/.ai/tools/my/tool.sh", tool);
    assert_snapshot!(space.rye(["execute", "my/tool"]).show(), @"
    $ rye execute my/tool
    exit code: 3
    --- stderr
    error: tool:my/tool cannot run: tool:my/tool (`[SPACE]/project/.ai/tools/my/tool.sh`) is refused: the project `[SPACE]/project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye init`, then `rye sign my/tool`
    ");
    assert_snapshot!(space.rye(["sign", "my/tool"]).show(), @"
    $ rye sign my/tool
    exit code: 3
    --- stderr
    error: there is no signing key in `[SPACE]/home/.ai/keys` [KEY_NOT_FOUND]
    hint: run `rye init`, or `rye keys import FILE`
    ");
    typed(&space, "project", "rye init");
    typed(&space, "project", "rye sign my/tool");
    assert_eq!(typed(&space, "project", "rye execute my/tool"), "done\n");
    // From elsewhere, the command names the folder.
    let other = empty();
    other.write("project/.ai/tools/my/tool.sh", tool);
    assert_snapshot!(other.rye(["execute", "my/tool", "--project", "../project"]).within("elsewhere").show(), @"
    $ rye execute my/tool --project ../project
    exit code: 3
    --- stderr
    error: tool:my/tool cannot run: tool:my/tool (`[SPACE]/elsewhere/../project/.ai/tools/my/tool.sh`) is refused: the project `[SPACE]/elsewhere/../project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye init --project [SPACE]/elsewhere/../project`, then `rye sign my/tool --project [SPACE]/elsewhere/../project`
    ");
    // An item of the user needs a key, and no trust in a project.
    other.write("home/.ai/tools/mine.sh", tool);
    assert_snapshot!(other.rye(["execute", "mine"]).within("elsewhere").show(), @"
    $ rye execute mine
    exit code: 3
    --- stderr
    error: tool:mine cannot run: tool:mine (`[SPACE]/home/.ai/tools/mine.sh`) is refused: it is not signed [UNSIGNED]
    hint: run `rye keys generate`, then `rye sign mine --space user`
    ");
    assert_snapshot!(space.rye(["execute", "my/tool", "word"]).show(), @"
    $ rye execute my/tool word
    exit code: 2
    --- stderr
    error: `word` is not a parameter: parameters are given as `--name value` [USAGE]
    hint: run `rye execute my/tool --help` to see its parameters
    ");
}

#[test]
fn a_folder_that_is_named_by_a_dot_has_its_name() {
    let space = TestSpace::with_bundle();
    space.write(
        "project/.ai/tools/t.sh",
        "# version: 1.0.0\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\necho hi\n",
    );
    let project = space.path("project").to_str().unwrap().to_owned();
    for dot in [".", "./", "./."] {
        for args in [vec!["--project", dot, "execute", "t"], vec!["execute", "t", "--project", dot]] {
            let output = space.rye(args.iter().copied()).output();
            let said = String::from_utf8(output.stderr).unwrap();
            let hint =
                format!("hint: run `rye init --project {project}`, then `rye sign t --project {project}`\n");
            assert!(said.ends_with(&hint), "{args:?}: {said}");
        }
        let said = String::from_utf8(space.rye(["trust", "--revoke", dot]).output().stdout).unwrap();
        assert_eq!(said, format!("`{project}` was not trusted\n"), "{dot}");
    }
    assert_eq!(space.rye(["init", "--project", "."]).json()["project"], project);
}

#[test]
fn a_pipe_that_nobody_closes_is_not_waited_for() {
    let space = TestSpace::with_key();
    space.run(["new", "tool", "demo/greet", "--lang", "bash"]);
    for args in [
        &["execute", "demo/greet", "--name", "World"][..],
        &["execute", "rye/system/time"],
        &["sign", "demo/greet"],
        &["trust"],
        &["init"],
        &["test", "demo/greet"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        let mut child =
            space.rye(args.iter().copied()).command().stdin(reader).stdout(Stdio::null()).spawn().unwrap();
        let status = child.wait().unwrap();
        assert!(status.success(), "{RYE} {args:?}: {status}");
        drop(writer);
    }
}
