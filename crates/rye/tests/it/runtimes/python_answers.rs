//! The answer of a Python function is what it returns, whatever else is written.

use serde_json::json;

use super::language::{execute, language, with_perl};

/// Ways to write to standard output.
const NOISE: &str = "import logging, os, subprocess, sys\n\
    print('imported')\n\
    def noise():\n    print('printed')\n    print('{\"not\": \"the answer\"}', flush=True)\n    sys.stdout.write('written')\n    \
    sys.stdout.buffer.write(b'\\xff\\x00 bytes\\n')\n    sys.__stdout__.write('the first one\\n')\n    os.write(1, b'by number\\n')\n    \
    subprocess.run(['sh', '-c', 'echo by a child'], check=True)\n    os.system('echo by another')\n    logging.warning('logged')\n";

#[test]
fn nothing_that_is_printed_gets_into_it() {
    let space = with_perl();
    for (runtime, function) in [
        ("rye/core/runtimes/python/function", "def execute(params, project_path):\n"),
        ("rye/core/runtimes/python/function", "async def execute(params, project_path):\n"),
        ("rye/core/runtimes/python/function", "def main(**params):\n"),
        ("python_runtime", "async def main(**params):\n"),
    ] {
        let code = format!("{NOISE}\n{function}    noise()\n    return {{'answer': 42}}\n");
        language(runtime).tool(&space, "project", "t/noisy", &code);
        let output = execute(&space, &["t/noisy"]).output();
        assert_eq!(output.stdout, b"{\"answer\": 42}\n", "{runtime} {function}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        for part in [
            "imported",
            "printed",
            "not\": \"the",
            "written",
            "bytes",
            "the first one",
            "by number",
            "by a child",
            "by another",
            "logged",
        ] {
            assert!(stderr.contains(part), "{runtime}: `{part}` is not in:\n{stderr}");
        }
    }
}

#[test]
fn noise_after_the_answer_does_not_get_into_it_either() {
    let space = with_perl();
    let code = "import atexit, os, threading, time\n\
        def late():\n    time.sleep(0.2)\n    os.write(1, b'late')\n\
        def execute(params, project_path):\n    atexit.register(print, 'at exit')\n    threading.Thread(target=late).start()\n    return 'answer'\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/late", code);
    let output = execute(&space, &["t/late"]).output();
    assert_eq!(output.stdout, b"\"answer\"\n");
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("late") && stderr.contains("at exit"), "{stderr}");
}

#[test]
fn values_that_json_has_not_become_texts() {
    let space = with_perl();
    let code = "import datetime, decimal, enum, uuid\n\
        class Odd:\n    def __str__(self):\n        return 'odd'\n\
        class Colour(enum.IntEnum):\n    RED = 1\n\
        def execute(params, project_path):\n    return {'date': datetime.date(2026, 1, 2), 'money': decimal.Decimal('1.10'),\n        \
        'id': uuid.UUID(int=1), 'odd': [Odd()], 'set': {1}, 'bytes': b'x', 'colour': Colour.RED, 'tuple': (1, None), 3: True}\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/odd", code);
    let report = execute(&space, &["t/odd"]).json();
    assert_eq!(
        report["data"],
        json!({ "date": "2026-01-02", "money": "1.10", "id": "00000000-0000-0000-0000-000000000001", "odd": ["odd"],
            "set": "{1}", "bytes": "b'x'", "colour": 1, "tuple": [1, null], "3": true })
    );
}

#[test]
fn numbers_and_keys_that_json_has_not_become_texts() {
    let space = with_perl();
    let code = "def execute(params, project_path):\n    \
        return {'nan': float('nan'), 'list': [float('-inf'), 1.5], (1, 2): 'x', 3: None, 'deep': {'more': (float('inf'),)}}\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/odder", code);
    let report = execute(&space, &["t/odder"]).json();
    assert_eq!(
        report["data"],
        json!({ "nan": "nan", "list": ["-inf", 1.5], "(1, 2)": "x", "3": null, "deep": { "more": ["inf"] } })
    );
    let code = "def execute(params, project_path):\n    loop = []\n    loop.append(loop)\n    return loop\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/loop", code);
    let report = execute(&space, &["t/loop"]).json();
    assert!(report["stderr"].as_str().unwrap().contains("Circular reference detected"), "{report}");
}

#[test]
fn code_that_is_given_to_the_runtime_itself_is_called() {
    let space = with_perl();
    let runtime = "rye/core/runtimes/python/function";
    let called = |code: &str| {
        let params = json!({ "script": code, "word": "hello" }).to_string();
        execute(&space, &[runtime, "--params", &params]).json()
    };
    let report = called("def execute(params, project_path):\n    return params");
    assert_eq!(report["data"], json!({ "word": "hello" }), "{report}");
    let report = called("def main(word):\n    print('noise')\n    return word");
    assert_eq!(report["data"], "hello", "{report}");
    let report = called("def execute(params, project_path):\n    return 1 / 0");
    assert!(report["stderr"].as_str().unwrap().contains("File \"<script>\", line 2"), "{report}");
    let output = execute(&space, &[runtime]).output();
    assert!(String::from_utf8_lossy(&output.stderr).contains("`/script` is missing"), "{output:?}");
}

#[test]
fn leaving_early_is_an_answer_by_exit_code() {
    let space = with_perl();
    for (code, expect) in [("sys.exit(3)", 3), ("sys.exit('said why')", 1), ("os._exit(7)", 7)] {
        let code = format!("import os, sys\ndef execute(params, project_path):\n    {code}\n");
        language("rye/core/runtimes/python/function").tool(&space, "project", "t/leave", &code);
        let report = execute(&space, &["t/leave"]).json();
        assert_eq!(
            (&report["data"], &report["exit_code"]),
            (&json!(null), &json!(expect)),
            "{code}: {report}"
        );
    }
}

/// What a parameter says is never a part of the code that a runtime brings along, whatever the parameter is called.
#[test]
fn no_parameter_gets_into_the_code_of_the_runtime() {
    let space = with_perl();
    for runtime in ["rye/core/runtimes/python/function", "python_runtime"] {
        let code = "def execute(params, project_path):\n    return params\n";
        language(runtime).tool(&space, "project", "t/given", code);
        let evil = "x\")\nopen(\"evil\", \"w\").close()\nif 0:\n    print(\"";
        let sent =
            json!({ "source": evil, "copy": evil, "value": evil, "name": evil, "key": evil, "text": evil });
        let report = execute(&space, &["t/given", "--params", &sent.to_string()]).json();
        assert_eq!(report["data"], sent, "{runtime}");
        assert!(!space.path("project/evil").exists(), "{runtime}");
    }
}
