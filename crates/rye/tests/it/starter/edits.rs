//! Replacing pieces of a file.

use serde_json::{Value, json};

use super::{call, names, refusal};
use crate::space::TestSpace;

const EDIT: &str = "rye/file/edit";

fn edits(edits: &Value) -> Value {
    json!({ "path": "a.txt", "edits": edits })
}

#[test]
fn pieces_are_replaced() {
    let space = TestSpace::with_bundle();
    space.write("project/a.txt", "one two\r\ntwo three\r\n");
    let answer = call(
        &space,
        EDIT,
        &edits(
            &json!([{ "old": "one", "new": "1" }, { "old": "two", "new": "2", "all": true }, { "old": "1 2\r\n", "new": "" }]),
        ),
    );
    assert_eq!(answer, json!({ "path": "a.txt", "replacements": [1, 2, 1], "bytes": 9 }));
    assert_eq!(space.read("project/a.txt"), "2 three\r\n");
    assert_eq!(names(&space, "project"), [".ai", "a.txt"]);
}

#[test]
fn all_edits_are_made_or_none() {
    let space = TestSpace::with_bundle();
    let text = "a b a\r\nc\r\n";
    space.write("project/a.txt", text);
    let good = json!({ "old": "b", "new": "B" });
    for (bad, expect) in [
        (
            json!({ "old": "a", "new": "x" }),
            "`old` of edit 2 is 2 times in `a.txt`; give more of what is around it, or set `all`; nothing was changed",
        ),
        (json!({ "old": "nope", "new": "x" }), "`old` of edit 2 is not in `a.txt`; nothing was changed"),
        (json!({ "old": "c", "new": "c" }), "`old` of edit 2 is the same as `new`"),
        (
            json!({ "old": "a\nc", "new": "x" }),
            "`old` of edit 2 is not in `a.txt`; the lines of the file end with a carriage return and a line feed; nothing was changed",
        ),
    ] {
        assert_eq!(refusal(&space, EDIT, &edits(&json!([good, bad]))), expect);
        assert_eq!(space.read("project/a.txt"), text);
    }
}

#[test]
fn only_texts_are_edited() {
    let space = TestSpace::with_bundle();
    let edit = edits(&json!([{ "old": "a", "new": "b" }]));
    assert_eq!(refusal(&space, EDIT, &edit), "there is no `a.txt` in the project");
    space.write("project/a.txt", b"a\xff");
    assert_eq!(refusal(&space, EDIT, &edit), "`a.txt` is not a UTF-8 text");
    space.write("project/a.txt", b"a\0");
    assert_eq!(refusal(&space, EDIT, &edit), "`a.txt` is not a text");
}
