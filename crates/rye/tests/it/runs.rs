//! `rye runs`: what is shown of runs, and how old ones are forgotten.

use insta::internals::SettingsBindDropGuard;
use serde_json::json;

use crate::space::TestSpace;
use crate::workshop::Workshop;

/// Shows placeholders for what is different each time.
fn filters() -> SettingsBindDropGuard {
    let mut settings = insta::Settings::clone_current();
    for (pattern, placeholder) in [
        (r"\b0[0-9a-hjkmnp-tv-z]{25}\b", "[RUN]"),
        (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "[TIME]"),
        (r"\b\d+ ms\b|\b\d+\.\d s\b", "[DURATION]"),
        (r#""duration_ms": [0-9.]+"#, r#""duration_ms": [DURATION]"#),
        (r"signed by [0-9a-f]{32}", "signed by [KEY]"),
        (r"[0-9a-f]{8}\[…\]", "[DIGEST]"),
    ] {
        settings.add_filter(pattern, placeholder);
    }
    settings.bind_to_scope()
}

#[test]
fn nothing_has_run() {
    let space = TestSpace::new();
    insta::assert_snapshot!(space.rye(["runs"]).show(), @"
    $ rye runs
    exit code: 1
    --- stderr
    note: there are no such runs
    ");
    insta::assert_snapshot!(space.rye(["runs", "show", "06"]).show(), @"
    $ rye runs show 06
    exit code: 3
    --- stderr
    error: there is no run `06` [RUN_NOT_FOUND]
    hint: run `rye runs` to see which there are
    ");
    insta::assert_snapshot!(space.rye(["runs", "show", "what?"]).show(), @"
    $ rye runs show 'what?'
    exit code: 2
    --- stderr
    error: invalid value 'what?' for '<ID>': `what?` does not begin the id of a run: expected up to 26 digits and letters

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(space.rye(["runs", "--state", "odd"]).show(), @"
    $ rye runs --state odd
    exit code: 2
    --- stderr
    error: invalid value 'odd' for '--state <STATE>': `odd` is not the status of a run: expected running, succeeded, failed, timed_out, cancelled or lost

    For more information, try '--help'.
    ");
    insta::assert_snapshot!(space.rye(["runs", "prune"]).show(), @"
    $ rye runs prune
    exit code: 0
    --- stdout
    0 runs forgotten
    ");
}

#[test]
fn runs_are_listed_and_shown() {
    let shop = Workshop::new();
    let _filters = filters();
    let good = shop.shell_tool("my/good", "", "echo '[1, 2]'");
    let bad = shop.shell_tool("my/bad", "", "echo no >&2; exit 7");
    shop.execute(&good);
    shop.execute(&bad);
    insta::assert_snapshot!(shop.runs([]).show(), @"
    $ rye runs
    exit code: 0
    --- stdout
    [RUN]  failed     my/bad   [TIME]  [DURATION]
    [RUN]  succeeded  my/good  [TIME]  [DURATION]
    ");
    insta::assert_snapshot!(shop.runs(["list", "--item", "my/good", "--json"]).show(), @r#"
    $ rye runs list --item my/good --json
    exit code: 0
    --- stdout
    {
      "runs": [
        {
          "id": "[RUN]",
          "item": "tool:my/good",
          "state": "succeeded",
          "started": "[TIME]",
          "ended": "[TIME]",
          "duration_ms": [DURATION],
          "exit_code": 0,
          "error": null
        }
      ]
    }
    "#);
    insta::assert_snapshot!(shop.runs(["list", "--state", "failed", "--limit", "1"]).show(), @"
    $ rye runs list --state failed --limit 1
    exit code: 0
    --- stdout
    [RUN]  failed  my/bad  [TIME]  [DURATION]
    ");
}

#[test]
fn a_run_is_shown_with_all_that_is_known_of_it() {
    let shop = Workshop::new();
    let _filters = filters();
    let good = shop.shell_tool("my/good", "", "echo '[1, 2]'");
    let bad = shop.shell_tool("my/bad", "", "echo no >&2; exit 7");
    let good = shop.execute(&good).to_string();
    let bad = shop.execute(&bad).to_string();
    insta::assert_snapshot!(shop.runs(["show", &bad]).show(), @"
    $ rye runs show [RUN]
    exit code: 0
    --- stdout
    run         [RUN]
    item        tool:my/bad
    state       failed
    started     [TIME]
    parameters  {}
    chain       project my/bad [DIGEST] signed by [KEY]
    chain       system rye/core/runtimes/bash/bash [DIGEST] signed by program
    chain       system rye/core/primitives/execute [DIGEST] signed by program
    ended       [TIME]
    duration    [DURATION]
    exit code   7
    error       TOOL_FAILED
    stdout      0 bytes
    stderr      3 bytes
    ");
    insta::assert_snapshot!(shop.runs(["show", &good]).show(), @"
    $ rye runs show [RUN]
    exit code: 0
    --- stdout
    run         [RUN]
    item        tool:my/good
    state       succeeded
    started     [TIME]
    parameters  {}
    chain       project my/good [DIGEST] signed by [KEY]
    chain       system rye/core/runtimes/bash/bash [DIGEST] signed by program
    chain       system rye/core/primitives/execute [DIGEST] signed by program
    ended       [TIME]
    duration    [DURATION]
    exit code   0
    stdout      7 bytes
    stderr      0 bytes
    result      [1, 2]
    ");
    insta::assert_snapshot!(shop.runs(["logs", &good]).show(), @"
    $ rye runs logs [RUN]
    exit code: 0
    --- stdout
    [1, 2]
    ");
    insta::assert_snapshot!(shop.runs(["logs", &bad, "--stderr"]).show(), @"
    $ rye runs logs [RUN] --stderr
    exit code: 0
    --- stderr
    warning: its output went to whoever started it; only runs that nobody waits for keep all of it
    ");
    insta::assert_snapshot!(shop.runs(["cancel", &good]).show(), @"
    $ rye runs cancel [RUN]
    exit code: 1
    --- stderr
    note: run [RUN] was over already: succeeded
    ");
    assert_eq!(shop.runs(["wait", &good]).output().status.code(), Some(0));
    assert_eq!(shop.runs(["wait", &bad]).output().status.code(), Some(1));
    insta::assert_snapshot!(shop.runs(["show", "06"]).show(), @"
    $ rye runs show 06
    exit code: 3
    --- stderr
    error: the ids of several runs begin with `06` [RUN_AMBIGUOUS]
    hint: type more of it: `[RUN]`, `[RUN]`
    ");
}

#[test]
fn old_runs_are_forgotten_with_their_output() {
    let shop = Workshop::new();
    let tool = shop.shell_tool("my/tool", "", "echo hello");
    let ids: Vec<_> = (0..3).map(|_| shop.start(&tool, "{}")).collect();
    for id in &ids {
        shop.runs(["wait", &id.to_string()]).output();
    }
    assert_eq!(shop.runs(["prune"]).json(), json!({ "removed": 0, "kept": [] }));
    assert_eq!(shop.runs(["prune", "--older-than", "1"]).json()["removed"], 0);
    assert_eq!(shop.runs(["prune", "--keep", "1"]).json()["removed"], 2);
    assert!(!shop.output(ids[0]).exists() && shop.output(ids[2]).exists());
    assert_eq!(shop.runs(["prune", "--older-than", "0"]).json()["removed"], 1);
    assert_eq!(shop.runs([]).json(), json!({ "runs": [] }));
}

#[test]
fn no_output_is_read_through_a_link() {
    let shop = Workshop::new();
    let tool = shop.shell_tool("my/tool", "", "echo hello");
    let id = shop.execute(&tool);
    std::fs::create_dir_all(shop.output(id)).unwrap();
    let other = shop.space.write("elsewhere/private", "private\n");
    std::os::unix::fs::symlink(other, shop.output(id).join("stdout")).unwrap();
    let logs = shop.runs(["logs", &id.to_string()]).output();
    assert!(!String::from_utf8(logs.stdout).unwrap().contains("private"));
}
