//! What a tool prints is the answer, and how it ends is told.

use insta::assert_snapshot;
use serde_json::json;

use super::{python, shell, stdout, tool, trusted};

#[test]
fn a_number_a_text_a_list() {
    let space = trusted();
    for (printed, expect) in [
        ("42", json!(42)),
        ("\"x\"", json!("x")),
        ("[1, 2]", json!([1, 2])),
        ("plain text", json!("plain text\n")),
        ("", json!(null)),
        ("{\"a\": {}}", json!({"a": {}})),
    ] {
        tool(&space, "t/print.sh", &shell(&format!("printf '%s\\n' '{printed}'")));
        let report = space.rye(["execute", "t/print"]).json();
        assert_eq!((&report["status"], &report["data"]), (&json!("success"), &expect), "{printed}");
    }
    tool(&space, "t/print.sh", &shell("echo 12345678901234567890123.50"));
    let output = space.rye(["execute", "t/print", "--json"]).output();
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"data\": 12345678901234567890123.50,"));
}

#[test]
fn a_report_says_what_ran() {
    let space = trusted();
    tool(
        &space,
        "t/hello.py",
        &python("print('noise')\nreturn {'hello': params['name'], 'where': project_path}"),
    );
    let report = space.rye(["execute", "t/hello", "--params", "{\"name\": \"Alice\"}"]).json();
    let path = space.path("project").to_str().unwrap().to_owned();
    assert_eq!(report["data"], json!({ "hello": "Alice", "where": path }));
    assert_eq!(report["stderr"], "noise\n");
    assert_eq!(report["exit_code"], 0);
    assert_eq!(report["run_id"].as_str().unwrap().len(), 26);
    let chain: Vec<_> =
        report["attestation"].as_array().unwrap().iter().map(|e| (&e["id"], &e["space"])).collect();
    assert_eq!(
        chain,
        [
            (&json!("t/hello"), &json!("project")),
            (&json!("rye/core/runtimes/python/function"), &json!("system")),
            (&json!("rye/core/primitives/execute"), &json!("system")),
        ]
    );
    assert_eq!(report["attestation"][0]["signer"]["owner"], "ada");
    assert_eq!(report["attestation"][1]["signer"]["state"], "program");
}

#[test]
fn failing_without_a_word() {
    let space = trusted();
    tool(&space, "t/fail.sh", &shell("exit 7"));
    assert_snapshot!(space.rye(["execute", "t/fail"]).show(), @"
    $ rye execute t/fail
    exit code: 1
    --- stderr
    error: tool:t/fail failed with exit code 7, without a word [TOOL_FAILED]
    hint: run `rye explain t/fail` to see what ran
    ");
}

#[test]
fn failing_with_a_traceback() {
    let space = trusted();
    tool(&space, "t/raise.py", &python("raise ValueError('what is this')"));
    assert_snapshot!(space.rye(["execute", "t/raise"]).show(), @r#"
    $ rye execute t/raise
    exit code: 1
    --- stderr
    Traceback (most recent call last):
      File "<string>", line 31, in <module>
      File "[SPACE]/project/.ai/tools/t/raise.py", line 9, in execute
        raise ValueError('what is this')
    ValueError: what is this
    error: tool:t/raise failed with exit code 1 [TOOL_FAILED]
    "#);
}

#[test]
fn functions_of_all_kinds() {
    let space = trusted();
    let header = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n";
    for (name, body, expect) in [
        ("main", "def main(a, b=2):\n    return a + b\n", "3\n"),
        ("async_execute", "async def execute(params, project_path):\n    return params\n", "{\"a\": 1}\n"),
        ("async_main", "async def main(**given):\n    return sorted(given)\n", "[\"a\"]\n"),
        ("nothing", "def execute(params, project_path):\n    pass\n", "{}\n"),
        (
            "odd",
            "import pathlib\ndef execute(params, project_path):\n    return {'p': pathlib.Path('x'), 's': 'ü'}\n",
            "{\"p\": \"x\", \"s\": \"ü\"}\n",
        ),
    ] {
        tool(&space, &format!("t/{name}.py"), &format!("{header}{body}"));
        assert_eq!(stdout(&space, &[&format!("t/{name}"), "--params", "{\"a\": 1}"]), expect, "{name}");
    }
}

#[test]
fn pipes_that_nobody_reads_or_closes_hang_nothing() {
    let space = trusted();
    let big = json!({ "text": "x".repeat(1_000_000) }).to_string();
    let file = space.write("big.json", big);
    let big = format!("@{}", file.display());
    for (name, body) in [
        ("never_reads", "echo done"),
        ("writes_first", "head -c 300000 /dev/zero | tr '\\0' a >&2; cat > /dev/null; echo done"),
        ("leaves_a_child", "sleep 30 & echo done"),
        ("leaves_a_daemon", "setsid sleep 30 & disown; echo done"),
    ] {
        tool(&space, &format!("t/{name}.sh"), &shell(body));
        let start = std::time::Instant::now();
        assert_eq!(stdout(&space, &[&format!("t/{name}"), "--params", &big]), "done\n", "{name}");
        assert!(start.elapsed() < std::time::Duration::from_secs(25), "{name} took as long as its child");
    }
}

#[test]
fn long_output_is_all_there() {
    let space = trusted();
    tool(&space, "t/long.sh", &shell("head -c 40000000 /dev/zero | tr '\\0' a"));
    let output = space.rye(["execute", "t/long"]).output();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 40_000_000));
    let report = space.rye(["execute", "t/long"]).json();
    assert_eq!(report["stdout_bytes"], 40_000_000);
    let path = report["stdout_file"]["path"].as_str().unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 40_000_000);
}
