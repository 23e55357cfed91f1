//! A run in words, and as JSON.

use std::path::Path;
use std::time::Duration;

use lillux::clock::milliseconds;
use rye_run::journal::{Ending, RunEnd, RunRecord, RunState, RunStatus, StreamRecord};
use serde_json::{Map, Value, json};

use crate::output::{Output, Tone};
use crate::table::{Table, one_line};

/// A run as one row of a table.
pub(super) fn row(run: &RunRecord) -> [(Tone, String); 5] {
    let duration = end(run).map(|end| duration(end.duration)).unwrap_or_default();
    [
        (Tone::Strong, run.id().to_string()),
        (tone(run.status()), run.status().to_string()),
        (Tone::Plain, run.start.item.id.to_string()),
        (Tone::Faint, run.start.started().whole_seconds().to_string()),
        (Tone::Faint, duration),
    ]
}

/// A run with all that is known of it, for a person.
pub(super) fn as_text(run: &RunRecord, folder: &Path, output: Output) -> String {
    let mut table = Table::default();
    let mut line =
        |name: &str, tone: Tone, text: String| table.row([(Tone::Faint, name.to_owned()), (tone, text)]);
    line("run", Tone::Strong, run.id().to_string());
    line("item", Tone::Plain, run.start.item.to_string());
    line("state", tone(run.status()), run.status().to_string());
    line("started", Tone::Plain, run.start.started().to_string());
    match &run.start.request.parameters {
        Some(parameters) => line("parameters", Tone::Plain, one_line(parameters)),
        None => line("parameters", Tone::Plain, format!("{} bytes", run.start.request.bytes)),
    }
    for element in &run.start.chain {
        let signer = element.signer.as_deref().unwrap_or("nobody");
        let text = format!("{} {} {} signed by {signer}", element.space, element.item.id, element.digest);
        line("chain", Tone::Plain, text);
    }
    let Some(end) = end(run) else {
        line("supervisor", Tone::Plain, format!("process {}", run.start.supervisor.pid));
        line("output", Tone::Plain, folder.display().to_string());
        return table.render(output);
    };
    line("ended", Tone::Plain, end.ended.to_string());
    line("duration", Tone::Plain, duration(end.duration));
    let (exit_code, error) = details(&end.ending);
    if let Some(code) = exit_code {
        line("exit code", Tone::Plain, code.to_string());
    }
    if let Some(error) = error {
        line("error", Tone::Bad, error.to_owned());
    }
    for (name, stream) in [("stdout", &end.stdout), ("stderr", &end.stderr)] {
        let place = stream.file.as_ref().map(|file| format!(" in {}", file.path.display()));
        line(name, Tone::Plain, format!("{} bytes{}", stream.bytes, place.unwrap_or_default()));
    }
    if let Some(preview) = end.preview.as_ref().filter(|preview| !preview.text.trim().is_empty()) {
        let more = if preview.bytes > preview.text.len() as u64 { " …" } else { "" };
        line("result", Tone::Plain, format!("{}{more}", one_line(&preview.text)));
    }
    table.render(output)
}

/// A run for programs; what it wrote and what it is made of only where one run was asked for.
pub(super) fn as_json(run: &RunRecord, folder: Option<&Path>) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("id", json!(run.id()));
    put("item", json!(run.start.item.to_string()));
    put("state", json!(run.status()));
    put("started", json!(run.start.started().to_string()));
    if let Some(end) = end(run) {
        let (exit_code, error) = details(&end.ending);
        put("ended", json!(end.ended.to_string()));
        put("duration_ms", json!(milliseconds(end.duration)));
        put("exit_code", json!(exit_code));
        put("error", json!(error));
        if folder.is_some() {
            put("stdout", stream(&end.stdout));
            put("stderr", stream(&end.stderr));
            put("preview", json!(end.preview));
        }
    }
    if let Some(folder) = folder {
        let request = &run.start.request;
        // What was sent is given as it was, unless it is too long to be kept.
        let parameters = request.parameters.as_deref().and_then(|text| serde_json::from_str(text).ok());
        put("parameters", parameters.unwrap_or(Value::Null));
        put("parameters_digest", json!(request.digest));
        put("chain", run.start.chain.iter().map(element).collect());
        put("supervisor", json!(run.start.supervisor.to_string()));
        put("output_folder", json!(folder.to_string_lossy()));
    }
    Value::Object(object)
}

fn element(entry: &rye_run::journal::ChainEntry) -> Value {
    json!({
        "item": entry.item.to_string(),
        "space": entry.space,
        "digest": entry.digest,
        "signer": entry.signer,
    })
}

fn stream(stream: &StreamRecord) -> Value {
    let path = stream.file.as_ref().map(|file| file.path.to_string_lossy());
    json!({ "bytes": stream.bytes, "path": path, "digest": stream.file.as_ref().map(|file| file.digest) })
}

fn end(run: &RunRecord) -> Option<&RunEnd> {
    match &run.state {
        RunState::Ended(end) => Some(end),
        RunState::Running | RunState::Lost => None,
    }
}

fn details(ending: &Ending) -> (Option<i32>, Option<&str>) {
    match ending {
        Ending::Succeeded { exit_code } => (*exit_code, None),
        Ending::Failed { exit_code, error } => (*exit_code, Some(error)),
        Ending::TimedOut => (None, Some("TIMEOUT")),
        Ending::Cancelled => (None, Some("CANCELLED")),
    }
}

fn tone(status: RunStatus) -> Tone {
    match status {
        RunStatus::Running => Tone::Warning,
        RunStatus::Succeeded => Tone::Good,
        RunStatus::Failed | RunStatus::TimedOut | RunStatus::Cancelled | RunStatus::Lost => Tone::Bad,
    }
}

fn duration(duration: Duration) -> String {
    match duration.as_secs() {
        0 => format!("{} ms", duration.as_millis()),
        1..=99 => format!("{:.1} s", duration.as_secs_f64()),
        seconds => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}
