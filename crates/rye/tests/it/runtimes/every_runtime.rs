//! What holds for tools of every runtime.

use lillux::Digest;
use serde_json::{Value, json};

use super::language::{LANGUAGES, execute, language, with_perl};

/// How many bytes are sent and come back: more than is kept in memory.
const MANY: usize = 100_000_000;

#[test]
fn tools_of_the_project_and_of_the_user_answer() {
    let space = with_perl();
    for language in &LANGUAGES {
        for place in ["project", "home"] {
            // What a project adds is for its own tools.
            if place == "home" && language.runtime.contains("perl") {
                continue;
            }
            let id = format!("{place}/{}_{}", language.runtime.replace('/', "_"), language.extension);
            language.tool(&space, place, &id, language.echo);
            let report = execute(&space, &[&id, "--params", r#"{"a": [1, {"b": null}]}"#]).json();
            assert_eq!(report["data"], json!({ "a": [1, { "b": null }] }), "{id}: {report}");
        }
    }
}

#[test]
fn texts_arrive_and_come_back_as_they_are() {
    let space = with_perl();
    let texts = [
        "",
        "plain",
        "é ü ß — „quoted“ 漢字 \u{1f600} \u{10ffff} e\u{301}",
        "\0 in the middle, and at the end \0",
        "\u{1}\u{2}\u{7}\u{8}\u{b}\u{c}\u{1b}[31m\u{7f}\u{80}\u{9f}\u{feff}\u{fffe}\u{ffff}",
        "a\nb\r\nc\td\u{2028}\u{2029}\u{202e}",
        "\\ \" ' ` $HOME ${HOME} {tool_path} {{}} %s %00 <!-- */ # //",
    ];
    let sent = json!({ "texts": texts, "é \u{0} key": { "": "" } });
    for language in &LANGUAGES {
        let id = format!("t/{}_{}", language.runtime.replace('/', "_"), language.extension);
        language.tool(&space, "project", &id, language.echo);
        let report = execute(&space, &[&id, "--params", &sent.to_string()]).json();
        assert_eq!(report["data"], sent, "{id}");
    }
}

/// JSON has escapes for halves of characters. No text can hold one, so none is passed on, and it is said where it is.
#[test]
fn half_a_character_is_no_parameter() {
    let space = with_perl();
    let language = language("rye/core/runtimes/bash/bash");
    language.tool(&space, "project", "t/echo", language.echo);
    let output = execute(&space, &["t/echo", "--params", r#"{"a": "x \ud800 y"}"#]).output();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr.contains("has an escape that is not a character [PARAMS_INVALID]"), "{stderr}");
}

/// A tool can answer with one all the same, and then the answer is the text that it printed.
#[test]
fn half_a_character_in_an_answer_loses_nothing() {
    let space = with_perl();
    for (runtime, code) in [
        (
            "rye/core/runtimes/python/function",
            "def execute(params, project_path):\n    return {'a': 'x \\ud800 y'}\n",
        ),
        ("rye/core/runtimes/node/node", "console.log(JSON.stringify({ a: 'x \\ud800 y' }));\n"),
        ("rye/core/runtimes/bash/bash", "printf '%s\\n' '{\"a\": \"x \\ud800 y\"}'\n"),
    ] {
        language(runtime).tool(&space, "project", "t/half", code);
        let output = execute(&space, &["t/half"]).output();
        assert!(output.status.success(), "{runtime}: {output:?}");
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(printed.contains("x \\ud800 y"), "{runtime}: {printed}");
        let report = execute(&space, &["t/half", "--json"]).output();
        let report = String::from_utf8(report.stdout).unwrap();
        assert!(report.contains("ud800 y"), "{runtime}: {report}");
        std::fs::remove_dir_all(space.path("project/.ai/tools/t")).unwrap();
    }
}

/// Bytes that are no text come out as they are, and as text with replacements in a report.
#[test]
fn bytes_that_are_no_text_come_out_as_they_are() {
    let space = with_perl();
    for (runtime, code) in [
        ("rye/core/runtimes/python/script", "import sys\nsys.stdout.buffer.write(bytes(range(256)))\n"),
        ("rye/core/runtimes/node/node", "process.stdout.write(Buffer.from([...Array(256).keys()]));\n"),
        ("rye/core/runtimes/ruby/ruby", "$stdout.binmode.write((0..255).to_a.pack('C*'))\n"),
        ("rye/core/runtimes/perl/perl", "binmode STDOUT; print pack 'C*', 0..255;\n"),
    ] {
        language(runtime).tool(&space, "project", "t/bytes", code);
        let output = execute(&space, &["t/bytes"]).output();
        assert_eq!(output.stdout, (0..=255).collect::<Vec<u8>>(), "{runtime}: {output:?}");
        let report = execute(&space, &["t/bytes"]).json();
        assert_eq!(report["data"], String::from_utf8_lossy(&output.stdout).as_ref(), "{runtime}");
        std::fs::remove_dir_all(space.path("project/.ai/tools/t")).unwrap();
    }
}

/// Sends more than a command line or the memory for output could take, and gets all of it back in a file.
fn check_many(runtime: &str) {
    let space = with_perl();
    let language = language(runtime);
    language.tool(&space, "project", "t/echo", language.echo);
    let mut sent = b"{\"text\":\"".to_vec();
    sent.resize(sent.len() + MANY, b'x');
    sent.extend_from_slice(b"\"}");
    let file = space.write("many.json", &sent);
    let report = execute(&space, &["t/echo", "--params", &format!("@{}", file.display())]).json();
    assert_eq!(report["status"], "success", "{runtime}: {report}");
    let output = &report["stdout_file"];
    let bytes = std::fs::read(output["path"].as_str().unwrap()).unwrap();
    let (name, text) = sent.split_at("{\"text\":".len());
    assert!(bytes.starts_with(name) && bytes.trim_ascii_end().ends_with(text), "{runtime}");
    assert!(bytes.len() <= sent.len() + 2, "{runtime}: at most a space and a line break more");
    assert_eq!(output["bytes"], Value::from(bytes.len()), "{runtime}");
    assert_eq!(output["digest"], Digest::of(&bytes).to_string(), "{runtime}");
    assert_eq!(report["stdout_bytes"], Value::from(bytes.len()), "{runtime}");
}

macro_rules! many {
    ($($test:ident $runtime:literal,)*) => {
        const CHECKED: &[&str] = &[$($runtime),*];
        $(
            #[test]
            fn $test() {
                check_many($runtime);
            }
        )*
    };
}

many! {
    many_bytes_through_a_python_function "rye/core/runtimes/python/function",
    many_bytes_through_the_old_python_name "python_runtime",
    many_bytes_through_a_python_script "rye/core/runtimes/python/script",
    many_bytes_through_node "rye/core/runtimes/node/node",
    many_bytes_through_the_old_node_name "node_runtime",
    many_bytes_through_deno "deno_runtime",
    many_bytes_through_bash "rye/core/runtimes/bash/bash",
    many_bytes_through_ruby "rye/core/runtimes/ruby/ruby",
    many_bytes_through_the_old_ruby_name "ruby_runtime",
    many_bytes_through_a_program "rye/core/runtimes/rust/runtime",
    many_bytes_through_a_compiled_file "rust_runtime",
    many_bytes_through_a_runtime_of_the_user "rye/core/runtimes/perl/perl",
}

#[test]
fn no_runtime_is_left_out() {
    let languages: Vec<_> = LANGUAGES.iter().map(|language| language.runtime).collect();
    assert_eq!(languages, CHECKED);
    let space = with_perl();
    let words = ["search", "--category", "rye/core/runtimes", "--limit", "100"];
    let runtimes = space.rye(words).json();
    let runtimes = runtimes["hits"].as_array().unwrap().iter().map(|hit| hit["id"].as_str().unwrap());
    for id in runtimes {
        // Helpers, the modules of the tools that come with the program, whoever calls tools of servers, and graphs.
        if id.ends_with("/worker")
            || id.contains("/system")
            || id.contains("/mcp")
            || id.contains("/state-graph")
        {
            continue;
        }
        let name = id.strip_prefix("rye/core/runtimes/").unwrap();
        assert!(languages.iter().any(|known| *known == id || *known == name), "{id} is not tested");
    }
}
