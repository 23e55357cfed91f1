//! Files that were made to do harm: each has a problem of its own, and all others are found.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::{Duration, Instant};

use insta::assert_snapshot;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_engine::{Engine, Lifetime, LoadRequest};
use rye_item::{ItemKind, Space};
use rye_metadata::read_data_file;
use rye_template::{ContextName, Template};
use serde_json::Value;

use crate::tree::{Tree, everything, ids, tool};

const FOLDER: &str = "project/.ai/tools/hostile";

/// A tree of good tools.
fn with_good() -> Tree {
    let tree = Tree::new();
    for number in 0..5 {
        tree.write(&format!("project/.ai/tools/good/g{number}.sh"), tool("Plays the oboe"));
        tree.write(&format!("{FOLDER}/g{number}.sh"), tool("Plays the oboe"));
    }
    tree
}

/// The hostile items with their problems; and that the good ones are found.
#[expect(clippy::print_stderr, reason = "how long it took is worth knowing and not worth asserting")]
fn problems(tree: &Tree) -> String {
    let start = Instant::now();
    let engine = tree.engine(Lifetime::Short);
    assert_eq!(ids(&engine, "oboe").len(), 10);
    eprintln!("searched in {:?}", start.elapsed());
    let hostile = everything(&engine).into_iter().filter(|seen| !seen.id.contains("/g"));
    let line = |id: &str, problem: &str| format!("{}: {problem}\n", id.trim_start_matches("hostile/"));
    let lines = hostile.map(|seen| line(&seen.id, seen.problem.as_deref().unwrap_or("fine")));
    lines.map(|line| line.replace(tree.path("").to_str().unwrap(), "[TREE]/")).collect()
}

/// Loads an item alone, and prints how long that took.
#[expect(clippy::print_stderr, reason = "how long it took is worth knowing and not worth asserting")]
fn load(engine: &Engine, id: &str) -> Result<usize, String> {
    let request =
        LoadRequest { kind: ItemKind::Tool, id: id.to_owned(), from: Some(Space::Project), to: None };
    let start = Instant::now();
    let loaded = engine.load(&request);
    let took = start.elapsed();
    eprintln!("{id}: {took:?}{}", if took > Duration::from_millis(300) { " (slow)" } else { "" });
    loaded.map(|report| report.item.problems.len()).map_err(|error| error.code().as_str().to_owned())
}

#[test]
fn nesting_without_end() {
    let tree = with_good();
    for extension in ["json", "yaml", "py", "js", "ts", "toml", "sh"] {
        tree.write(&format!("{FOLDER}/brackets-{extension}.{extension}"), "[".repeat(1 << 20));
        tree.write(&format!("{FOLDER}/braces-{extension}.{extension}"), "{\"a\":".repeat(1 << 17));
    }
    tree.write(
        &format!("{FOLDER}/list.py"),
        format!("CONFIG = {}1{}\n", "[".repeat(10_000), "]".repeat(10_000)),
    );
    tree.write(&format!("{FOLDER}/minus.py"), format!("CONFIG = {}1\n", "-".repeat(100_000)));
    tree.write(&format!("{FOLDER}/sum.py"), format!("CONFIG = {}1\n", "1+".repeat(100_000)));
    tree.write(&format!("{FOLDER}/arrows.js"), format!("const x = {}1\n", "a=>".repeat(100_000)));
    tree.write(&format!("{FOLDER}/front.yaml"), "- ".repeat(100_000));
    tree.write("project/.ai/knowledge/brackets.md", format!("---\n{}\n---\n", "[".repeat(1 << 20)));
    assert_snapshot!(problems(&tree), @"
    brackets: error: `file` cannot be read: not valid Markdown at 2:256: recursion limit exceeded
    arrows: error: `file` cannot be read: too complex at 1:1505: more than 500 levels of brackets, operators or blocks
    braces-js: error: `file` cannot be read: too complex at 1:1251: more than 500 levels of brackets, operators or blocks
    braces-json: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    braces-py: error: `file` cannot be read: too complex: more than 1000 levels of brackets, operators or blocks
    braces-toml: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    braces-ts: error: `file` cannot be read: too complex at 1:1251: more than 500 levels of brackets, operators or blocks
    braces-yaml: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    brackets-js: error: `file` cannot be read: too complex at 1:501: more than 500 levels of brackets, operators or blocks
    brackets-json: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    brackets-py: error: `file` cannot be read: too complex: more than 1000 levels of brackets, operators or blocks
    brackets-toml: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    brackets-ts: error: `file` cannot be read: too complex at 1:501: more than 500 levels of brackets, operators or blocks
    brackets-yaml: error: `file` cannot be read: too complex: more than 200000 lines, commas and colons
    front: error: `file` cannot be read: not valid YAML at 1:129: it is nested more than 64 levels deep
    list: error: `file` cannot be read: too complex: more than 1000 levels of brackets, operators or blocks
    minus: error: `file` cannot be read: too complex: more than 1000 levels of brackets, operators or blocks
    sum: error: `file` cannot be read: too complex: more than 1000 levels of brackets, operators or blocks
    ");
    let engine = tree.engine(Lifetime::Short);
    assert_eq!(load(&engine, "hostile/brackets-yaml"), Ok(1));
    assert_eq!(load(&engine, "hostile/brackets-py"), Ok(1));
    assert_eq!(load(&engine, "hostile/list"), Ok(1));
}

#[test]
fn bombs() {
    let tree = with_good();
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        writeln!(bomb, "a{level}: &a{level} [{before}]").unwrap();
    }
    tree.write(&format!("{FOLDER}/laughs.yaml"), format!("{bomb}tool_type: http\n"));
    tree.write(&format!("{FOLDER}/keys.yaml"), "tool_type: x\n".repeat(1000));
    tree.write(&format!("{FOLDER}/itself.yaml"), "tool_type: &a [*a]\n");
    tree.write(&format!("{FOLDER}/number.json"), format!("{{\"version\": {}}}", "9".repeat(1 << 20)));
    tree.write(
        &format!("{FOLDER}/power.py"),
        "__version__ = 9 ** 9 ** 9 ** 9\n__tool_type__ = 'x' * 10 ** 12\n",
    );
    tree.write("project/.ai/directives/laughs.md", format!("---\n{bomb}---\n# Laughs\n"));
    assert_snapshot!(problems(&tree), @"
    itself: error: `file` cannot be read: not valid YAML at 1:16: Recursive reference not allowed here
    keys: error: `file` cannot be read: not valid YAML at 2:1: duplicate mapping key: tool_type not allowed here
    laughs: error: `file` cannot be read: not valid YAML at 5:25: there are more than 50000 values in it
    number: error: `file` cannot be read: not valid JSON at 1:1048588: number out of range
    power: 1:15: error: `version` cannot be read: `__version__` is not a literal: an operator
    laughs: error: `file` cannot be read: not valid Markdown at 6:25: there are more than 50000 values in it
    ");
    let engine = tree.engine(Lifetime::Short);
    for id in ["laughs", "keys", "itself", "number"] {
        assert_eq!(load(&engine, &format!("hostile/{id}")), Ok(1), "{id}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    let tree = with_good();
    let good = tool("Plays the flute");
    tree.write(&format!("{FOLDER}/not-utf8.sh"), [good.as_bytes(), b"\xff\xfe"].concat());
    tree.write(&format!("{FOLDER}/not-utf8-py.py"), b"x = '\xc3\x28'\n");
    tree.write(&format!("{FOLDER}/nul.yaml"), "tool_type: \0\n");
    tree.write(&format!("{FOLDER}/nul-py.py"), "__version__ = '1.0.0'\n\0\n");
    tree.write(&format!("{FOLDER}/utf16.py"), b"\xff\xfea\0=\x001\0");
    tree.write(&format!("{FOLDER}/bom.sh"), format!("\u{feff}{good}"));
    tree.write(&format!("{FOLDER}/bom-json.json"), "\u{feff}{\"tool_type\": \"x\", \"executor_id\": null}");
    tree.write(&format!("{FOLDER}/crlf.sh"), good.replace('\n', "\r\n"));
    tree.write(&format!("{FOLDER}/cr.sh"), good.replace('\n', "\r"));
    tree.write(&format!("{FOLDER}/empty.json"), "");
    tree.write(
        &format!("{FOLDER}/one-line.py"),
        format!("x = '{}'\n__version__ = '1.0.0'\n__executor_id__ = None\n", "a".repeat(1 << 20)),
    );
    assert_snapshot!(problems(&tree), @"
    bom: fine
    bom-json: fine
    cr: fine
    crlf: fine
    empty: error: `file` cannot be read: not valid JSON at 1:1: EOF while parsing a value
    not-utf8: 5:1: error: `file` cannot be read: invalid UTF-8 at 5:1
    not-utf8-py: 1:6: error: `file` cannot be read: invalid UTF-8 at 1:6
    nul: 1:12: error: `file` cannot be read: NUL character at 1:12
    nul-py: 2:1: error: `file` cannot be read: NUL character at 2:1
    one-line: error: `tool_type` is missing
    utf16: 1:1: error: `file` cannot be read: invalid UTF-8 at 1:1
    ");
    let engine = tree.engine(Lifetime::Short);
    let flutes = ids(&engine, "flute");
    assert_eq!(flutes, ["hostile/bom", "hostile/cr", "hostile/crlf"]);
}

#[test]
fn sizes() {
    let tree = with_good();
    let sparse = |name: &str, size: u64| {
        fs::File::create(tree.path(format!("{FOLDER}/{name}"))).unwrap().set_len(size).unwrap();
    };
    sparse("fifty-mega.py", 50 << 20);
    sparse("fifty-mega-yaml.yaml", 50 << 20);
    sparse("a-tera.sh", 1 << 40);
    tree.write(&format!("{FOLDER}/just-fits.sh"), {
        let mut text = tool("Plays the flute");
        text.push_str(&"# filler\n".repeat(100_000));
        text
    });
    assert_snapshot!(problems(&tree), @"
    a-tera: error: `file` cannot be read: cannot read `a-tera.sh`: it has 1099511627776 bytes, and an item has at most 8388608
    fifty-mega: error: `file` cannot be read: cannot read `fifty-mega.py`: it has 52428800 bytes, and an item has at most 8388608
    fifty-mega-yaml: error: `file` cannot be read: cannot read `fifty-mega-yaml.yaml`: it has 52428800 bytes, and an item has at most 8388608
    just-fits: fine
    ");
    let engine = tree.engine(Lifetime::Short);
    assert_eq!(load(&engine, "hostile/a-tera"), Err("ITEM_UNREADABLE".to_owned()));
    assert_eq!(load(&engine, "hostile/fifty-mega"), Err("ITEM_UNREADABLE".to_owned()));
}

#[test]
fn things_that_are_no_files_are_passed_over() {
    let tree = with_good();
    let path = |name: &str| tree.path(format!("{FOLDER}/{name}"));
    let mode = Mode::from_raw_mode(0o644);
    mknodat(CWD, path("fifo.py"), FileType::Fifo, mode, 0).unwrap();
    mknodat(CWD, path("socket-node.yaml"), FileType::Socket, mode, 0).unwrap();
    let _listener = UnixListener::bind(path("socket.yaml")).unwrap();
    if rustix::process::geteuid().is_root() {
        mknodat(CWD, path("zero.py"), FileType::CharacterDevice, mode, rustix::fs::makedev(1, 5)).unwrap();
    }
    fs::create_dir(path("folder.py")).unwrap();
    symlink("..", path("up")).unwrap();
    symlink(".", path("self")).unwrap();
    symlink("loop", path("loop")).unwrap();
    symlink(path("g0.sh"), path("linked.sh")).unwrap();
    symlink("/dev/zero", path("zero-link.py")).unwrap();
    symlink("/etc", path("etc")).unwrap();
    fs::write(path("two words.sh"), tool("Plays the flute")).unwrap();
    fs::write(path("new\nline.sh"), tool("Plays the flute")).unwrap();
    fs::write(path("").join(std::ffi::OsStr::from_bytes(b"\xff.sh")), tool("Plays the flute")).unwrap();
    fs::write(path(".hidden.sh"), tool("Plays the flute")).unwrap();
    assert_snapshot!(problems(&tree), @"");
    let engine = tree.engine(Lifetime::Short);
    for (id, code) in [
        ("fifo", "ITEM_UNREADABLE"),
        ("socket", "ITEM_UNREADABLE"),
        ("linked", "ITEM_UNREADABLE"),
        ("up/hostile/g0", "ITEM_UNREADABLE"),
        ("self/g0", "ITEM_UNREADABLE"),
        ("zero-link", "ITEM_UNREADABLE"),
    ] {
        assert_eq!(load(&engine, &format!("hostile/{id}")), Err(code.to_owned()), "{id}");
    }
}

#[test]
fn a_tree_that_is_too_deep_or_too_wide() {
    let tree = with_good();
    let mut deep = tree.path(FOLDER);
    for _ in 0..400 {
        deep.push("d");
    }
    fs::create_dir_all(&deep).unwrap();
    fs::write(deep.join("bottom.sh"), tool("Plays the flute")).unwrap();
    for number in 0..2000 {
        fs::create_dir(tree.path(format!("{FOLDER}/w{number}"))).unwrap();
    }
    assert_snapshot!(problems(&tree), @"");
    let long = tree.engine(Lifetime::Long);
    assert_eq!(everything(&long), everything(&tree.engine(Lifetime::Short)));
}

#[test]
fn a_file_and_a_folder_that_cannot_be_read() {
    let tree = with_good();
    let file = tree.write(&format!("{FOLDER}/locked.sh"), tool("Plays the flute"));
    let folder = tree.write("project/.ai/tools/closed/in.sh", tool("Plays the flute"));
    let folder = folder.parent().unwrap();
    for path in [file.as_path(), folder] {
        fs::set_permissions(path, PermissionsExt::from_mode(0o000)).unwrap();
    }
    let shown = problems(&tree);
    // Nothing is locked for root.
    if rustix::process::geteuid().is_root() {
        assert_eq!(shown, "closed/in: fine\nlocked: fine\n");
    } else {
        assert_eq!(shown, "locked: error: `file` cannot be read: Permission denied (os error 13)\n");
    }
    fs::set_permissions(folder, PermissionsExt::from_mode(0o755)).unwrap();
}

/// In code, a placeholder of a parameter would make that a part of the code. Each stands alone in its text.
#[test]
fn nothing_in_the_bundle_puts_a_parameter_into_a_text() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bundle/.ai/tools")];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().unwrap().to_str().unwrap();
            let Some(read) = read_data_file(name, &fs::read(&path).unwrap()) else { continue };
            let mut values = vec![read.unwrap()["config"].take()];
            while let Some(value) = values.pop() {
                match value {
                    Value::Array(items) => values.extend(items),
                    Value::Object(map) => values.extend(map.into_values()),
                    Value::String(text) => {
                        let template = Template::parse(&text);
                        let is_parameter = |name: &str| ContextName::find(name).is_none();
                        if template.names().any(is_parameter) {
                            assert!(template.as_name().is_some(), "{}: {text}", path.display());
                            seen += 1;
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(seen > 10);
}
