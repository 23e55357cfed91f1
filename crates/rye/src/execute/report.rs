//! What came of an execution, for people and for programs.

use indexmap::IndexMap;
use lillux::clock::milliseconds;
use rye_engine::{ErrorCode, ExecuteReport, Executed};
use rye_run::mask::Mask;
use rye_run::runner::{Failure, Outcome, OutputData, Start, Stream};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

use crate::output::{Output, Tone};
use crate::plan_view;

/// The whole report.
pub(super) fn as_json(report: &ExecuteReport, with_plan: bool) -> IndexMap<&'static str, Box<RawValue>> {
    let mut object = IndexMap::new();
    let mut put = |name, value: Value| put_raw(&mut object, name, to_raw_value(&value));
    match &report.result {
        Executed::Text(text) => {
            put("status", json!("success"));
            put("data", json!(text));
        }
        Executed::Run { outcome, is_direct } => {
            put("status", json!(if outcome.is_success() { "success" } else { "error" }));
            put_raw(
                &mut object,
                "data",
                if *is_direct { to_raw_value(&direct(outcome)) } else { data(&outcome.output) },
            );
            let mut put = |name, value: Value| put_raw(&mut object, name, to_raw_value(&value));
            if let Some(failure) = outcome.failure {
                let code = ErrorCode::of_failure(failure).as_str();
                let mut error = json!({ "code": code, "message": in_words(failure) });
                if let Some(hint) = report.hint_for_absent() {
                    error["hint"] = json!(hint);
                }
                put("error", error);
            }
            put("exit_code", json!(outcome.exit_code));
            if let Some(answer) = &outcome.http {
                put("http_status", json!(answer.status));
            }
            put("stderr", json!(outcome.errors_tail()));
            put("stdout_bytes", json!(outcome.output.total));
            if let Some((path, digest)) = &outcome.output.file {
                put("stdout_file", json!({ "path": path, "bytes": outcome.output.total, "digest": digest }));
            }
            if let Some((path, digest)) = &outcome.errors.file {
                put("stderr_file", json!({ "path": path, "bytes": outcome.errors.total, "digest": digest }));
            }
            put("duration_ms", json!(milliseconds(outcome.duration)));
            put("containment", json!(outcome.containment.map(lillux::process::Mechanism::name)));
            match &outcome.start {
                Start::Cold => {}
                Start::ColdInstead(reason) => {
                    put("start", json!({ "warm": false, "why": reason.to_string() }));
                }
                Start::Warm => put("start", json!({ "warm": true })),
                Start::Borrowed { server } => put("start", json!({ "warm": true, "server": server })),
            }
        }
    }
    let mut put = |name, value: Value| put_raw(&mut object, name, to_raw_value(&value));
    put("run_id", json!(report.run_id.to_string()));
    put("attestation", report.chain.iter().map(plan_view::element_json).collect());
    put("extractors", report.extractors.iter().map(plan_view::element_json).collect());
    if let Some(helper) = &report.helper {
        put("helper", plan_view::element_json(helper));
    }
    if let Some(server) = &report.server {
        put("server", plan_view::element_json(server));
    }
    if !report.left_out.is_empty() {
        let left_out = report.left_out.iter();
        put(
            "left_out",
            left_out.map(|file| json!({ "path": file.path, "reason": file.reason.to_string() })).collect(),
        );
    }
    if let Some(lock) = &report.lock {
        put("lock", json!(lock));
    }
    if let (Some(plan), true) = (&report.plan, with_plan) {
        put("plan", plan_view::as_json(plan));
    }
    object
}

/// What came of it as a value.
pub(crate) fn answer(report: &ExecuteReport) -> Value {
    match &report.result {
        Executed::Text(text) => json!(text),
        Executed::Run { outcome, is_direct: true } => direct(outcome),
        Executed::Run { outcome, is_direct: false } => {
            let raw = data(&outcome.output).ok();
            raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
        }
    }
}

/// Whatever can be a value can be written.
fn put_raw(
    object: &mut IndexMap<&'static str, Box<RawValue>>,
    name: &'static str,
    value: Result<Box<RawValue>, serde_json::Error>,
) {
    if let Ok(value) = value {
        object.insert(name, value);
    }
}

/// What a primitive gives that was called itself.
pub(super) fn direct(outcome: &Outcome) -> Value {
    match &outcome.http {
        Some(answer) => json!({
            "status": answer.status,
            "url": answer.url,
            "headers": answer.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
            "body": data(&outcome.output).ok().and_then(|body| serde_json::from_str::<Value>(body.get()).ok()),
        }),
        None => json!({
            "stdout": String::from_utf8_lossy(&outcome.output.bytes),
            "stderr": String::from_utf8_lossy(&outcome.errors.bytes),
            "returncode": outcome.exit_code,
        }),
    }
}

/// What was printed, as a value, with the digits that its numbers have.
fn data(stream: &Stream) -> Result<Box<RawValue>, serde_json::Error> {
    match stream.data() {
        OutputData::Nothing => to_raw_value(&Value::Null),
        OutputData::Json(json) => Ok(json),
        OutputData::Text(text) => to_raw_value(&text),
    }
}

/// Says what was decided.
pub(super) fn trace(report: &ExecuteReport, mask: &Mask, output: Output) {
    let say = |word: &str, text: String| output.note(Tone::Faint, word, mask.mask_text(&text));
    say("run", report.run_id.to_string());
    if let Some(plan) = &report.plan {
        for line in plan_view::as_text(plan, output.plain()).lines() {
            say("plan", line.to_owned());
        }
    }
    for file in &report.left_out {
        say("left out", format!("`{}`: {}", file.path, file.reason));
    }
    if let Some(lock) = &report.lock {
        say("lock", format!("`{}` holds", lock.display()));
    }
    if let Executed::Run { outcome, .. } = &report.result {
        let contained = outcome.containment.map_or("no process", lillux::process::Mechanism::name);
        let time = milliseconds(outcome.duration);
        match &outcome.start {
            Start::Cold => {}
            Start::ColdInstead(reason) => say("start", format!("cold: {reason}")),
            Start::Warm => say("start", "warm, in a process that was ready".to_owned()),
            Start::Borrowed { server } => {
                say("start", format!("warm, in a process that the running server {server} had ready"));
            }
        }
        say("done", format!("after {time:.1} ms, contained by {contained}"));
    }
}

/// Says why a tool did not succeed.
pub(super) fn failure(report: &ExecuteReport, outcome: &Outcome, failure: Failure, output: Output) {
    let item = report.chain.first().map(|element| element.item.to_string()).unwrap_or_default();
    let code = ErrorCode::of_failure(failure).as_str();
    let silent = outcome.errors.bytes.is_empty() && outcome.output.bytes.is_empty();
    let silence = if silent && matches!(failure, Failure::Exit { .. }) { ", without a word" } else { "" };
    output.note(Tone::Bad, "error", format!("{item} {}{silence} [{code}]", in_words(failure)));
    let hint = match failure {
        Failure::TimedOut { .. } => {
            Some("give it more time in its `config.timeout`, or with `--timeout`".to_owned())
        }
        Failure::Exit { .. } | Failure::Signal { .. } if silent => Some(format!(
            "run `rye explain {}` to see what ran",
            report.chain.first().map(|e| e.item.id.to_string()).unwrap_or_default()
        )),
        _ => report.hint_for_absent(),
    };
    if let Some(hint) = hint {
        output.note(Tone::Good, "hint", hint);
    }
}

/// How a run failed.
pub(crate) fn in_words(failure: Failure) -> String {
    match failure {
        Failure::Exit { code } => format!("failed with exit code {code}"),
        Failure::Signal { signal } => format!("was ended by signal {signal}"),
        Failure::TimedOut { limit } => format!("took longer than {} s and was stopped", limit.as_secs_f64()),
        Failure::Cancelled => "was interrupted, and everything it had started is gone".to_owned(),
        Failure::OutputLimit { .. } => "wrote more than it may".to_owned(),
        Failure::Status { status } => format!("got status {status} as an answer"),
    }
}
