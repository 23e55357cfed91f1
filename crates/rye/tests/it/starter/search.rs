//! Whether people and agents find the tools by what they want to do.

use crate::space::TestSpace;

#[test]
fn the_right_tool_comes_first() {
    let space = TestSpace::with_bundle();
    for (query, expect) in [
        ("read a file", "rye/file/read"),
        ("show the content of a file", "rye/file/read"),
        ("write file", "rye/file/write"),
        ("create a file", "rye/file/write"),
        ("edit file", "rye/file/edit"),
        ("replace text in a file", "rye/file/edit"),
        ("list directory", "rye/file/list"),
        ("list files", "rye/file/list"),
        ("find files by name", "rye/file/glob"),
        ("search in files", "rye/file/grep"),
        ("grep", "rye/file/grep"),
        ("unzip", "rye/archive/extract"),
        ("untar", "rye/archive/extract"),
        ("extract archive", "rye/archive/extract"),
        ("fetch url", "rye/web/fetch"),
        ("download a page", "rye/web/fetch"),
        ("run shell command", "rye/shell/bash"),
        ("git history", "rye/git/log"),
        ("git status", "rye/git/status"),
        ("git diff", "rye/git/diff"),
        ("what changed in the repository", "rye/git/status"),
        ("sql", "rye/data/sqlite"),
        ("database query", "rye/data/sqlite"),
        ("json path", "rye/data/query"),
        ("current time", "rye/system/time"),
        ("time zone", "rye/system/time"),
        ("clock", "rye/system/time"),
        ("glob", "rye/file/glob"),
        ("cpu memory", "rye/system/facts"),
        ("disk space", "rye/system/facts"),
        ("background runs", "rye/core/runs/list"),
        ("wait for run", "rye/core/runs/wait"),
    ] {
        let found = space.rye(["search", "--detail", "names", query]).json();
        assert_eq!(found["hits"][0]["id"], expect, "{query}: {found:#}");
    }
}
