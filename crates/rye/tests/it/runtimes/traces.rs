//! What a tool writes before it fails arrives whole.

use super::language::{execute, language, with_perl};

/// Code that fails two calls deep, and what has to be told of it.
const FAILING: [(&str, &str, &[&str]); 9] = [
    (
        "rye/core/runtimes/python/function",
        "def inner(value):\n    raise KeyError(value)\n\ndef execute(params, project_path):\n    return inner('gone')\n",
        &[
            "Traceback (most recent call last):",
            "t/fail.py\", line 10, in execute",
            "t/fail.py\", line 7, in inner",
            "KeyError: 'gone'",
        ],
    ),
    (
        "python_runtime",
        "def inner():\n    1 / 0\n\nasync def main():\n    inner()\n",
        &["t/fail.py\", line 10, in main", "in inner", "ZeroDivisionError: division by zero"],
    ),
    (
        "rye/core/runtimes/python/script",
        "def inner():\n    raise SystemError('broken')\ninner()\n",
        &["fail.py\", line 8, in <module>", "in inner", "SystemError: broken"],
    ),
    (
        "rye/core/runtimes/node/node",
        "function inner() { throw new RangeError('too far'); }\ninner();\n",
        &["RangeError: too far", "at inner (file://", "fail.mjs:6:"],
    ),
    (
        "deno_runtime",
        "function inner() { throw new RangeError('too far'); }\ninner();\n",
        &["RangeError: too far", "at inner (file://", "fail.mjs:6:"],
    ),
    (
        "rye/core/runtimes/bash/bash",
        "set -eu\ninner() { echo \"$NOT_SET\"; }\ninner\n",
        &["fail.sh: line 7: NOT_SET: unbound variable"],
    ),
    (
        "rye/core/runtimes/ruby/ruby",
        "def inner = raise(ArgumentError, 'not that')\ninner\n",
        &["fail.rb:6:in `inner': not that (ArgumentError)", "fail.rb:7:in `<main>'"],
    ),
    (
        "rust_runtime",
        "fn inner(index: usize) -> u8 { [1, 2][index] }\nfn main() { inner(std::env::args().count() + 5); }\n",
        &["panicked at", "t/fail.rs:6:", "index out of bounds", "stack backtrace:"],
    ),
    (
        "rye/core/runtimes/perl/perl",
        "sub inner { die 'no more' }\ninner();\n",
        &["no more at", "fail.pl line 6."],
    ),
];

#[test]
fn a_trace_names_file_line_and_reason() {
    let space = with_perl();
    for (runtime, code, told) in FAILING {
        language(runtime).tool(&space, "project", "t/fail", code);
        let output = execute(&space, &["t/fail"]).output();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{runtime}: {stderr}");
        for part in told {
            assert!(stderr.contains(part), "{runtime}: `{part}` is not in:\n{stderr}");
        }
        let report = execute(&space, &["t/fail"]).json();
        assert_eq!((&report["status"], &report["error"]["code"]), (&"error".into(), &"TOOL_FAILED".into()));
        assert!(stderr.starts_with(report["stderr"].as_str().unwrap()), "{runtime}: {report}");
        std::fs::remove_dir_all(space.path("project/.ai/tools/t")).unwrap();
    }
}

#[test]
fn a_long_trace_has_its_first_line_too() {
    let space = with_perl();
    let code = "import sys\n\ndef execute(params, project_path):\n    for line in range(20_000):\n        \
        print('line', line, file=sys.stderr)\n    raise ValueError('the end')\n";
    language("rye/core/runtimes/python/function").tool(&space, "project", "t/long", code);
    let stderr = String::from_utf8(execute(&space, &["t/long"]).output().stderr).unwrap();
    assert!(stderr.starts_with("line 0\nline 1\n"), "{}", &stderr[..100]);
    assert_eq!(stderr.lines().filter(|line| line.starts_with("line ")).count(), 20_000);
    assert!(stderr.contains("\nline 19999\nTraceback") && stderr.contains("ValueError: the end\n"));
    let report = execute(&space, &["t/long"]).json();
    let tail = report["stderr"].as_str().unwrap();
    assert!(tail.starts_with("line ") && tail.ends_with("ValueError: the end\n"), "{tail}");
}
