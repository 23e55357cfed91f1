//! `rye sign`.

use insta::assert_snapshot;

use crate::library::shell;
use crate::space::TestSpace;

/// A shell tool that the bundle can run.
pub(crate) fn tool(version: &str) -> String {
    shell(version, "Says something").replace("bash_runtime", "rye/core/runtimes/bash/bash")
}

/// A Python tool that the bundle can run.
pub(crate) const PYTHON: &str = r#"__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/script"
import helper
"#;

#[test]
fn one_item() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    assert_snapshot!(space.rye(["sign", "my/say"]).show(), @"
    $ rye sign my/say
    exit code: 0
    --- stdout
    signed  project  tool:my/say
    1 signed with the key [KEY], 0 unchanged, 0 refused
    ");
    let signed = space.read("project/.ai/tools/my/say.sh");
    assert_snapshot!(space.rye(["sign", "say"]).show(), @"
    $ rye sign say
    exit code: 0
    --- stdout
    unchanged  project  tool:my/say
    0 signed with the key [KEY], 1 unchanged, 0 refused
    ");
    assert_eq!(space.read("project/.ai/tools/my/say.sh"), signed, "to sign again changes nothing");
    space.write("project/.ai/tools/my/say.sh", signed.replace("done", "undone"));
    assert_snapshot!(space.rye(["sign", "my/say", "--json"]).show(), @r#"
    $ rye sign my/say --json
    exit code: 0
    --- stdout
    {
      "key": "[KEY]",
      "items": [
        {
          "kind": "tool",
          "id": "my/say",
          "space": "project",
          "path": "[SPACE]/project/.ai/tools/my/say.sh",
          "result": "line",
          "reason": null
        }
      ],
      "manifests": []
    }
    "#);
    assert_eq!(space.rye(["verify", "my/say"]).json()["good"], true);
}

#[test]
fn many_items_of_all_kinds() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    space.write("project/.ai/tools/my/deep/say.sh", tool("1.0.0"));
    space.write("project/.ai/tools/my/lost.sh", tool("1.0.0").replace("runtimes/bash/bash", "nowhere"));
    space.write("project/.ai/tools/my/wrong.sh", tool("one"));
    space.write("project/.ai/tools/my/notes.sh", "# not a tool\n");
    space.write("project/.ai/tools/other/say.sh", tool("1.0.0"));
    space.write("project/.ai/directives/my/review.md", "# Review\n");
    space.write("project/.ai/knowledge/my/style.md", "# Style\n");
    space.write(
        "project/.ai/tools/my/data.json",
        r#"{"version": "1.0.0", "tool_type": "script", "executor_id": "rye/core/runtimes/bash/bash"}"#,
    );
    assert_snapshot!(space.rye(["sign", "my/**"]).show(), @"
    $ rye sign 'my/**'
    exit code: 3
    --- stdout
    signed   project  tool:my/data
    signed   project  tool:my/deep/say
    refused  project  tool:my/lost         tool:my/lost (project) is executed by `rye/core/nowhere`, which is not in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools`
    signed   project  tool:my/say
    refused  project  tool:my/wrong        `version` is not a semantic version: `one`: unexpected character 'o' while parsing major version number
    signed   project  directive:my/review
    signed   project  knowledge:my/style
    [SPACE]/project/.ai/tools/my/.rye-manifest.json: 1 file, 1 new
      new data.json
    5 signed with the key [KEY], 0 unchanged, 2 refused
    ");
    assert!(!space.read("project/.ai/tools/other/say.sh").contains("rye:signed"));
    assert_snapshot!(space.rye(["sign", "my/*", "other/say", "other/**", "--kind", "tool"]).show(), @"
    $ rye sign 'my/*' other/say 'other/**' --kind tool
    exit code: 3
    --- stdout
    unchanged  project  tool:my/data
    refused    project  tool:my/lost    tool:my/lost (project) is executed by `rye/core/nowhere`, which is not in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools`
    unchanged  project  tool:my/say
    refused    project  tool:my/wrong   `version` is not a semantic version: `one`: unexpected character 'o' while parsing major version number
    signed     project  tool:other/say
    1 signed with the key [KEY], 2 unchanged, 2 refused
    ");
    assert_snapshot!(space.rye(["sign", "your/**"]).show(), @"
    $ rye sign 'your/**'
    exit code: 3
    --- stderr
    error: no item matches `your/**` [ITEM_NOT_FOUND]
    hint: `*` stays within one part of an id and `**` does not; `--space` chooses the space
    ");
    assert_snapshot!(space.rye(["sign", "my/{"]).show(), @"
    $ rye sign 'my/{'
    exit code: 3
    --- stderr
    error: that is not a pattern: error parsing glob 'my/{': unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?) [PARAMS_INVALID]
    hint: write it like `'my/**'`, with quotes around it
    ");
}

#[test]
fn files_of_an_anchor_are_listed_by_name() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/app/__init__.py", "");
    space.write("project/.ai/tools/app/main.py", PYTHON);
    space.write("project/.ai/tools/app/helper.py", "X = 1\n");
    space.write("project/.ai/tools/app/old.py", "X = 1\n");
    assert_snapshot!(space.rye(["sign", "app/main"]).show(), @"
    $ rye sign app/main
    exit code: 0
    --- stdout
    signed  project  tool:app/main
    [SPACE]/project/.ai/tools/app/.rye-manifest.json: 3 files, 3 new
      new __init__.py
      new helper.py
      new old.py
    1 signed with the key [KEY], 0 unchanged, 0 refused
    ");
    space.write("project/.ai/tools/app/helper.py", "X = 2\n");
    space.write("project/.ai/tools/app/fresh.py", "X = 3\n");
    space.remove("project/.ai/tools/app/old.py");
    assert_snapshot!(space.rye(["verify", "app/main"]).show(), @"
    $ rye verify app/main
    exit code: 3
    --- stdout
    project  tool:app/main  ada (key [KEY]) on [TIME]  cannot run tool:app/main: cannot take a snapshot of `app/main.py`: `helper.py` was changed: expected 0abae1e0[…], found 1b751968[…], and 1 more
    0 would run, 1 would not
    --- stderr
    hint: look at the files in `[SPACE]/project/.ai/tools/app`, and if they shall run, run `rye sign app/main`
    ");
    assert_snapshot!(space.rye(["sign", "app/main"]).show(), @"
    $ rye sign app/main
    exit code: 0
    --- stdout
    unchanged  project  tool:app/main
    [SPACE]/project/.ai/tools/app/.rye-manifest.json: 3 files, 1 new, 1 changed, 1 gone
      new fresh.py
      changed helper.py
      gone old.py
    0 signed with the key [KEY], 1 unchanged, 0 refused
    ");
    assert_snapshot!(space.rye(["sign", "app/main"]).show(), @"
    $ rye sign app/main
    exit code: 0
    --- stdout
    unchanged  project  tool:app/main
    [SPACE]/project/.ai/tools/app/.rye-manifest.json: 3 files, unchanged
    0 signed with the key [KEY], 1 unchanged, 0 refused
    ");
    assert_eq!(space.rye(["verify", "app/main"]).json()["good"], true);
    for number in 0..30 {
        space.write(&format!("project/.ai/tools/app/more{number:02}.py"), "");
    }
    let output = space.rye(["sign", "app/main"]).output();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("33 files, 30 new") && text.contains("  and 10 more that are new"), "{text}");
}

#[test]
fn files_that_a_tool_names_are_listed() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    space.write(
        "project/.ai/tools/my/run.yaml",
        "version: \"1.0.0\"\ntool_type: script\nexecutor_id: rye/core/runtimes/bash/bash\nentry: bin/run\nrequires: [words.txt, 'lib/*.sh']\n",
    );
    space.write("project/.ai/tools/my/bin/run", "echo\n");
    space.write("project/.ai/tools/my/words.txt", "words\n");
    space.write("project/.ai/tools/my/lib/a.sh", "echo\n");
    space.write("project/.ai/tools/my/lib/b.txt", "echo\n");
    assert_snapshot!(space.rye(["sign", "my/run"]).show(), @"
    $ rye sign my/run
    exit code: 0
    --- stdout
    signed  project  tool:my/run
    [SPACE]/project/.ai/tools/my/.rye-manifest.json: 3 files, 3 new
      new bin/run
      new lib/a.sh
      new words.txt
    1 signed with the key [KEY], 0 unchanged, 0 refused
    ");
    assert_eq!(space.rye(["verify", "my/run"]).json()["good"], true);
    space.write("project/.ai/tools/my/bin/run", "echo changed\n");
    assert_snapshot!(space.rye(["verify", "my/run"]).show(), @"
    $ rye verify my/run
    exit code: 3
    --- stdout
    project  tool:my/run  ada (key [KEY]) on [TIME]  cannot run tool:my/run: cannot take a snapshot of `my/run.yaml`: `bin/run` was changed: expected 86b0c5a1[…], found d608d323[…]
    0 would run, 1 would not
    --- stderr
    hint: look at the files in `[SPACE]/project/.ai/tools/my`, and if they shall run, run `rye sign my/run`
    ");
}

#[test]
fn nothing_is_signed_in_a_project_that_is_not_trusted() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    space.write("home/.ai/tools/mine.sh", tool("1.0.0"));
    space.run(["trust", "--revoke"]);
    assert_snapshot!(space.rye(["sign", "my/say"]).show(), @"
    $ rye sign my/say
    exit code: 3
    --- stderr
    error: the project `[SPACE]/project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
    assert_eq!(space.read("project/.ai/tools/my/say.sh"), tool("1.0.0"));
    // The user's own items are another matter.
    assert_snapshot!(space.rye(["sign", "*", "--space", "user"]).show(), @"
    $ rye sign '*' --space user
    exit code: 0
    --- stdout
    signed  user  tool:mine
    1 signed with the key [KEY], 0 unchanged, 0 refused
    ");
}

#[test]
fn without_a_key_that_counts_nothing_is_signed() {
    let space = TestSpace::with_bundle();
    space.write("home/.ai/tools/say.sh", tool("1.0.0"));
    assert_snapshot!(space.rye(["sign", "say"]).show(), @"
    $ rye sign say
    exit code: 3
    --- stderr
    error: there is no signing key in `[SPACE]/home/.ai/keys` [KEY_NOT_FOUND]
    hint: run `rye keys generate`, or `rye keys import FILE`
    ");
    space.run(["keys", "generate", "--owner", "ada"]);
    let trusted = std::fs::read_dir(space.path("home/.ai/keys/trusted")).unwrap().next().unwrap().unwrap();
    std::fs::remove_file(trusted.path()).unwrap();
    assert_snapshot!(space.rye(["sign", "say"]).show(), @"
    $ rye sign say
    exit code: 3
    --- stderr
    error: the signing key [KEY] is not trusted, so that its signatures would not count [KEY_UNTRUSTED]
    hint: run `rye keys export > FILE` and `rye keys trust FILE`, or `rye keys generate --rotate`
    ");
    assert_eq!(space.read("home/.ai/tools/say.sh"), tool("1.0.0"));
}

#[test]
fn a_key_with_a_passphrase() {
    let space = TestSpace::with_bundle();
    space.write("home/.ai/tools/say.sh", tool("1.0.0"));
    let call = space.rye(["keys", "generate", "--passphrase"]).set("RYE_PASSPHRASE", "secret");
    assert_eq!(call.output().status.code(), Some(0));
    assert_snapshot!(space.rye(["sign", "say"]).show(), @"
    $ rye sign say
    exit code: 3
    --- stderr
    error: a passphrase is needed, and there is no terminal to ask for it [PASSPHRASE_MISSING]
    hint: set RYE_PASSPHRASE
    ");
    let wrong = space.rye(["sign", "say"]).set("RYE_PASSPHRASE", "wrong").output();
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("[PASSPHRASE_WRONG]"));
    let signed = space.rye(["sign", "say"]).set("RYE_PASSPHRASE", "secret").json();
    assert_eq!(signed["items"][0]["result"], "line");
}

#[test]
fn many_items_are_watched_on_a_terminal_and_nowhere_else() {
    let space = TestSpace::with_key();
    for number in 0..220 {
        space.write(&format!("project/.ai/knowledge/k{number}.md"), "# Text\n");
    }
    let shown = space.on_terminal("sign 'k*'", "");
    assert!(shown.contains("signing ") && shown.contains("220 signed"), "{shown}");
    let output = space.rye(["sign", "k*"]).output();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    assert!(String::from_utf8(output.stdout).unwrap().ends_with(", 220 unchanged, 0 refused\n"));
}

#[test]
fn what_is_part_of_the_program_needs_no_signature() {
    let space = TestSpace::with_key();
    assert_snapshot!(space.rye(["sign", "rye/core/runtimes/bash/bash"]).show(), @"
    $ rye sign rye/core/runtimes/bash/bash
    exit code: 3
    --- stdout
    refused  system  tool:rye/core/runtimes/bash/bash  it is part of the program, which needs no signature
    0 signed with the key [KEY], 0 unchanged, 1 refused
    ");
}

#[test]
fn a_copy_is_not_listed_where_it_is_copied_to() {
    let space = TestSpace::with_key();
    let json = r#"{"version": "1.0.0", "tool_type": "script", "executor_id": "rye/core/runtimes/bash/bash"}"#;
    space.write("project/.ai/tools/my/data.json", json);
    space.write("project/.ai/tools/my/say.sh", tool("1.0.0"));
    space.run(["sign", "my/**"]);
    let output = space.rye(["load", "my/data", "--to", "user"]).output();
    assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"
    note: the copy would not run: it is not signed
    hint: run `rye sign my/data --space user`
    ");
    // A signature in the file itself goes with it.
    let output = space.rye(["load", "my/say", "--to", "user"]).output();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    space.run(["sign", "my/data", "--space", "user"]);
    std::fs::remove_dir_all(space.path("project/.ai/tools/my")).unwrap();
    assert_eq!(space.rye(["verify", "my/*"]).json()["good"], true);
}
