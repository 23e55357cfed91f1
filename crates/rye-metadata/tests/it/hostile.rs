//! Files made to hurt: each is an error, soon, on a small stack.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};
use rye_metadata::MAX_FILE_BYTES;

use crate::support::{extractor_for, python_tool};

const STACK: usize = 2 * 1024 * 1024;

/// Builds without optimisation get the time that they need.
const LIMIT: Duration = Duration::from_millis(if cfg!(debug_assertions) { 3_000 } else { 300 });

/// How much of one thing is a lot; without optimisation less is enough to overflow a stack.
const HUGE: usize = if cfg!(debug_assertions) { 200_000 } else { 4_000_000 };

const EXTENSIONS: [&str; 8] = ["py", "js", "ts", "yaml", "json", "toml", "md", "sh"];

/// What reading `bytes` ends with, on a thread with a small stack, within the time limit.
fn outcome(extension: &str, bytes: impl Into<Vec<u8>>) -> Result<(), String> {
    let (extension, bytes) = (extension.to_owned(), bytes.into());
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    let work = move || {
        let extractor = extractor_for(&extension);
        let path = format!("t/a.{extension}");
        let start = cpu_time();
        let result = extractor.extract(rye_metadata::ItemPath::new(&path), &bytes);
        let elapsed = cpu_time().saturating_sub(start);
        assert!(elapsed < LIMIT, "{extension} {head:?}: {elapsed:?}");
        match result {
            Ok(extraction) if extraction.has_errors() => Err(extraction.problems[0].to_string()),
            Ok(_) => Ok(()),
            Err(error) => Err(error.kind.to_string()),
        }
    };
    thread::Builder::new().stack_size(STACK).spawn(work).unwrap().join().unwrap()
}

/// What this thread has cost so far, which does not depend on what else the machine does.
fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

fn refused(extension: &str, bytes: impl Into<Vec<u8>>) -> String {
    outcome(extension, bytes).expect_err("a hostile file was read")
}

#[test]
fn a_megabyte_of_brackets() {
    for extension in EXTENSIONS {
        for bracket in [
            "[", "(", "{", "[[{(", "]", "}", ")", "<", "-", "'", "\"", "`", "\\", "#", "*", "&a ", "!", ": ",
            "- ",
        ] {
            let text = bracket.repeat(1_000_000 / bracket.len());
            let _ = outcome(extension, text);
        }
    }
    let check = |extension, expect: &str| assert_eq!(refused(extension, "[".repeat(1_000_000)), expect);
    check("py", "too complex: more than 1000 levels of brackets, operators or blocks");
    check("js", "too complex at 1:501: more than 500 levels of brackets, operators or blocks");
    check("ts", "too complex at 1:501: more than 500 levels of brackets, operators or blocks");
    check("json", "too complex: more than 200000 lines, commas and colons");
    check("sh", "error: `tool_type` is missing");
}

#[test]
fn deep_python() {
    let around = |open: &str, inside: &str, close: &str| {
        format!("CONFIG = {}{inside}{}\n", open.repeat(10_000), close.repeat(10_000))
    };
    let blocks = (0..2_000).fold(String::new(), |text, level| text + &" ".repeat(level) + "if a:\n");
    for source in [
        around("[", "1", "]"),
        around("(", "1", ")"),
        around("{1: ", "1", "}"),
        around("f(", "1", ")"),
        around("-", "1", ""),
        around("not ", "1", ""),
        around("~", "1", ""),
        around("1 + ", "1", ""),
        around("1 ** ", "1", ""),
        around("1 if 1 else ", "1", ""),
        around("lambda a, b: ", "1", ""),
        around("a.", "a", ""),
        around("a and not ", "a", ""),
        around("(yield ", "1", ")"),
        around("await ", "1", ""),
        around("f'{", "1", "}'"),
        around("a[", "1", "]"),
        around("*", "a", ""),
        around("(]", "1", ""),
        format!("CONFIG = a{}\n", "()".repeat(10_000)),
        format!("CONFIG = a{}\n", "[0]".repeat(10_000)),
        format!("x{}\n", ": a[".repeat(10_000)),
        format!("match x:\n    case {}1{}: pass\n", "[".repeat(10_000), "]".repeat(10_000)),
        blocks,
    ] {
        let error = refused("py", source);
        assert!(error.starts_with("too complex") || error.starts_with("not valid Python"), "{error}");
    }
    // Long is not deep.
    assert_eq!(outcome("py", python_tool(&format!("X = [{}]", "[1], ".repeat(50_000)))), Ok(()));
    assert_eq!(outcome("py", python_tool(&format!("X = ({})", "'a' ".repeat(50_000)))), Ok(()));
    assert_eq!(outcome("py", python_tool(&"x = -1; y = f(a)(b)\n".repeat(20_000))), Ok(()));
    assert_eq!(outcome("py", python_tool(&format!("x = a{}", " and b".repeat(900)))), Ok(()));
}

#[test]
fn the_deepest_python_that_is_read() {
    let nested = |depth: usize| python_tool(&format!("X = {}1{}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!(outcome("py", nested(900)), Ok(()));
    let config =
        |depth: usize| python_tool(&format!("CONFIG = {{'x': {}1{}}}", "[".repeat(depth), "]".repeat(depth)));
    assert_eq!(outcome("py", config(127)), Ok(()));
    assert_eq!(
        refused("py", config(128)),
        "5:143: error: `config` cannot be read: `CONFIG` is nested more than 128 levels deep"
    );
    for part in ["-", "not ", "lambda: ", "1 + ", "a.b + ", "1 if 1 else "] {
        let source = python_tool(&format!("X = {}1", part.repeat(300)));
        assert_eq!(outcome("py", source), Ok(()), "{part}");
    }
}

#[test]
fn deep_javascript() {
    let around = |open: &str, inside: &str, close: &str| {
        format!("x = {}{inside}{}\n", open.repeat(10_000), close.repeat(10_000))
    };
    for source in [
        around("[", "1", "]"),
        around("(", "1", ")"),
        around("{a: ", "1", "}"),
        around("({a: ", "1", "})"),
        around("(a = ", "1", ")"),
        around("async (a = ", "1", ")"),
        around("f(", "1", ")"),
        around("!", "1", ""),
        around("- ", "1", ""),
        around("typeof ", "1", ""),
        around("new ", "a", ""),
        around("1 ** ", "1", ""),
        around("a = ", "1", ""),
        around("a => ", "1", ""),
        around("async a => ", "1", ""),
        around("a ? 1 : ", "1", ""),
        around("a ? ", "1", " : 1"),
        around("`${", "1", "}`"),
        around("function () { return ", "1", "}"),
        around("class extends ", "a", "{}"),
        around("a[", "1", "]"),
        format!("{}1", "if (a) ".repeat(10_000)),
        format!("{}1", "if (a) {} else ".repeat(10_000)),
        format!("{}1", "a: ".repeat(10_000)),
        format!("{}1{}", "{".repeat(10_000), "}".repeat(10_000)),
        format!("{}1", "for (;;) ".repeat(10_000)),
        format!("{}a", "do ".repeat(10_000)),
        format!("{{}} / {}1", "[".repeat(10_000)),
        format!("as / {} / 1", "[".repeat(10_000)),
        format!("let / {} / 1", "[".repeat(10_000)),
        format!("<!-- {}", "[".repeat(10_000)),
        format!("//\u{2028}{}", "[".repeat(10_000)),
    ] {
        for extension in ["js", "ts"] {
            let error = refused(extension, source.as_str());
            assert!(error.starts_with("too complex") || error.starts_with("not valid"), "{error}");
        }
    }
    for source in [
        format!("type A = {}1{}", "a<".repeat(10_000), ">".repeat(10_000)),
        format!("type A = {}1{}", "a<b, ".repeat(10_000), ">".repeat(10_000)),
        format!("type A = {}a", "keyof ".repeat(10_000)),
        format!("type A = {}a", "(a: ".repeat(10_000)),
        format!("type A = {}a", "a extends b ? c : ".repeat(10_000)),
        format!("x = {}1", "a<b>(".repeat(10_000)),
        format!("x = {}1", "<a>".repeat(10_000)),
        format!("x = a{}", " as b".repeat(10_000)),
    ] {
        let error = refused("ts", source);
        assert!(error.starts_with("too complex") || error.starts_with("not valid"), "{error}");
    }
}

#[test]
fn long_javascript_is_not_deep() {
    let head = "const __tool_type__ = 'a', __executor_id__ = 'b';\n";
    for body in [
        format!("x = 1{}", " + 1".repeat(100_000)),
        format!("x = a{}", ".b".repeat(100_000)),
        format!("x = a{}", "?.b".repeat(100_000)),
        format!("x = a{}", "()".repeat(100_000)),
        format!("x = a{}", "[0]".repeat(100_000)),
        format!("x = a{}", "``".repeat(100_000)),
        format!("x = a{}", " && b || c".repeat(50_000)),
        format!("x = a{}", ", b".repeat(100_000)),
        format!("x = [{}]", "[1], ".repeat(50_000)),
        "const f = (a) => ({ b: a / 2 })\n".repeat(10_000),
        "if (a) { b() } else { c() }\n".repeat(10_000),
        "class A { b = 1; c() { return /[/]/.test(`${d}`) } }".repeat(5_000),
    ] {
        assert_eq!(outcome("js", format!("{head}{body}\n")), Ok(()), "{}", &body[..40]);
        assert_eq!(outcome("ts", format!("{head}{body}\n")), Ok(()), "{}", &body[..40]);
    }
    assert_eq!(outcome("ts", format!("{head}x = a{}\n", "!".repeat(100_000))), Ok(()));
}

/// The deepest that passes, and the most work that passes, at once.
#[test]
fn expensive_javascript() {
    for (open, close) in
        [("(a=", ")"), ("([a=", "])"), ("async(a=", ")"), ("(", ")"), ("a?(b):c=>(", ")"), ("a<", ">(1)")]
    {
        for depth in [20, 60, 100, 200, 240] {
            let group = format!("x = {}1{};\n", open.repeat(depth), close.repeat(depth));
            for extension in ["js", "ts"] {
                let _ = outcome(extension, group.repeat(1_000_000 / group.len()));
                let _ = outcome(extension, group.as_str());
            }
        }
    }
}

#[test]
fn yaml_that_explodes() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        writeln!(bomb, "a{level}: &a{level} [{alias}]").unwrap();
    }
    let wide = format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(1_000), "*a, ".repeat(1_000));
    for source in [
        bomb,
        wide,
        format!("a: {}1{}", "[".repeat(10_000), "]".repeat(10_000)),
        (0..10_000).fold(String::new(), |text, level| text + &" ".repeat(level % 200) + "a:\n"),
        "? ".repeat(10_000),
        "- ".repeat(10_000),
        "&a ".repeat(10_000),
        "a: &a {<<: *a}".to_owned(),
        "a: 1\n".repeat(100_000),
    ] {
        let error = refused("yaml", source.as_str());
        assert!(error.starts_with("not valid YAML"), "{error}");
        let error = refused("md", format!("---\n{source}\n---\n"));
        assert!(error.starts_with("not valid Markdown"), "{error}");
    }
    let mut many = String::new();
    for index in 0..100_000 {
        writeln!(many, "k{index}: v").unwrap();
    }
    assert!(refused("yaml", many.as_str()).starts_with("not valid YAML"));
    for extension in ["yaml", "json", "toml"] {
        assert_eq!(
            refused(extension, many.repeat(2)),
            "too complex: more than 200000 lines, commas and colons"
        );
    }
}

#[test]
fn deep_json_and_toml() {
    for source in [
        format!("{{\"a\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("{}1{}", "{\"a\": ".repeat(10_000), "}".repeat(10_000)),
    ] {
        let error = refused("json", source);
        assert!(error.contains("recursion limit exceeded"), "{error}");
    }
    for source in [
        format!("a = {}1{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("a = {}1{}", "{a = ".repeat(10_000), "}".repeat(10_000)),
        format!("{}a = 1", "a.".repeat(10_000)),
        format!("[{}a]", "a.".repeat(10_000)),
    ] {
        let error = refused("toml", source);
        assert!(error.starts_with("not valid TOML"), "{error}");
    }
}

#[test]
fn too_many_keys() {
    let mut keys = [String::new(), String::new(), String::new()];
    for index in 0..90_000 {
        let [json, toml, yaml] = &mut keys;
        write!(json, "{}\"k{index}\":1", if index == 0 { "{" } else { "," }).unwrap();
        writeln!(toml, "k{index}=1").unwrap();
        if index < 20_000 {
            writeln!(yaml, "k{index}: 1").unwrap();
        }
    }
    let [json, toml, yaml] = keys;
    let expect = "error: `k0` is unknown; known: ";
    for (extension, source) in [("json", json + "}"), ("toml", toml), ("yaml", yaml)] {
        let error = refused(extension, source);
        assert!(error.contains(expect), "{error}");
    }
    let values = "x: x\n".repeat(90_000);
    assert!(
        refused("yaml", format!("tags: [{}]\n", "1, ".repeat(40_000))).contains("`tags.0` must be a text")
    );
    assert!(refused("md", format!("---\n{values}---\n")).contains("duplicate"));
}

#[test]
fn what_is_no_text() {
    for extension in EXTENSIONS {
        assert_eq!(refused(extension, b"a\n\xff\xfe".to_vec()), "invalid UTF-8 at 2:1");
        assert_eq!(refused(extension, b"a = \0\n".to_vec()), "NUL character at 1:5");
        let size = MAX_FILE_BYTES + 1;
        assert_eq!(
            refused(extension, vec![b' '; size]),
            format!("{size} bytes, more than the {MAX_FILE_BYTES} that are read")
        );
        let _ = outcome(extension, b"\xef\xbb\xbf".to_vec());
        let _ = outcome(extension, Vec::new());
    }
}

#[test]
fn huge_lines() {
    for extension in EXTENSIONS {
        let parts = [
            "a",
            " ",
            "\n",
            "a ",
            "ä",
            "ä ",
            "§",
            "\u{1}",
            "\\",
            "\\u",
            "\\u{",
            "@",
            "#",
            "#a ",
            "1a ",
            "0_ ",
            "1 ",
            "'a' ",
            "'a'\n",
            "'",
            "a'",
            "a;",
            "a,",
            "a\n",
            "a=",
            "a=1\n",
            "a=1,",
            "?",
            "$",
            "`",
            "`a`",
            "/",
            "/a/ ",
            "//\n",
            "/**/",
            "/***/",
            "/*",
            "a:",
            "a: ",
            ":",
            "::",
            ";",
            "=",
            "!",
            "!a ",
            "%",
            "&",
            "|",
            "- ",
            "-a ",
            "~",
            "^",
            ".",
            "..",
            "...",
            "a.",
            ".a",
            "[]",
            "()",
            "{}",
            "[],",
            "<a>",
            "</a>",
            "<!--",
            "-->",
            "case ",
            "if ",
            "if(a)",
            "import a\n",
            "import a;",
            "export ",
            "def a():\n",
            "def ",
            "class ",
            "lambda ",
            "f''",
            "f'",
            "f'{a}'",
            "f'{a}' ",
            "b'' ",
            "@a\n",
            "\u{2028}",
            "\u{a0}",
            "\u{feff}",
            "a\\\n",
            "(a)",
            "a(",
            "a)",
            "x\n x\n",
            "- a\n",
            "&a ",
            "*a ",
            "!a ",
            "!!a ",
            "? a\n",
            "| \n",
            "> \n",
            "---\n",
            "...\n",
            "%a\n",
            "# \n",
            "# a: b\n",
            "[a]\n",
            "[[a]]\n",
            "a.a=1\n",
            "\"\"\"",
            "\"a\"=1\n",
            "{a:1},",
            "\"a\":1,",
            "{\"a\":",
            "null,",
            "1,",
            "-1,",
            "1e5,",
            "true ",
            "/** @a */\n",
            " * @a\n",
        ];
        for part in parts {
            let _ = outcome(extension, part.repeat(HUGE / part.len()));
        }
        let _ = outcome(extension, format!("# {}", "version: ".repeat(HUGE / 9)));
        let _ = outcome(extension, format!("/** {} */", "@a ".repeat(HUGE / 3)));
        let _ = outcome(extension, format!("x = \"{}\"", "a".repeat(HUGE)));
    }
}

/// Tokens that could confuse whoever counts levels, with `¦` between them.
const TOKENS: &str = "(¦)¦[¦]¦{¦}¦<¦>¦${¦`¦'¦\"¦/¦//¦/*¦*/¦\\¦\n¦ ¦;¦,¦.¦:¦?¦?.¦??¦=¦=>¦==¦+¦++¦-¦--¦!¦~¦*¦**¦&¦|¦@¦#¦a¦b¦1¦1.¦\
    if¦if (a)¦else¦for¦while (a)¦do¦return¦typeof¦new¦await¦async¦yield¦of¦let¦const¦as¦in¦case¦class¦function¦\
    keyof¦extends¦infer¦is¦type¦lambda¦not¦and¦f'¦f'{¦'''¦- ¦: ¦? ¦&a¦*a¦<<: ¦|\n¦---\n¦if a:\n ¦\u{2028}¦\u{a0}¦\
    <!--¦-->¦a.¦x = ¦a<b>¦!r¦:=¦...¦with¦match¦import¦export¦default";

fn snippet() -> impl Strategy<Value = String> {
    let tokens: Vec<_> = TOKENS.split('¦').collect();
    prop::collection::vec(prop::sample::select(tokens), 1..7).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn any_repetition_is_read_or_refused(head in snippet(), part in snippet(), tail in snippet()) {
        for extension in EXTENSIONS {
            let _ = outcome(extension, format!("{head}{}{tail}{}", part.repeat(4_000), tail.repeat(4_000)));
        }
    }
}
