//! `rye verify`: which items would run, and why the others would not.

use std::process::ExitCode;

use rye_engine::{Engine, ItemUse, VerifiedItem, VerifyIssue, VerifyReport, VerifyRequest};
use rye_item::{ItemId, ItemKind, ItemRef};
use serde_json::{Value, json};

use crate::cli::VerifyArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::progress::Progress;
use crate::table::Table;
use crate::trust;

const FAILED: u8 = 3;

pub(crate) fn verify(engine: &Engine, args: &VerifyArgs, output: Output) -> Result<ExitCode, CommandError> {
    let progress = Progress::new("verifying", 0, output);
    let report = engine.verify(&request(args)?)?;
    progress.end();
    if output.is_json() {
        let items: Vec<_> = report.items.iter().map(as_json).collect();
        print_json(&json!({ "good": report.is_good(), "items": items }))?;
    } else {
        print_bytes(as_text(&report, output).as_bytes())?;
        for hint in hints(&report) {
            output.note(Tone::Good, "hint", hint);
        }
    }
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn request(args: &VerifyArgs) -> Result<VerifyRequest, CommandError> {
    Ok(match &args.pattern {
        None => VerifyRequest::All,
        Some(pattern) if rye_engine::is_pattern(pattern) => {
            VerifyRequest::Pattern(pattern.clone(), args.kind)
        }
        Some(id) => {
            let id = ItemId::new(id.as_str()).map_err(rye_engine::EngineError::from)?;
            VerifyRequest::Item(ItemRef::new(args.kind.unwrap_or(ItemKind::Tool), id))
        }
    })
}

fn as_text(report: &VerifyReport, output: Output) -> String {
    let mut table = Table::default();
    for item in &report.items {
        let signer = item.signer.as_ref().map_or_else(|| "nobody".to_owned(), trust::signer);
        let mut reasons = item.issues.iter().map(ToString::to_string);
        let decision = match (reasons.next(), item.use_) {
            (Some(reason), _) => (Tone::Bad, reason),
            (None, ItemUse::Executed) => (Tone::Good, "runs".to_owned()),
            (None, ItemUse::UsedByOthers) => (Tone::Good, "can be used by others".to_owned()),
        };
        table.row([
            (Tone::Faint, item.space.to_string()),
            (Tone::Strong, item.item.to_string()),
            (Tone::Plain, signer),
            decision,
        ]);
        for reason in reasons {
            let empty = || (Tone::Plain, String::new());
            table.row([empty(), empty(), empty(), (Tone::Bad, reason)]);
        }
    }
    let stopped = report.items.iter().filter(|item| !item.issues.is_empty()).count();
    let summary = format!("{} would run, {stopped} would not", report.items.len() - stopped);
    format!("{}{}\n", table.render(output), output.paint(Tone::Faint, summary))
}

/// What to do, each thing once, and not more than can be read.
fn hints(report: &VerifyReport) -> Vec<String> {
    let mut hints = Vec::new();
    for hint in report.items.iter().flat_map(|item| &item.issues).filter_map(VerifyIssue::hint) {
        if hints.len() < 5 && !hints.contains(&hint) {
            hints.push(hint);
        }
    }
    hints
}

fn as_json(item: &VerifiedItem) -> Value {
    let issues = item.issues.iter().map(
        |issue| json!({ "code": issue.code().as_str(), "message": issue.to_string(), "hint": issue.hint() }),
    );
    json!({
        "kind": item.item.kind,
        "id": item.item.id,
        "space": item.space,
        "signer": item.signer,
        "runs": item.issues.is_empty(),
        "issues": issues.collect::<Vec<_>>(),
    })
}
