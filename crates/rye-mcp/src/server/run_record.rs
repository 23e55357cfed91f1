//! A run that goes on elsewhere, or is over, by its record.

use std::io::Read;
use std::path::Path;

use lillux::clock::milliseconds;
use lillux::process::Channel;
use rye_engine::Engine;
use rye_run::journal::{ChainEntry, Ending, RunEnd, RunRecord, RunState, RunStatus};
use serde_json::{Value, json};

use super::failure::Failure;
use super::reply::{BUDGET, PREVIEW, Reply, beginning};
use super::resource_uri::ResourceUri;

/// The answer for a run that is known by its record.
pub(super) fn answer(engine: &Engine, record: &RunRecord, project: Option<&Path>) -> Result<Reply, Failure> {
    let mut reply = match &record.state {
        RunState::Running => running(record),
        RunState::Lost => lost(),
        RunState::Ended(end) => ended(engine, record, end, project)?,
    };
    reply.put("run_id", json!(record.id().to_string()));
    reply.put("attestation", record.start.chain.iter().map(element).collect());
    Ok(reply)
}

fn running(record: &RunRecord) -> Reply {
    let mut reply = Reply::new("running");
    reply.text = format!("run {} of {} goes on\n", record.id(), record.start.item.id);
    reply
}

fn lost() -> Reply {
    Failure {
        code: "RUN_LOST",
        message: "whoever watched over the run is gone, and has left no word of its end".to_owned(),
        hint: None,
        retryable: false,
    }
    .into()
}

fn ended(
    engine: &Engine,
    record: &RunRecord,
    end: &RunEnd,
    project: Option<&Path>,
) -> Result<Reply, Failure> {
    let status = end.ending.status();
    let is_good = status == RunStatus::Succeeded;
    let mut reply = Reply::new(if is_good { "success" } else { "error" });
    put_output(&mut reply, engine, record, end, project)?;
    let (exit_code, code) = match &end.ending {
        Ending::Succeeded { exit_code } => (*exit_code, None),
        Ending::Failed { exit_code, error } => (*exit_code, Some(error.clone())),
        Ending::TimedOut => (None, Some("TIMEOUT".to_owned())),
        Ending::Cancelled => (None, Some("CANCELLED".to_owned())),
    };
    reply.put_some("exit_code", exit_code);
    reply.put("duration_ms", json!(milliseconds(end.duration)));
    if let Some(code) = code {
        let message = format!("the run has {}", in_words(status));
        reply.text = format!("error: {message} [{code}]\n{}", reply.text);
        let retryable = matches!(status, RunStatus::TimedOut | RunStatus::Cancelled);
        reply.put("error", json!({ "code": code, "message": message, "retryable": retryable }));
        reply.is_error = true;
    }
    Ok(reply)
}

fn put_output(
    reply: &mut Reply,
    engine: &Engine,
    record: &RunRecord,
    end: &RunEnd,
    project: Option<&Path>,
) -> Result<(), Failure> {
    let Some(file) = engine.open_run_log(record.id(), Channel::Stdout)? else {
        if let Some(preview) = &end.preview {
            put_data(reply, &preview.text);
            if preview.bytes > preview.text.len() as u64 {
                reply.note(format!("this is the beginning of {} bytes; no more was kept", preview.bytes));
            }
        }
        return Ok(());
    };
    let mut bytes = Vec::new();
    file.take(BUDGET as u64 + 1).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    if bytes.len() <= BUDGET {
        put_data(reply, &text);
        return Ok(());
    }
    let uri = ResourceUri::output(record.id(), Channel::Stdout, 0, project);
    let preview = beginning(&text, PREVIEW);
    let digest = end.stdout.file.as_ref().map(|file| file.digest);
    reply.text =
        format!("{preview}\n… this is the beginning of {} bytes; all of it: {uri}\n", end.stdout.bytes);
    reply.put(
        "output",
        json!({ "uri": uri.to_string(), "bytes": end.stdout.bytes, "digest": digest, "preview": preview }),
    );
    reply.links.push(uri.link("output", end.stdout.bytes));
    Ok(())
}

fn put_data(reply: &mut Reply, text: &str) {
    text.clone_into(&mut reply.text);
    let data = if text.trim().is_empty() {
        Value::Null
    } else {
        serde_json::from_str(text.trim()).unwrap_or_else(|_| json!(text))
    };
    reply.put("data", data);
}

fn element(entry: &ChainEntry) -> Value {
    // Records name the program where there is no key.
    let signer = match entry.signer.as_deref() {
        None => json!({ "state": "waived" }),
        Some("program") => json!({ "state": "program" }),
        Some(key) => json!({ "state": "key", "key": key }),
    };
    json!({
        "role": "chain",
        "id": entry.item.id,
        "space": entry.space,
        "digest": entry.digest,
        "signer": signer,
    })
}

fn in_words(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "not ended",
        RunStatus::Succeeded => "succeeded",
        RunStatus::Failed => "failed",
        RunStatus::TimedOut => "taken longer than it may",
        RunStatus::Cancelled => "been cancelled",
        RunStatus::Lost => "been lost",
    }
}
