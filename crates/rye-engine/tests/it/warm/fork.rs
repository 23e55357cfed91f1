//! A server that has warmed up forks the process.

use rye_run::runner::Outcome;
use serde_json::json;

use super::suite::{Language, Warm};

const LANGUAGE: Language = Language {
    extension: "py",
    header: "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n",
    greets: "import json, os, sys\n\
             def execute(params, project_path):\n\
             \x20   print('to the errors', file=sys.stderr)\n\
             \x20   return {'greeting': f\"WORD {params['name']}\", 'cwd': os.getcwd(), 'main': __name__, 'argv': len(sys.argv)}\n",
    fails: "import sys\ndef execute(params, project_path):\n    sys.exit(7)\n",
    hangs: "import subprocess, time\n\
            def execute(params, project_path):\n\
            \x20   subprocess.Popen(['/usr/bin/setsid', 'sleep', params['name']])\n\
            \x20   time.sleep(1000)\n",
};

#[test]
fn a_warm_run_equals_a_cold_one() {
    Warm::new(LANGUAGE).equals_cold();
}

#[test]
fn a_changed_tool_is_seen_by_the_next_call() {
    Warm::new(LANGUAGE).sees_changes();
}

#[test]
fn a_killed_worker_is_replaced() {
    Warm::new(LANGUAGE).recovers();
}

#[test]
fn time_ends_the_whole_tree() {
    Warm::new(LANGUAGE).ends_in_time();
}

#[test]
fn many_at_once_all_succeed() {
    Warm::new(LANGUAGE).serves_many();
}

#[test]
fn nothing_is_left_after_many_calls() {
    Warm::new(LANGUAGE).leaks_nothing();
}

#[test]
fn what_the_helper_declines_runs_cold() {
    let warm = Warm::new(LANGUAGE);
    warm.warm_up();
    // A source that does not compile is for the interpreter to complain about.
    let script = json!({ "script": "this is no code" });
    let (outcome, why) = warm.declined("rye/core/runtimes/python/script", &script);
    assert_eq!(outcome.exit_code, Some(1), "{why}");
    assert!(String::from_utf8_lossy(&outcome.errors.bytes).contains("SyntaxError"), "{outcome:?}");
}

#[test]
fn code_that_a_call_brings_along_starts_warm_too() {
    let warm = Warm::new(LANGUAGE);
    warm.warm_up();
    let outcome = warm.until_warm("rye/core/runtimes/python/script", &json!({ "script": "print(6 * 7)" }));
    assert_eq!(outcome.output.bytes, b"42\n");
}

#[test]
fn what_the_code_of_an_environment_sets_is_there() {
    let warm = Warm::new(LANGUAGE);
    warm.make_python_environment(
        "import os, sys; os.environ['MADE'] = 'yes'; sys.excepthook = lambda *_: print('hook')",
    );
    let code = "import os, sys\ndef execute(params, project_path):\n    \
                return [os.environ.get('MADE'), sys.excepthook is sys.__excepthook__]\n";
    warm.write("made", code);
    let outcome = warm.until_warm("made", &json!({}));
    assert_eq!(String::from_utf8_lossy(&outcome.output.bytes), "[\"yes\", false]\n");
}

#[test]
fn a_changed_environment_is_seen_however_long_it_was_still() {
    let warm = Warm::new(LANGUAGE);
    let packages = warm.make_python_environment("import os; os.environ['MADE'] = 'first'");
    warm.write("made", "import os\ndef execute(params, project_path):\n    return os.environ.get('MADE')\n");
    let check = |expect: &str, outcome: Outcome| {
        assert_eq!(String::from_utf8_lossy(&outcome.output.bytes), format!("\"{expect}\"\n"));
    };
    let changes = [("second", "made.pth"), ("third", "other.pth")];
    for (before, (after, file)) in ["first", "second"].into_iter().zip(changes) {
        for _ in 0..8 {
            check(before, warm.until_warm("made", &json!({})));
        }
        std::fs::write(packages.join(file), format!("import os; os.environ['MADE'] = '{after}'\n")).unwrap();
        check(after, warm.execute("made", &json!({}), None));
    }
}

#[test]
fn where_the_code_of_an_environment_looks_at_variables_a_run_is_cold() {
    for line in ["import os; os.environ.pop('PATH', None)", "import os; os.environ.setdefault('PATH', '')"] {
        let warm = Warm::new(LANGUAGE);
        warm.make_python_environment(line);
        let (_, why) = warm.declined("greets", &json!({ "name": "x" }));
        assert!(why.contains("looks at PATH"), "{line}: {why}");
    }
}
