//! Reading, writing, listing and searching files.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{call, link, names, python, refusal, wrong_parameters};
use crate::space::TestSpace;

const READ: &str = "rye/file/read";
const WRITE: &str = "rye/file/write";
const LIST: &str = "rye/file/list";
const GLOB: &str = "rye/file/glob";
const GREP: &str = "rye/file/grep";

#[test]
fn a_file_is_read_whole_or_by_lines() {
    let space = TestSpace::with_bundle();
    space.write("project/a.txt", "one\ntwo\nthree\nfour");
    let whole = call(&space, READ, &json!({ "path": "a.txt" }));
    assert_eq!(
        whole,
        json!({ "path": "a.txt", "size": 18, "text": "one\ntwo\nthree\nfour", "start_line": 1, "end_line": 4,
            "truncated": false, "total_lines": 4 })
    );
    let part = call(&space, READ, &json!({ "path": "./a.txt", "start_line": 2, "end_line": 3 }));
    assert_eq!((&part["text"], &part["next_line"]), (&json!("two\nthree\n"), &json!(4)));
    let absolute = call(&space, READ, &json!({ "path": space.path("project/a.txt"), "start_line": 4 }));
    assert_eq!((&absolute["text"], &absolute["path"]), (&json!("four"), &json!("a.txt")));
    // What does not fit is left to the next call, and lines are not torn.
    let bounded = call(&space, READ, &json!({ "path": "a.txt", "max_bytes": 10 }));
    assert_eq!(
        (&bounded["text"], &bounded["truncated"], &bounded["next_line"]),
        (&json!("one\ntwo\n"), &json!(true), &json!(3))
    );
    // A line that is longer than that is given in pieces, and no character is torn.
    space.write("project/long.txt", "x\nzwölf Äpfel\nend\n");
    let mut asked = json!({ "path": "long.txt", "start_line": 2, "max_bytes": 4 });
    let mut pieces = Vec::new();
    loop {
        let piece = call(&space, READ, &asked);
        pieces.push(piece["text"].as_str().unwrap().to_owned());
        let Some(next) = piece.get("next_byte") else { break };
        asked = json!({ "path": "long.txt", "start_byte": next, "max_bytes": 4 });
    }
    assert_eq!(pieces.concat(), "zwölf Äpfel\n");
    assert!(pieces.len() > 2 && pieces.iter().all(|piece| piece.len() <= 4), "{pieces:?}");
    let middle = json!({ "path": "long.txt", "encoding": "base64", "start_byte": 15, "max_bytes": 3 });
    let middle = call(&space, READ, &middle);
    assert_eq!((&middle["base64"], &middle["next_byte"]), (&json!("CmVu"), &json!(18)));
    assert_eq!(
        refusal(&space, READ, &json!({ "path": "a.txt", "start_line": 9 })),
        "the file has 4 lines, so there is no line 9"
    );
    refusal(&space, READ, &json!({ "path": "a.txt", "start_line": 3, "end_line": 2 }));
    assert_eq!(refusal(&space, READ, &json!({ "path": "b.txt" })), "there is no `b.txt` in the project");
    assert_eq!(refusal(&space, READ, &json!({ "path": ".ai" })), "`.ai` is a folder");
    space.write("project/empty", "");
    assert_eq!(call(&space, READ, &json!({ "path": "empty" }))["text"], "");
    wrong_parameters(&space, READ, &json!({ "path": "a.txt", "lines": 3 }));
    wrong_parameters(&space, READ, &json!({ "path": "a.txt", "start_line": 0 }));
}

#[test]
fn what_is_not_a_text_is_told_apart() {
    let space = TestSpace::with_bundle();
    space.write("project/image", b"\x89PNG\0\x01");
    assert_eq!(
        refusal(&space, READ, &json!({ "path": "image" })),
        "`image` is not a text (6 bytes); set `encoding` to `base64` to read it"
    );
    let bytes = call(&space, READ, &json!({ "path": "image", "encoding": "base64" }));
    assert_eq!((&bytes["base64"], &bytes["truncated"]), (&json!("iVBORwAB"), &json!(false)));
    space.write("project/latin", b"caf\xe9\n");
    let lossy = call(&space, READ, &json!({ "path": "latin" }));
    assert_eq!((&lossy["text"], &lossy["lossy"]), (&json!("caf\u{fffd}\n"), &json!(true)));
    space.shell("mkfifo pipe");
    assert_eq!(refusal(&space, READ, &json!({ "path": "pipe" })), "`pipe` is not a regular file");
}

#[test]
fn a_huge_file_costs_what_is_asked_of_it() {
    let space = TestSpace::with_bundle();
    let file = std::fs::File::create(space.path("project/huge")).unwrap();
    std::io::Write::write_all(&mut &file, &b"line\n".repeat(100_000)).unwrap();
    // The rest is a hole of a terabyte.
    file.set_len(1 << 40).unwrap();
    let read = call(&space, READ, &json!({ "path": "huge", "start_line": 50_000, "end_line": 50_001 }));
    assert_eq!((&read["text"], &read["size"]), (&json!("line\nline\n"), &json!(1_u64 << 40)));
    space.write("project/long", "x".repeat(1_000_000));
    let read = call(&space, READ, &json!({ "path": "long", "max_bytes": 100_000 }));
    assert_eq!(read["text"].as_str().unwrap().len(), 100_000);
    let found = call(&space, GREP, &json!({ "pattern": "line" }));
    assert_eq!((&found["matches"], found["skipped"][0]["path"].as_str()), (&json!([]), Some("huge")));
}

#[test]
fn a_file_is_written_once_unless_it_is_said() {
    let space = TestSpace::with_bundle();
    let params = json!({ "path": "new/folder/a.txt", "text": "é\n" });
    assert_eq!(
        call(&space, WRITE, &params),
        json!({ "path": "new/folder/a.txt", "bytes": 3, "created": true })
    );
    assert_eq!(
        refusal(&space, WRITE, &params),
        "`new/folder/a.txt` is there already; set `overwrite` to replace it"
    );
    let mode = |mode| {
        std::fs::set_permissions(space.path("project/new/folder/a.txt"), PermissionsExt::from_mode(mode))
    };
    mode(0o640).unwrap();
    let again = json!({ "path": "new/folder/a.txt", "text": "b", "overwrite": true });
    assert_eq!(call(&space, WRITE, &again)["created"], false);
    assert_eq!(space.read("project/new/folder/a.txt"), "b");
    let found = std::fs::metadata(space.path("project/new/folder/a.txt")).unwrap().permissions().mode();
    assert_eq!(found & 0o777, 0o640);
    // Nothing is left beside it.
    assert_eq!(names(&space, "project/new/folder"), ["a.txt"]);
    call(&space, WRITE, &json!({ "path": "run.sh", "text": "#!/bin/sh\necho ran\n", "executable": true }));
    assert_eq!(space.shell("./run.sh"), "ran\n");
    refusal(&space, WRITE, &json!({ "path": "new", "text": "", "overwrite": true }));
    refusal(&space, WRITE, &json!({ "path": "run.sh/x", "text": "" }));
    refusal(&space, WRITE, &json!({ "path": ".", "text": "" }));
}

#[test]
fn folders_are_listed() {
    let space = TestSpace::with_bundle();
    space.write("project/b.txt", "12345");
    space.write("project/a/c/d.txt", "");
    space.write("project/node_modules/x/y.js", "");
    space.write("project/.git/config", "");
    link(&space, "b.txt", "project/link");
    let listed = call(&space, LIST, &json!({ "hidden": false }));
    assert_eq!(
        listed,
        json!({ "path": ".", "truncated": false, "entries": [
            { "path": "a", "type": "folder" }, { "path": "b.txt", "type": "file", "size": 5 },
            { "path": "link", "type": "link", "target": "b.txt" } ] })
    );
    let tree = call(&space, LIST, &json!({ "path": "a", "depth": 9 }));
    assert_eq!(
        tree["entries"],
        json!([{ "path": "a/c", "type": "folder" }, { "path": "a/c/d.txt", "type": "file", "size": 0 }])
    );
    let cut = call(&space, LIST, &json!({ "limit": 1, "exclude": [] }));
    assert_eq!((cut["entries"].as_array().unwrap().len(), &cut["truncated"]), (1, &json!(true)));
    assert_eq!(refusal(&space, LIST, &json!({ "path": "b.txt" })), "`b.txt` is not a folder");
}

#[test]
fn patterns_find_files() {
    let space = TestSpace::with_bundle();
    for file in ["a.py", "src/b.py", "src/deep/c.py", "src/deep/c.js", "src/x[1].ts", ".git/z.py"] {
        space.write(&format!("project/{file}"), "");
    }
    let check = |params: serde_json::Value, expect: &[&str]| {
        assert_eq!(call(&space, GLOB, &params)["paths"], json!(expect), "{params}");
    };
    check(json!({ "pattern": "**/*.py" }), &["a.py", "src/b.py", "src/deep/c.py"]);
    check(json!({ "pattern": "*.py" }), &["a.py"]);
    check(
        json!({ "pattern": "src/**" , "type": "any"}),
        &["src/b.py", "src/deep", "src/deep/c.js", "src/deep/c.py", "src/x[1].ts"],
    );
    check(json!({ "pattern": "**/c.{js,ts}" }), &["src/deep/c.js"]);
    check(json!({ "pattern": "**/[a-b].py" }), &["a.py", "src/b.py"]);
    check(json!({ "pattern": "**/[!a-b].py" }), &["src/deep/c.py"]);
    check(json!({ "pattern": "?.py", "path": "src" }), &["src/b.py"]);
    check(json!({ "pattern": "**/deep", "type": "folder" }), &["src/deep"]);
    check(json!({ "pattern": "**/*.py", "exclude": ["deep"] }), &["a.py", "src/b.py"]);
    let many = format!("{}*.py", "**/".repeat(200));
    check(json!({ "pattern": many, "path": "src" }), &["src/b.py", "src/deep/c.py"]);
    let cut = call(&space, GLOB, &json!({ "pattern": "**", "limit": 2 }));
    assert_eq!((cut["paths"].as_array().unwrap().len(), &cut["truncated"]), (2, &json!(true)));
    refusal(&space, GLOB, &json!({ "pattern": "../*" }));
    refusal(&space, GLOB, &json!({ "pattern": "/etc/*" }));
    refusal(&space, GLOB, &json!({ "pattern": "[z-a]" }));
}

#[test]
fn texts_are_searched() {
    let space = TestSpace::with_bundle();
    space.write("project/a.py", "one\ntwo a.b\nthree\n");
    space.write("project/sub/b.txt", "TWO axb\r\n");
    space.write("project/bin", b"two a.b\0");
    space.write("project/.git/c", "two\n");
    let found = call(&space, GREP, &json!({ "pattern": "a.b", "context": 1 }));
    assert_eq!(
        found["matches"],
        json!([
            { "path": "a.py", "line": 2, "column": 5, "text": "two a.b", "before": ["one"], "after": ["three"] },
            { "path": "sub/b.txt", "line": 1, "column": 5, "text": "TWO axb", "before": [], "after": [] }
        ])
    );
    assert_eq!((&found["truncated"], &found["binary"]), (&json!(false), &json!(1)));
    let literal = call(&space, GREP, &json!({ "pattern": "a.b", "literal": true, "files_only": true }));
    assert_eq!(literal["files"], json!(["a.py"]));
    let case = call(&space, GREP, &json!({ "pattern": "^two", "ignore_case": true, "glob": "*.txt" }));
    assert_eq!(case["matches"][0]["path"], "sub/b.txt");
    let one = call(&space, GREP, &json!({ "pattern": "t", "path": "a.py", "limit": 1 }));
    assert_eq!((one["matches"].as_array().unwrap().len(), &one["truncated"]), (1, &json!(true)));
    assert_eq!(call(&space, GREP, &json!({ "pattern": "nothing like it" }))["matches"], json!([]));
    assert!(
        refusal(&space, GREP, &json!({ "pattern": "(" }))
            .starts_with("`pattern` is not a regular expression")
    );
    space.write("project/long.txt", format!("{}needle{}", "x".repeat(5000), "y".repeat(5000)));
    let long = call(&space, GREP, &json!({ "pattern": "needle" }));
    let text = long["matches"][0]["text"].as_str().unwrap();
    assert!(text.contains("needle") && text.chars().count() < 510, "{text}");
}

/// Names that are not UTF-8 beside others: one of them looks like what is shown of such a name.
const STRANGE_NAMES: &str = r"
import os
os.mkdir(b'd\xff')
for name in (b'a.txt', b'b\xff\xc3(\\.txt', b'd\xff/in.txt', b'lit\\xff.txt', 'z\u00e9.txt'.encode()):
    with open(name, 'w') as file:
        file.write('needle\n')
os.symlink(b'to\xfe', b'link')
";

#[test]
fn names_that_are_not_utf_8_are_shown_beside_the_others() {
    let space = TestSpace::with_bundle();
    python(&space, STRANGE_NAMES);
    let strange = [r"b\xff\xc3(\x5c.txt", r"d\xff/in.txt"];
    let files = ["a.txt", strange[0], strange[1], r"lit\xff.txt", "z\u{e9}.txt"];
    let listed = call(&space, LIST, &json!({ "depth": 2, "exclude": [".ai"] }));
    let file = |path: &str| json!({ "path": path, "type": "file", "size": 7 });
    let folder = json!({ "path": r"d\xff", "type": "folder" });
    let link = json!({ "path": "link", "type": "link", "target": r"to\xfe" });
    assert_eq!(
        listed["entries"],
        json!([file(files[0]), file(files[1]), folder, file(files[2]), link, file(files[3]), file(files[4])])
    );
    assert_eq!(listed["escaped"], json!([strange[0], r"d\xff", strange[1], r"to\xfe"]));
    let paths = call(&space, GLOB, &json!({ "pattern": "**/*.txt" }));
    assert_eq!((&paths["paths"], &paths["escaped"]), (&json!(files), &json!(strange)));
    let found = call(&space, GREP, &json!({ "pattern": "needle" }));
    let matches: Vec<_> = found["matches"].as_array().unwrap().iter().map(|found| &found["path"]).collect();
    assert_eq!((json!(matches), &found["escaped"]), (json!(files), &json!(strange)));
    let found = call(&space, GREP, &json!({ "pattern": "needle", "files_only": true }));
    assert_eq!((&found["files"], &found["escaped"]), (&json!(files), &json!(strange)));
    // Where all names are texts, nothing is said about them.
    let plain = call(&space, GLOB, &json!({ "pattern": "a.*" }));
    assert_eq!(plain, json!({ "paths": ["a.txt"], "truncated": false }));
    python(&space, r"import os; os.symlink(b'../x\xff', b'out')");
    assert_eq!(
        refusal(&space, READ, &json!({ "path": "out" })),
        r"`out` leads out of the project by a link to `../x\xff`"
    );
}
