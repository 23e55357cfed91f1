//! Files of every form are signed as they are, and verify afterwards.

use std::os::unix::fs::{MetadataExt, PermissionsExt};

use crate::sign::tool;
use crate::space::TestSpace;

/// Signs a file, checks that it verifies, and that nothing but a line was added to it.
fn check(kind: &str, name: &str, bytes: &[u8], expect_line: usize) {
    let space = TestSpace::with_key();
    let id = name.split('.').next().unwrap();
    let folder = if kind == "knowledge" { "knowledge".to_owned() } else { format!("{kind}s") };
    let file = format!("project/.ai/{folder}/{name}");
    space.write(&file, bytes);
    let signed = space.rye(["sign", id, "--kind", kind]).json();
    assert_eq!(signed["items"][0]["result"], "line", "{name}: {signed}");
    let after = std::fs::read(space.path(&file)).unwrap();
    let lines: Vec<&[u8]> = after.split_inclusive(|&byte| byte == b'\n').collect();
    let is_line = |line: &[u8]| line.windows(14).any(|part| part == b"rye:signed:v1:");
    assert_eq!(lines.iter().position(|line| is_line(line)), Some(expect_line), "{name}");
    let loaded = space.rye(["load", id, "--kind", kind]).json();
    assert_eq!(loaded["signer"]["owner"], "ada", "{name}: {loaded}");
    let again = space.rye(["sign", id, "--kind", kind]).json();
    assert_eq!(again["items"][0]["result"], "unchanged", "{name}");
    assert_eq!(std::fs::read(space.path(&file)).unwrap(), after, "{name}");
}

#[test]
fn line_ends_and_first_lines() {
    let tool = tool("1.0.0");
    let (shebang, rest) = tool.split_once('\n').unwrap();
    check("tool", "plain.sh", tool.as_bytes(), 1);
    check("tool", "bare.sh", rest.as_bytes(), 0);
    check("tool", "crlf.sh", tool.replace('\n', "\r\n").as_bytes(), 1);
    check("tool", "mark.sh", format!("\u{feff}{rest}").as_bytes(), 0);
    check("tool", "open.sh", tool.trim_end().as_bytes(), 1);
    check("tool", "shebang.sh", shebang.as_bytes(), 1);
    check("tool", "empty.sh", b"", 0);
    check("knowledge", "empty.md", b"", 0);
    check("knowledge", "style.md", b"# Style", 0);
    check("directive", "review.md", "\u{feff}# Review\r\n".as_bytes(), 0);
}

#[test]
fn mode_and_owner_stay() {
    let space = TestSpace::with_key();
    let path = space.write("project/.ai/tools/say.sh", tool("1.0.0"));
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o750)).unwrap();
    let before = std::fs::metadata(&path).unwrap();
    space.run(["sign", "say"]);
    let after = std::fs::metadata(&path).unwrap();
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_ne!(after.size(), before.size());
    let left: Vec<_> = std::fs::read_dir(space.path("project/.ai/tools")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn json_is_signed_by_the_list_of_its_folder() {
    let space = TestSpace::with_key();
    let json = r#"{"version": "1.0.0", "tool_type": "script", "executor_id": "rye/core/runtimes/bash/bash"}"#;
    for name in ["one", "two"] {
        space.write(&format!("project/.ai/tools/my/{name}.json"), json);
    }
    assert_eq!(space.rye(["sign", "my/one"]).json()["items"][0]["result"], "manifest");
    assert_eq!(space.read("project/.ai/tools/my/one.json"), json);
    assert_eq!(space.rye(["verify", "my/one"]).json()["good"], true);
    assert_eq!(space.rye(["verify", "my/two"]).json()["items"][0]["issues"][0]["code"], "UNSIGNED");
    assert_eq!(space.rye(["sign", "my/one"]).json()["items"][0]["result"], "unchanged");
    // The list keeps what it has, and loses what is gone.
    space.run(["sign", "my/two"]);
    assert_eq!(space.rye(["verify", "my/*"]).json()["good"], true);
    space.remove("project/.ai/tools/my/one.json");
    space.write("project/.ai/tools/my/two.json", json.replace("1.0.0", "1.1.0"));
    assert_eq!(space.rye(["verify", "my/two"]).json()["items"][0]["issues"][0]["code"], "SIGNATURE_INVALID");
    let signed = space.rye(["sign", "my/two"]).json();
    assert_eq!(signed["manifests"][0]["gone"], serde_json::json!(["one.json"]));
    assert_eq!(signed["manifests"][0]["changed"], serde_json::json!(["two.json"]));
    let counted = space.rye(["trust", "--show"]).json();
    assert_eq!(
        (&counted["signers"][0]["owner"], &counted["signers"][0]["items"]),
        (&"ada".into(), &1.into())
    );
}

#[test]
fn a_file_that_is_named_is_signed_even_if_it_is_no_tool() {
    let space = TestSpace::with_key();
    space.write("project/.ai/tools/my/helper.py", "X = 1\n");
    assert_eq!(space.rye(["sign", "my/*"]).json()["items"], serde_json::json!([]));
    assert_eq!(space.rye(["sign", "my/helper"]).json()["items"][0]["result"], "line");
}
