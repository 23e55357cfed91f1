//! The process is the helper itself, which takes one job.

use serde_json::json;

use super::suite::{Language, Warm};

const LANGUAGE: Language = Language {
    extension: "mjs",
    header: "export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"node\";\nexport const __executor_id__ = \"rye/core/runtimes/node/node\";\n",
    greets: "import fs from 'node:fs';\n\
             const params = JSON.parse(fs.readFileSync(0, 'utf8'));\n\
             console.error('to the errors');\n\
             console.log(JSON.stringify({ greeting: `WORD ${params.name}`, cwd: process.cwd(), argv: process.argv.length }));\n",
    fails: "process.exit(7);\n",
    hangs: "import fs from 'node:fs';\n\
            import { spawn } from 'node:child_process';\n\
            const params = JSON.parse(fs.readFileSync(0, 'utf8'));\n\
            spawn('/usr/bin/setsid', ['sleep', params.name], { stdio: 'ignore', detached: true });\n\
            setTimeout(() => {}, 1000000);\n",
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
fn code_that_a_call_brings_along_runs() {
    let warm = Warm::new(LANGUAGE);
    warm.warm_up();
    let outcome =
        warm.execute("rye/core/runtimes/node/node", &json!({ "script": "console.log(6 * 7)" }), None);
    assert_eq!(outcome.output.bytes, b"42\n");
}
