//! `rye load`: an item, or a part of it.

use std::process::ExitCode;
use std::sync::Arc;

use base64ct::{Base64, Encoding as _};
use rye_engine::{
    Copy, CopyTarget, Engine, EngineError, ErrorCode, Item, LoadReport, LoadRequest, Overwrite, TargetSpace,
    with_sources,
};
use rye_metadata::{Problem, Severity};
use rye_trust::{Verified, VerifyError};
use serde_json::{Map, Value, json};

use crate::cli::{LoadArgs, Part, Target};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::{Table, one_line};
use crate::trust;

pub(crate) fn load(engine: &Engine, args: &LoadArgs, output: Output) -> Result<ExitCode, CommandError> {
    let overwrite = if args.force { Overwrite::Replace } else { Overwrite::Refuse };
    let to = args.to.map(|target| {
        let space = match target {
            Target::Project => TargetSpace::Project,
            Target::User => TargetSpace::User,
        };
        CopyTarget { space, overwrite }
    });
    let report = engine.load(&LoadRequest { kind: args.kind, id: args.id.clone(), from: args.from, to })?;
    match args.part {
        Some(part) => print_part(&report.item, part, output)?,
        None if output.is_json() => print_json(&as_json(&report))?,
        None => print_bytes(&as_text(&report, output))?,
    }
    if let (Some(error), false) = (&report.copy_refused, output.is_json()) {
        let reason = with_sources(error.refusal());
        output.note(Tone::Warning, "note", format_args!("the copy would not run: {reason}"));
        if let Some(hint) = EngineError::Refused(Arc::clone(error)).hint() {
            output.note(Tone::Good, "hint", hint);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn print_part(item: &Item, part: Part, _output: Output) -> Result<(), CommandError> {
    match part {
        Part::Source => print_bytes(item.file.bytes().as_slice()),
        Part::Metadata => print_json(&*item.metadata),
        Part::Schema => match &item.metadata.config_schema {
            Some(schema) => print_json(schema),
            None => Err(item.no_such_part("schema").into()),
        },
        Part::Doc => match item.metadata.doc.as_ref().or(item.metadata.description.as_ref()) {
            Some(doc) => print_bytes(format!("{}\n", doc.trim_end()).as_bytes()),
            None => Err(item.no_such_part("documentation").into()),
        },
    }
}

fn as_json(report: &LoadReport) -> Value {
    let item = &report.item;
    let copy = |copy: &Copy| json!({ "space": copy.space, "path": copy.path.to_string_lossy() });
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("kind", json!(item.item().kind));
    put("id", json!(item.item().id));
    put("space", json!(item.space()));
    put("path", json!(item.path.to_string_lossy()));
    put("digest", json!(item.digest()));
    put("signer", signer_json(&item.trust));
    put("metadata", json!(*item.metadata));
    put("problems", json!(item.problems));
    put("shadows", report.shadows.iter().map(copy).collect());
    put("shadowed_by", report.shadowed_by.as_ref().map_or(Value::Null, copy));
    if let Some(path) = &report.copied_to {
        put("copied_to", json!(path.to_string_lossy()));
        put("copy_refused", json!(report.copy_refused.as_ref().map(|error| with_sources(error.refusal()))));
    }
    match str::from_utf8(item.file.bytes().as_slice()) {
        Ok(text) => put("content", json!(text)),
        Err(_) => put("content_base64", json!(Base64::encode_string(item.file.bytes().as_slice()))),
    };
    Value::Object(object)
}

fn as_text(report: &LoadReport, output: Output) -> Vec<u8> {
    let item = &report.item;
    let mut table = Table::default();
    let mut line =
        |name: &str, text: String| table.row([(Tone::Faint, name.to_owned()), (Tone::Plain, text)]);
    line(item.item().kind.name(), item.item().id.to_string());
    line("space", item.space().to_string());
    line("path", item.path.display().to_string());
    line("digest", item.digest().to_string());
    match &item.trust {
        Ok(verified) => line("signed by", trust::signer(verified.signer())),
        Err(error) => line("refused", with_sources(error.refusal())),
    }
    let metadata = &item.metadata;
    for (name, value) in [
        ("version", &metadata.version),
        ("type", &metadata.tool_type),
        ("category", &metadata.category),
        ("description", &metadata.description),
    ] {
        if let Some(value) = value {
            line(name, value.clone());
        }
    }
    if let Some(executor) = metadata.executor_id.as_id() {
        line("executor", executor.to_owned());
    }
    for copy in &report.shadows {
        line("shadows", format!("{} {}", copy.space, copy.path.display()));
    }
    if let Some(copy) = &report.shadowed_by {
        line("shadowed by", format!("{} {}", copy.space, copy.path.display()));
    }
    if let Some(path) = &report.copied_to {
        line("copied to", path.display().to_string());
    }
    let mut text = table.render(output);
    for problem in &item.problems {
        text.push_str(&format_problem(problem, output));
    }
    let mut bytes = text.into_bytes();
    bytes.push(b'\n');
    bytes.extend_from_slice(item.file.bytes().as_slice());
    if !bytes.ends_with(b"\n") {
        bytes.push(b'\n');
    }
    bytes
}

fn format_problem(problem: &Problem, output: Output) -> String {
    let tone = match problem.severity {
        Severity::Warning => Tone::Warning,
        Severity::Error => Tone::Bad,
    };
    let place =
        problem.position.map(|position| format!(" (line {}, column {})", position.line, position.column));
    let word = output.paint(tone, format_args!("{}:", problem.severity));
    let (field, message) = (one_line(&problem.field), one_line(&problem.message));
    format!("{word} `{field}` {message}{}\n", place.unwrap_or_default())
}

/// Who answers for an item, or why nobody does.
fn signer_json(trust: &Result<Verified, Arc<VerifyError>>) -> Value {
    match trust {
        Ok(verified) => json!(verified.signer()),
        Err(error) => {
            let refusal = error.refusal();
            let code = ErrorCode::of_refusal(refusal).as_str();
            json!({ "state": "refused", "code": code, "reason": with_sources(refusal) })
        }
    }
}
