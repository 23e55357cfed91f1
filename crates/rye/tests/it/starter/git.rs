//! A real repository.

use serde_json::json;

use super::{call, refusal};
use crate::space::TestSpace;

const STATUS: &str = "rye/git/status";
const DIFF: &str = "rye/git/diff";
const LOG: &str = "rye/git/log";

/// A repository with two commits.
fn repository() -> TestSpace {
    let space = TestSpace::with_bundle();
    space.write("project/a.txt", "one\ntwo\n");
    space.write("project/dir/ü b.txt", "x\n");
    git(&space, "init -q -b main && git add a.txt && git commit -qm 'first' -m 'with a body\nof two lines'");
    git(&space, "add dir && git commit -qm 'second: $(touch evil) `x`'");
    space
}

fn git(space: &TestSpace, command: &str) {
    let who = "export GIT_AUTHOR_NAME=Ada GIT_AUTHOR_EMAIL=ada@example.org GIT_COMMITTER_NAME=Ada \
        GIT_COMMITTER_EMAIL=ada@example.org HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 \
        GIT_AUTHOR_DATE=2026-01-31T12:00:00Z GIT_COMMITTER_DATE=2026-01-31T12:00:00Z";
    let done = space.shell(&format!("{who}; git {command} && echo done"));
    assert!(done.ends_with("done\n"), "{command}: {done}");
}

#[test]
fn the_state_of_the_repository() {
    let space = repository();
    let clean = call(&space, STATUS, &json!({}));
    assert_eq!(
        (&clean["branch"], &clean["clean"], &clean["files"]),
        (&json!("main"), &json!(true), &json!([]))
    );
    assert_eq!(clean["commit"].as_str().unwrap().len(), 40);
    space.write("project/a.txt", "one\n2\n");
    space.write("project/new\nline.txt", "");
    git(&space, "mv 'dir/ü b.txt' c.txt");
    space.write("project/staged.txt", "s");
    git(&space, "add staged.txt");
    let changed = call(&space, STATUS, &json!({}));
    assert_eq!(
        changed["files"],
        json!([
            { "path": "a.txt", "unstaged": "modified" },
            { "path": "c.txt", "staged": "renamed", "from": "dir/ü b.txt" },
            { "path": "staged.txt", "staged": "added" },
            { "path": "new\nline.txt", "untracked": true }
        ])
    );
    let some = call(&space, STATUS, &json!({ "paths": ["a.txt"], "untracked": "no" }));
    assert_eq!(some["files"], json!([{ "path": "a.txt", "unstaged": "modified" }]));
    let cut = call(&space, STATUS, &json!({ "limit": 1 }));
    assert_eq!((cut["files"].as_array().unwrap().len(), &cut["truncated"]), (1, &json!(true)));
}

#[test]
fn differences() {
    let space = repository();
    space.write("project/a.txt", "one\n2\n");
    let diff = call(&space, DIFF, &json!({ "context": 0 }));
    assert_eq!(diff["files"], json!([{ "path": "a.txt", "added": 1, "removed": 1 }]));
    assert!(diff["patch"].as_str().unwrap().ends_with("@@ -2 +2 @@ one\n-two\n+2\n"), "{diff}");
    git(&space, "add a.txt");
    assert_eq!(call(&space, DIFF, &json!({}))["files"], json!([]));
    assert_eq!(
        call(&space, DIFF, &json!({ "staged": true, "patch": false }))["files"].as_array().unwrap().len(),
        1
    );
    let between = call(&space, DIFF, &json!({ "from": "HEAD~1", "to": "HEAD", "patch": false }));
    assert_eq!(
        between,
        json!({ "files": [{ "path": "dir/ü b.txt", "added": 1, "removed": 0 }], "truncated": false })
    );
    let cut = call(&space, DIFF, &json!({ "from": "HEAD~1", "max_bytes": 10 }));
    assert_eq!((cut["patch"].as_str().unwrap().len(), &cut["truncated"]), (10, &json!(true)));
    refusal(&space, DIFF, &json!({ "to": "HEAD" }));
    refusal(&space, DIFF, &json!({ "paths": ["../x"] }));
}

#[test]
fn the_history() {
    let space = repository();
    let log = call(&space, LOG, &json!({ "files": true }));
    let commits = log["commits"].as_array().unwrap();
    assert_eq!(commits[0]["subject"], "second: $(touch evil) `x`");
    assert_eq!(commits[0]["parents"], json!([commits[1]["commit"]]));
    assert_eq!(commits[0]["files"], json!(["dir/ü b.txt"]));
    assert_eq!(
        (&commits[1]["body"], &commits[1]["files"]),
        (&json!("with a body\nof two lines"), &json!(["a.txt"]))
    );
    assert_eq!((&commits[1]["author"], &commits[1]["email"]), (&json!("Ada"), &json!("ada@example.org")));
    let subjects = |params| {
        let log = call(&space, LOG, &params);
        log["commits"].as_array().unwrap().iter().map(|commit| commit["subject"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(subjects(json!({ "paths": ["a.txt"] })), ["first"]);
    assert_eq!(subjects(json!({ "message": "FIRST" })), ["first"]);
    assert_eq!(subjects(json!({ "message": "f.rst" })), Vec::<&str>::new());
    assert_eq!(subjects(json!({ "author": "bob" })), Vec::<&str>::new());
    assert_eq!(subjects(json!({ "since": "2026-02-01" })), Vec::<&str>::new());
    assert_eq!(subjects(json!({ "revision": "HEAD~1..HEAD" })).len(), 1);
    let one = call(&space, LOG, &json!({ "limit": 1, "skip": 1 }));
    assert_eq!((&one["commits"][0]["subject"], &one["truncated"]), (&json!("first"), &json!(false)));
    assert_eq!(call(&space, LOG, &json!({ "limit": 1 }))["truncated"], true);
}

#[test]
fn no_value_becomes_an_option() {
    let space = repository();
    for value in ["--output=evil", "-O/dev/null", "--no-index", "--exec=x"] {
        let said = refusal(&space, LOG, &json!({ "revision": value }));
        assert_eq!(said, format!("`revision` is not the name of a revision: `{value}`"));
        refusal(&space, DIFF, &json!({ "from": value }));
        refusal(&space, DIFF, &json!({ "from": "HEAD", "to": value }));
        // Names of files may begin so.
        assert_eq!(call(&space, STATUS, &json!({ "paths": [value] }))["files"], json!([]));
        assert_eq!(call(&space, LOG, &json!({ "author": value, "message": value }))["commits"], json!([]));
    }
    // A path is a path, and no pattern.
    assert_eq!(call(&space, LOG, &json!({ "paths": [":(top)a.txt"] }))["commits"], json!([]));
    assert!(!space.path("project/evil").exists());
    assert!(refusal(&space, LOG, &json!({ "revision": "nothing" })).contains("nothing"));
}

/// A program that leaves a trace, `elsewhere/ran`.
fn evil_program(space: &TestSpace) -> String {
    let evil =
        space.write("elsewhere/evil.sh", "#!/bin/sh\necho x >> \"$(dirname \"$0\")/ran\"\ncat 2>/dev/null\n");
    std::fs::set_permissions(&evil, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    evil.display().to_string()
}

#[test]
fn nothing_is_fetched_for_objects_that_are_missing() {
    let space = repository();
    let evil = evil_program(&space);
    git(&space, "config core.repositoryformatversion 1 && git config extensions.partialClone origin");
    git(&space, "config remote.origin.promisor true && git config protocol.allow always");
    space.shell("o=$(git rev-parse HEAD:a.txt); rm -f .git/objects/${o%${o#??}}/${o#??}; echo x >> a.txt");
    for remote in [
        format!("url . && git config remote.origin.uploadpack {evil}"),
        format!("url ssh://x/y && git config core.sshCommand {evil}"),
        format!("url ext::{evil} && git config protocol.ext.allow always"),
    ] {
        git(&space, &format!("config remote.origin.{remote}"));
        for params in [json!({}), json!({ "from": "HEAD" })] {
            refusal(&space, DIFF, &params);
            assert!(!space.path("elsewhere/ran").exists(), "{remote}");
        }
    }
    // Git itself would have fetched.
    space.shell("git config remote.origin.url .; timeout 10 git diff HEAD >/dev/null 2>&1; true");
    assert!(space.path("elsewhere/ran").exists());
}

#[test]
fn a_filter_that_cannot_be_switched_off_is_refused() {
    let space = repository();
    let evil = evil_program(&space);
    space.write("project/.gitattributes", "*.txt filter=a=b\n");
    git(&space, &format!("config filter.a=b.clean {evil}"));
    space.write("project/a.txt", "one\ntwx\n");
    for id in [STATUS, DIFF] {
        assert!(refusal(&space, id, &json!({})).contains("filter.a=b.clean"), "{id}");
        assert!(!space.path("elsewhere/ran").exists(), "{id}");
    }
}

#[test]
fn a_message_makes_no_other_commits() {
    let space = repository();
    git(&space, "commit -q --allow-empty -m \"$(printf 'a \\001 b\\n\\nc \\001 d')\"");
    let log = call(&space, LOG, &json!({ "files": true }));
    let commits = log["commits"].as_array().unwrap();
    assert_eq!((commits.len(), &commits[0]["subject"]), (3, &json!("a \u{1} b")));
    assert_eq!((&commits[0]["body"], &commits[1]["files"]), (&json!("c \u{1} d"), &json!(["dir/ü b.txt"])));
}

#[test]
fn a_repository_starts_no_programs() {
    let space = repository();
    let evil = evil_program(&space);
    space.write("project/.gitattributes", "*.txt filter=evil diff=evil\n");
    for setting in [
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.process",
        "gpg.program",
    ] {
        git(&space, &format!("config {setting} {evil}"));
    }
    git(&space, "config filter.evil.required true && git config log.showSignature true");
    space.write("project/a.txt", "one\nmore\n");
    for (id, params) in [
        (STATUS, json!({})),
        (DIFF, json!({})),
        (DIFF, json!({ "from": "HEAD" })),
        (LOG, json!({ "files": true })),
    ] {
        call(&space, id, &params);
        assert!(!space.path("elsewhere/ran").exists(), "{id} {params}");
    }
    // The settings do work for git itself.
    space.shell("git status >/dev/null 2>&1; true");
    assert!(space.path("elsewhere/ran").exists());
}

#[test]
fn files_elsewhere_are_not_the_projects() {
    let space = repository();
    space.write("elsewhere/a.txt", "hunter2\n");
    git(&space, &format!("config core.worktree {}", space.path("elsewhere").display()));
    let said = refusal(&space, DIFF, &json!({}));
    assert!(said.starts_with("the files of this repository are not in the project"), "{said}");
}

#[test]
fn no_repository() {
    let space = TestSpace::with_bundle();
    for id in [STATUS, DIFF, LOG] {
        assert!(refusal(&space, id, &json!({})).starts_with("not a git repository"));
    }
}
