//! What came of an execution.

use std::path::Path;

use lillux::Digest;
use lillux::clock::milliseconds;
use lillux::process::Channel;
use rye_engine::{ErrorCode, ExecuteReport, Executed};
use rye_run::journal::RunId;
use rye_run::runner::{Failure as RunFailure, Outcome, OutputData, Start};
use serde_json::{Map, Value, json};

use super::failure::{Failure, is_retryable};
use super::handler::Shared;
use super::outputs::Outputs;
use super::reply::{BUDGET, PREVIEW, Reply, beginning};
use super::resource_uri::ResourceUri;

/// The most bytes of standard error in an answer.
const STDERR: usize = 8 * 1024;

/// The answer of an execution. What is in a report is masked.
pub(super) fn answer(report: &ExecuteReport, server: &Shared, project: Option<&Path>) -> Reply {
    let place = Place { run: report.run_id, outputs: &server.outputs, project };
    let mut reply = match &report.result {
        Executed::Text(text) => {
            let mut reply = Reply::new("success");
            place.put_text(&mut reply, text, &Printed::new(text.as_bytes()));
            reply
        }
        Executed::Run { outcome, is_direct } => {
            let mut reply = Reply::new(if outcome.is_success() { "success" } else { "error" });
            if *is_direct {
                let text = direct(outcome).to_string();
                place.put_json(&mut reply, &text, &Printed::new(text.as_bytes()));
            } else {
                place.put_output(&mut reply, outcome);
            }
            put_outcome(&mut reply, outcome);
            if let Some(failure) = outcome.failure {
                put_failure(&mut reply, report, failure);
            }
            reply
        }
    };
    reply.put("run_id", json!(report.run_id.to_string()));
    reply.attestation = server.attestations.of(report);
    for element in report.waived() {
        reply.note(format!("{} ran although nobody answers for it", element.item));
    }
    reply
}

/// Where what is too long goes.
pub(super) struct Place<'a> {
    pub(super) run: RunId,
    pub(super) outputs: &'a Outputs,
    pub(super) project: Option<&'a Path>,
}

/// What was printed, or as much of it as there is at hand.
struct Printed<'a> {
    bytes: &'a [u8],
    total: u64,
    file: Option<Digest>,
}

impl<'a> Printed<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, total: bytes.len() as u64, file: None }
    }
}

impl Place<'_> {
    fn put_output(&self, reply: &mut Reply, outcome: &Outcome) {
        let stream = &outcome.output;
        let file = stream.file.as_ref().map(|(_, digest)| *digest);
        let printed = Printed { bytes: &stream.bytes, total: stream.total, file };
        match stream.data() {
            OutputData::Nothing => reply.put("data", Value::Null),
            OutputData::Json(json) => self.put_json(reply, json.get(), &printed),
            OutputData::Text(text) => self.put_text(reply, &text, &printed),
        }
    }

    fn put_json(&self, reply: &mut Reply, json: &str, printed: &Printed<'_>) {
        if json.len() > BUDGET {
            return self.put_long(reply, json, printed);
        }
        json.clone_into(&mut reply.text);
        match serde_json::from_str::<Value>(json) {
            Ok(value) => {
                if !keeps_numbers(json, &value) {
                    reply.note("`data` rounds numbers that have too many digits; the text has all of them");
                }
                reply.put("data", value);
            }
            // It is JSON, but holds a number that no value can.
            Err(_) => reply.put("data", json!(json)),
        }
    }

    fn put_text(&self, reply: &mut Reply, text: &str, printed: &Printed<'_>) {
        if printed.file.is_some() || text.len() > BUDGET {
            return self.put_long(reply, text, printed);
        }
        text.clone_into(&mut reply.text);
        reply.put("data", json!(text));
        if str::from_utf8(printed.bytes).is_err() {
            reply
                .note("the output is not UTF-8: `data` and the text have U+FFFD in the place of other bytes");
            self.put_resource(reply, text, printed);
        }
    }

    /// Shows the beginning of a text, and where the rest is.
    pub(super) fn put_long_text(&self, reply: &mut Reply, text: &str) {
        self.put_long(reply, text, &Printed::new(text.as_bytes()));
    }

    fn put_long(&self, reply: &mut Reply, text: &str, printed: &Printed<'_>) {
        let preview = beginning(text, PREVIEW);
        reply.text = format!("{preview}\n… this is the beginning of {} bytes", printed.total);
        self.put_resource(reply, text, printed);
    }

    /// Says where all of it can be read.
    fn put_resource(&self, reply: &mut Reply, text: &str, printed: &Printed<'_>) {
        let digest = printed.file.unwrap_or_else(|| Digest::of(printed.bytes));
        let is_kept = match printed.file {
            Some(_) => Ok(true),
            None => self.outputs.keep(self.run, printed.bytes),
        };
        let preview = beginning(text, PREVIEW);
        let mut output = json!({ "bytes": printed.total, "digest": digest, "preview": preview });
        match is_kept {
            Ok(true) => {
                let uri = ResourceUri::output(self.run, Channel::Stdout, 0, self.project);
                output["uri"] = json!(uri.to_string());
                reply.say(format_args!("; all of it: {uri}"));
                reply.links.push(uri.link("output", printed.total));
            }
            Ok(false) => reply.note("the rest of the output is not kept: there is no place for it"),
            Err(error) => reply.note(format!("the rest of the output could not be kept: {error}")),
        }
        reply.put("output", output);
    }
}

/// Whether a value holds all digits of the numbers that the text has.
fn keeps_numbers(json: &str, value: &Value) -> bool {
    // Most texts have no number that could be too long.
    let longest = json.split(|c: char| !c.is_ascii_digit() && c != '.').map(str::len).max().unwrap_or(0);
    longest <= 15 || {
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
        digits(json) == digits(&value.to_string())
    }
}

fn put_outcome(reply: &mut Reply, outcome: &Outcome) {
    reply.put_some("exit_code", outcome.exit_code);
    if let Some(answer) = &outcome.http {
        reply.put("http_status", json!(answer.status));
    }
    let stderr = outcome.errors_tail();
    if !stderr.is_empty() {
        let start = stderr.ceil_char_boundary(stderr.len().saturating_sub(STDERR));
        reply.put("stderr", json!(&stderr[start..]));
        if outcome.errors.total > (stderr.len() - start) as u64 {
            reply.note(format!("`stderr` is the end of {} bytes", outcome.errors.total));
        }
    }
    reply.put("duration_ms", json!(milliseconds(outcome.duration)));
    if outcome.start == Start::Warm {
        reply.put("warm", json!(true));
    }
}

fn put_failure(reply: &mut Reply, report: &ExecuteReport, failure: RunFailure) {
    let code = ErrorCode::of_failure(failure);
    let hint = match failure {
        RunFailure::TimedOut { .. } => Some(
            "give it a longer `timeout`, as far as its configuration allows, or run it `async`".to_owned(),
        ),
        _ => report.hint_for_absent(),
    };
    let failure =
        Failure { code: code.as_str(), message: in_words(failure), hint, retryable: is_retryable(code) };
    reply.put("error", failure.to_json());
    reply.is_error = true;
    let stderr = reply.structured.get("stderr").and_then(Value::as_str).unwrap_or_default();
    let printed = std::mem::take(&mut reply.text);
    let parts = [failure.to_text(), stderr.trim_end().to_owned(), printed];
    reply.text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
}

fn in_words(failure: RunFailure) -> String {
    match failure {
        RunFailure::Exit { code } => format!("the tool failed with exit code {code}"),
        RunFailure::Signal { signal } => format!("the tool was ended by signal {signal}"),
        RunFailure::TimedOut { limit } => {
            format!("the tool took longer than {} s and was stopped", limit.as_secs_f64())
        }
        RunFailure::Cancelled => "the run was cancelled, and everything it had started is gone".to_owned(),
        RunFailure::OutputLimit { .. } => "the tool wrote more than it may".to_owned(),
        RunFailure::Status { status } => format!("the server answered with status {status}"),
    }
}

/// What a primitive gives that was called itself.
fn direct(outcome: &Outcome) -> Value {
    match &outcome.http {
        Some(answer) => {
            let headers: Map<_, _> =
                answer.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
            let body = match outcome.output.data() {
                OutputData::Nothing => Value::Null,
                OutputData::Json(json) => serde_json::from_str(json.get()).unwrap_or_default(),
                OutputData::Text(text) => Value::String(text),
            };
            json!({ "status": answer.status, "url": answer.url, "headers": headers, "body": body })
        }
        None => json!({
            "stdout": String::from_utf8_lossy(&outcome.output.bytes),
            "stderr": String::from_utf8_lossy(&outcome.errors.bytes),
            "returncode": outcome.exit_code,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_digits_are_noticed() {
        let check = |json: &str, keeps: bool| {
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(keeps_numbers(json, &value), keeps, "{json}");
        };
        check("[1, 2.5, \"text 12345678901234567890\"]", true);
        check("18446744073709551615", true);
        check("18446744073709551616", false);
        check("[0.1000000000000000055511151231257827]", false);
    }
}
