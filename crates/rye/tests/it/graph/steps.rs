//! What steps are given, and what is made of what they give.

use std::fmt::Write as _;

use rye_graph::driver::RunStatus;
use serde_json::json;

use super::yard::{Yard, text};

/// A tool that counts how often it has run.
const COUNTED: &str = "version: \"1.0.0\"\ntool_type: command\nexecutor_id: rye/core/primitives/execute\ndescription: Counts\n\
    config_schema: {type: object}\nconfig: {command: /bin/bash, args: [\"-c\", 'echo x >> \"$HOME/count\"; wc -l < \"$HOME/count\"'], timeout: 60}\n";

#[test]
fn a_graph_is_executed_like_any_tool() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/effect}, assign: {ok: '${result.ok}'}, next: b}\n    \
        b: {action: {item_type: directive, item_id: say, params: {who: '${inputs.who}'}}, assign: {text: '${result}'}, next: c}\n    \
        c: {type: return, output: {text: '${state.text}', ok: '${state.ok}'}}\n";
    yard.graph("demo/g", "demo/*, \"directive:*\"", body);
    let report = yard.rye(["execute", "demo/g", "--who", "Ada"]).json();
    assert_eq!(report["status"], "success", "{report}");
    assert_eq!(report["data"], json!({ "text": "Hello Ada", "ok": true }));
    assert_eq!(yard.last().header.id, report["run_id"].as_str().unwrap(), "it is one run");
    let errors = report["stderr"].as_str().unwrap();
    assert!(errors.contains("done: a#1@1") && errors.contains("done: b#1@1"), "{errors}");
    let chain: Vec<_> =
        report["attestation"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!(chain.len(), 3, "{chain:?}");
}

#[test]
fn a_run_has_the_time_that_its_graph_gives_it() {
    let yard = Yard::new();
    yard.shop.signed("demo/sleep", "yaml", &COUNTED.replace("wc -l", "sleep 60; wc -l"));
    let body = "  timeout: 1500ms\n  start: a\n  nodes:\n    a: {action: {item_id: demo/sleep}, next: b}\n    b: {type: return, output: 1}\n";
    yard.graph("demo/g", "demo/*", body);
    let answer = yard.rye(["graph", "run", "demo/g"]).json();
    assert_eq!(answer["status"], "cancelled", "{answer}");
    let report = yard.rye(["execute", "demo/g"]).json();
    assert_eq!(report["error"]["code"], "TIMEOUT", "{report}");
}

#[test]
fn what_a_graph_may_not_execute_is_not_executed() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: 'demo/${inputs.which}'}, next: b}\n    b: {type: return, output: done}\n";
    yard.graph("demo/g", "demo/effect", body);
    let answer = yard.rye(["graph", "run", "demo/g", "--which", "flaky"]).json();
    assert_eq!(
        (&answer["status"], &answer["failure"]["kind"]),
        (&json!("failed"), &json!("not_permitted")),
        "{answer}"
    );
    assert!(yard.lines("ran").is_empty());
    assert_eq!(yard.rye(["graph", "run", "demo/g", "--which", "effect"]).json()["status"], "completed");
}

#[test]
fn a_result_is_used_again_if_nothing_is_different() {
    let yard = Yard::new();
    yard.shop.signed("demo/counted", "yaml", COUNTED);
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/counted, params: {x: '${inputs.x}'}}, cache_result: true, assign: {n: '${result}'}, next: b}\n    \
        b: {type: return, output: '${state.n}'}\n";
    yard.graph("demo/g", "demo/*", body);
    let count = |x: &str| yard.rye(["graph", "run", "demo/g", "--x", x]).json()["output"].clone();
    assert_eq!((count("1"), count("1"), count("2"), count("1")), (json!(1), json!(1), json!(2), json!(1)));
    yard.shop.signed("demo/counted", "yaml", &COUNTED.replace("Counts", "Counts otherwise"));
    assert_eq!(count("1"), json!(3), "another tool has another result");
}

#[test]
fn a_step_that_takes_too_long_is_ended_and_tried_again() {
    let yard = Yard::new();
    yard.shop.signed(
        "demo/sleep",
        "yaml",
        &COUNTED.replace("wc -l", "case \"$RYE_STEP_ID\" in *@1) sleep 60;; esac; wc -l"),
    );
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/sleep}, timeout: 300ms, retry: {max: 1}, assign: {n: '${result}'}, next: b}\n    \
        b: {type: return, output: '${state.n}'}\n";
    yard.graph("demo/g", "demo/*", body);
    assert_eq!(yard.rye(["graph", "run", "demo/g"]).json()["output"], json!(2));
}

#[test]
fn a_single_node_runs_with_the_state_that_it_is_given() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/broken}, assign: {name: '${result}'}, next: b}\n    \
        b: {action: {item_type: directive, item_id: say, params: {who: '${state.name} ${inputs.last}'}}, assign: {text: '${result}'}, next: c}\n    \
        c: {type: return, output: '${state.text}'}\n";
    yard.graph("demo/g", "demo/*, \"directive:*\"", body);
    let args =
        ["graph", "step", "demo/g", "b", "--state", r#"{"name":"Ada"}"#, "--params", r#"{"last":"L."}"#];
    let answer = yard.rye(args).json();
    let expect = json!({ "result": "Hello Ada L.", "assigned": { "text": "Hello Ada L." }, "next": "c" });
    assert_eq!(answer["output"], expect, "{answer}");
    let wrong = yard.rye(["graph", "step", "demo/g", "x"]).output();
    assert_eq!(wrong.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("has no node `x`"), "{wrong:?}");
}

#[test]
fn events_are_lines_of_json() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/effect}, next: b}\n    b: {type: return, output: 7}\n";
    yard.graph("demo/g", "demo/*", body);
    let output = yard.rye(["graph", "run", "--events", "demo/g"]).output();
    let lines: Vec<serde_json::Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect();
    let names: Vec<_> = lines.iter().map(|line| line["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["driving", "step_started", "step_ended", "finished"]);
    assert_eq!(lines[3]["output"], 7);
    let output = yard.rye(["graph", "show", "--events", "--run", &yard.last().header.id]).output();
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
}

#[test]
fn a_large_state_is_kept_beside_the_journal() {
    let yard = Yard::new();
    yard.shop.signed(
        "demo/large",
        "yaml",
        "version: \"1.0.0\"\ntool_type: command\nexecutor_id: rye/core/primitives/execute\ndescription: Prints a lot\n\
        config_schema: {type: object}\nconfig: {command: /bin/bash, args: [\"-c\", 'head -c 50000000 /dev/zero | tr \"\\0\" x'], timeout: 60}\n",
    );
    let mut body = "  start: a\n  nodes:\n    a: {action: {item_id: demo/large}, assign: {text: '${result}'}, next: n0}\n".to_owned();
    for index in 0..10 {
        let next = if index == 9 { "gate".to_owned() } else { format!("n{}", index + 1) };
        writeln!(body, "    n{index}: {{action: {{item_type: directive, item_id: say}}, next: {next}}}")
            .unwrap();
    }
    body.push_str("    gate: {type: gate, wait: manual, next: done}\n    done: {type: return, output: '${state.text}'}\n");
    yard.graph("demo/g", "demo/*, \"directive:*\"", &body);
    let output = yard.rye(["graph", "run", "demo/g"]).output();
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    let run = yard.last().header.id;
    let journal = yard.runs().folder().join(format!("{run}.sqlite3"));
    let log =
        yard.runs().folder().join(format!("{run}.sqlite3-wal")).metadata().map_or(0, |found| found.len());
    assert!(journal.metadata().unwrap().len() + log < 1_000_000);
    yard.rye(["graph", "approve", &run]).output();
    let output = yard.rye(["graph", "resume", &run]).output();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.len() > 50_000_000);
}

#[test]
fn a_run_without_steps_is_over_at_once() {
    let yard = Yard::new();
    yard.graph("demo/g", "", "  start: a\n  nodes:\n    a: {type: return, output: '${inputs.x}'}\n");
    assert_eq!(yard.rye(["graph", "run", "demo/g", "--x", "7"]).json()["output"], "7");
    assert_eq!(yard.last().status, RunStatus::Completed);
    let events = yard.rye(["graph", "run", "--events", "demo/g"]).output();
    let events = String::from_utf8(events.stdout).unwrap();
    assert!(
        events.lines().last().unwrap().starts_with(r#"{"event":"finished","status":"failed""#),
        "{events}"
    );
    assert_eq!(yard.last().status, RunStatus::Failed, "there is no `inputs.x`");
}

#[test]
fn the_steps_of_a_list_tell_how_far_it_is() {
    let yard = Yard::new();
    let body = "  start: a\n  nodes:\n    a: {type: foreach, over: [1, 2, 3], as: i, parallel: 1, action: {item_id: demo/effect}, next: b}\n    b: {type: return}\n";
    yard.graph("demo/g", "demo/*", body);
    let output = yard.rye(["graph", "run", "--events", "demo/g"]).output();
    let far = |line: &str| {
        let told: serde_json::Value = serde_json::from_str(line).unwrap();
        told["step"].is_string().then(|| format!("{} {} of {}", told["event"], told["done"], told["of"]))
    };
    let told: Vec<_> = String::from_utf8(output.stdout).unwrap().lines().filter_map(far).collect();
    assert_eq!(told[..3], [r#""step_started" 0 of 3"#, r#""step_ended" 1 of 3"#, r#""step_started" 1 of 3"#]);
    assert_eq!(told[5], r#""step_ended" 3 of 3"#);
    let lines = yard.rye(["graph", "run", "demo/g"]).output();
    let lines = String::from_utf8(lines.stderr).unwrap();
    assert!(lines.contains("done: a#1[2]@1 (") && lines.contains(" ms, 3 of 3)"), "{lines}");
}

#[test]
fn a_single_node_has_the_defaults_of_the_graph() {
    let yard = Yard::new();
    let schema = "config_schema: {type: object, properties: {n: {type: integer, default: 5}, m: {type: integer}}, required: [m]}\nconfig:\n";
    let body =
        "  start: a\n  nodes:\n    a: {type: return, output: {n: '${inputs.n}', s: '${state.s || 0}'}}\n";
    yard.shop.signed("demo/g", "yaml", &text("", body).replace("config:\n", schema));
    let answer = yard.rye(["graph", "step", "demo/g", "a"]).json();
    assert_eq!(answer["output"]["result"], json!({ "n": 5, "s": 0 }), "{answer}");
    let wrong = yard.rye(["graph", "step", "demo/g", "a", "--state", "[1]"]).output();
    let wrong = String::from_utf8(wrong.stderr).unwrap();
    assert!(wrong.contains("cannot read `--state`") && wrong.contains("PARAMS_INVALID"), "{wrong}");
}
