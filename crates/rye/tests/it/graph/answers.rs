//! What people say to runs: approvals, refusals, pauses and ends.

use std::process::Stdio;

use rye_graph::Event;
use rye_graph::driver::{ListedRun, RunStatus};
use serde_json::json;

use super::yard::Yard;
use crate::workshop::eventually;

const GATE: &str = "  start: gate
  nodes:
    gate: {type: gate, wait: manual, message: 'Really ${inputs.what}?', assign: {by: '${result.comment}'}, on_error: no, next: done}
    done: {type: return, output: {said: '${state.by}'}}
    no: {type: return, output: {refused: '${error.message}'}}
";

/// A step that takes as long as somebody lets it.
const SLOW: &str = "  start: slow
  nodes:
    slow: {action: {item_id: demo/slow}, next: after}
    after: {action: {item_id: demo/effect}, next: done}
    done: {type: return, output: done}
";

fn with_slow(on_interrupt: &str) -> Yard {
    let yard = Yard::new();
    yard.shop.signed(
        "demo/slow",
        "yaml",
        "version: \"1.0.0\"\ntool_type: command\nexecutor_id: rye/core/primitives/execute\ndescription: Takes its time\n\
        config_schema: {type: object}\nconfig: {command: /bin/bash, args: [\"-c\", 'echo started >> \"$HOME/slow\"; \
        while [ ! -e \"$HOME/go\" ]; do sleep 0.02; done; echo \"\\\"slept\\\"\"'], timeout: 60}\n",
    );
    yard.graph("demo/g", "demo/*", &SLOW.replace("next: after", &format!("{on_interrupt}next: after")));
    yard
}

#[test]
fn a_gate_is_opened_or_stays_shut() {
    let yard = Yard::new();
    yard.graph("demo/g", "demo/*", GATE);
    for (answer, expect) in [
        (vec!["--comment", "fine"], json!({ "said": "fine" })),
        (vec!["--refuse", "--comment", "too early"], json!({ "refused": "rejected: too early" })),
    ] {
        let output = yard.rye(["graph", "run", "demo/g", "--what", "now"]).output();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("Really now?"), "{output:?}");
        let run = yard.last().header.id;
        assert_eq!(yard.last().status, RunStatus::Waiting);
        // Nobody can answer what nobody asks.
        let wrong = yard.rye(["graph", "approve", &run, "--retry"]).output();
        assert_eq!(wrong.status.code(), Some(3), "{wrong:?}");
        let answered = yard.rye(["graph", "approve", &run, "gate"].into_iter().chain(answer)).output();
        assert!(answered.status.success(), "{answered:?}");
        assert_eq!(yard.rye(["graph", "resume", &run]).json()["output"], expect);
        let over = yard.rye(["graph", "resume", &run]).output();
        assert_eq!(over.status.code(), Some(3), "{over:?}");
    }
}

#[test]
fn a_driver_that_waits_hears_the_answer() {
    let yard = Yard::new();
    yard.graph("demo/g", "demo/*", GATE);
    let mut command = yard.rye(["graph", "run", "--wait", "demo/g", "--what", "now"]).command();
    let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let run = eventually("a run that waits", || {
        let ListedRun { id, summary } = yard.runs().list().unwrap().into_iter().next()?;
        summary.ok().filter(|summary| summary.status == RunStatus::Waiting && summary.driven).map(|_| id)
    });
    assert!(yard.rye(["graph", "approve", &run, "--comment", "yes"]).output().status.success());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap(),
        json!({ "said": "yes" })
    );
}

#[test]
fn a_step_that_may_not_be_repeated_is_asked_about() {
    for (answer, expect) in [
        (vec!["--retry"], json!({ "status": "completed", "output": "done" })),
        (vec!["--done", "\"by hand\""], json!({ "status": "completed", "output": "done" })),
        (vec!["--fail"], json!({ "status": "failed" })),
    ] {
        let yard = with_slow("");
        let mut command = yard.rye(["graph", "run", "demo/g"]).command();
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        eventually("a step under way", || (yard.lines("slow").len() == 1).then_some(()));
        child.kill().unwrap();
        child.wait().unwrap();
        let run = yard.last().header.id;
        let output = yard.rye(["graph", "resume", &run]).output();
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert_eq!(yard.lines("slow").len(), 1, "nobody has said that it may run again");
        yard.shop.space.write("home/go", "");
        assert!(
            yard.rye(["graph", "approve", &run].into_iter().chain(answer.clone())).output().status.success()
        );
        let answered = yard.rye(["graph", "resume", &run]).json();
        assert_eq!(answered["status"], expect["status"], "{answered}");
        assert_eq!(yard.lines("slow").len(), if answer[0] == "--retry" { 2 } else { 1 });
    }
}

#[test]
fn a_run_is_ended_by_whoever_drives_it_or_without() {
    let yard = with_slow("");
    let mut command = yard.rye(["graph", "run", "demo/g"]).command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("a step under way", || (yard.lines("slow").len() == 1).then_some(()));
    let run = yard.last().header.id;
    assert!(yard.rye(["graph", "cancel", &run, "--reason", "no need"]).output().status.success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(yard.last().status, RunStatus::Cancelled);

    yard.graph("demo/gate", "demo/*", GATE);
    assert_eq!(yard.rye(["graph", "run", "demo/gate", "--what", "x"]).output().status.code(), Some(4));
    let run = yard.last().header.id;
    assert!(yard.rye(["graph", "cancel", &run]).output().status.success());
    assert_eq!(yard.last().status, RunStatus::Cancelled);
}

#[test]
fn a_signal_stops_the_driver_and_the_run_goes_on_later() {
    let yard = with_slow("on_interrupt: retry, ");
    let mut command = yard.rye(["graph", "run", "demo/g"]).command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("a step under way", || (yard.lines("slow").len() == 1).then_some(()));
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(yard.last().status, RunStatus::Running);
    yard.shop.space.write("home/go", "");
    assert_eq!(yard.rye(["graph", "resume", &yard.last().header.id]).json()["output"], "done");
    assert_eq!(yard.lines("effects").len(), 1);
}

#[test]
fn a_paused_run_ends_what_is_under_way_and_starts_nothing() {
    let yard = with_slow("");
    let mut command = yard.rye(["graph", "run", "demo/g"]).command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("a step under way", || (yard.lines("slow").len() == 1).then_some(()));
    let run = yard.last().header.id;
    assert!(yard.rye(["graph", "pause", &run]).output().status.success());
    eventually("the driver has heard it", || {
        let mut heard = None;
        let journal = yard.runs().open(&run).unwrap();
        journal
            .history(&mut |past| {
                heard = heard.or((past.event == Some(Event::Pause)).then_some(()));
                true
            })
            .unwrap();
        heard
    });
    yard.shop.space.write("home/go", "");
    assert_eq!(child.wait().unwrap().code(), Some(4));
    assert_eq!(yard.last().status, RunStatus::Paused);
    assert!(yard.lines("effects").is_empty());
    assert_eq!(yard.rye(["graph", "resume", &run]).json()["output"], "done");
    assert_eq!((yard.lines("slow").len(), yard.lines("effects").len()), (1, 1));
}

#[test]
fn two_drivers_do_not_drive_one_run() {
    let yard = with_slow("");
    let mut command = yard.rye(["graph", "run", "demo/g"]).command();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("a step under way", || (yard.lines("slow").len() == 1).then_some(()));
    let output = yard.rye(["graph", "resume", &yard.last().header.id]).output();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another process drives the run"), "{output:?}");
    yard.shop.space.write("home/go", "");
    assert!(child.wait().unwrap().success());
    assert_eq!(yard.lines("slow").len(), 1);
}
