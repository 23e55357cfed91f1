//! `rye lock`: chains that are pinned.

use std::process::ExitCode;

use rye_engine::{
    Engine, EngineError, EngineSettings, LockCheck, LockError, LockReport, TargetSpace, with_sources,
};
use rye_trust::LockedElement;
use serde_json::{Value, json};

use crate::cli::LockArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::signing_key;
use crate::table::Table;

const NOTHING_FOUND: u8 = 1;
const FAILED: u8 = 3;

pub(crate) fn lock(
    settings: EngineSettings,
    args: &LockArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let Some(id) = &args.id else { return check(&Engine::new(settings), output) };
    let target = if args.user { TargetSpace::User } else { TargetSpace::Project };
    let key = signing_key::open(&settings.spaces)?;
    let engine = Engine::new(settings);
    engine.check_signing_key(&key)?;
    let report = engine.lock(id, target, &key)?;
    if output.is_json() {
        print_json(&json!({ "path": report.path.to_string_lossy(), "lock": report.lock }))?;
    } else {
        print_bytes(as_text(&report, output).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn as_text(report: &LockReport, output: Output) -> String {
    let LockReport { path, lock } = report;
    let mut table = Table::default();
    let mut line = |name: &str, cells: [String; 3]| {
        let [first, second, third] = cells.map(|text| (Tone::Plain, text));
        table.row([(Tone::Faint, name.to_owned()), first, second, third]);
    };
    let element = |element: &LockedElement| {
        [element.id.to_string(), element.space.to_string(), element.digest.to_string()]
    };
    for (place, locked) in lock.chain.iter().enumerate() {
        line(if place == 0 { "locked" } else { "executor" }, element(locked));
    }
    for locked in &lock.extractors {
        line("extractor", element(locked));
    }
    for locked in &lock.helpers {
        line("helper", element(locked));
    }
    for locked in &lock.servers {
        line("server", element(locked));
    }
    if let Some(files) = &lock.files {
        line("files", [String::new(), String::new(), files.to_string()]);
    }
    format!("{}{}\n", table.render(output), output.paint(Tone::Faint, path.display()))
}

fn check(engine: &Engine, output: Output) -> Result<ExitCode, CommandError> {
    let checks = engine.check_locks()?;
    let is_good = checks.iter().all(|check| check.result.is_ok());
    if output.is_json() {
        let locks: Vec<_> = checks.iter().map(check_json).collect();
        print_json(&json!({ "good": is_good, "locks": locks }))?;
    } else {
        print_bytes(checks_text(&checks, output).as_bytes())?;
        if checks.is_empty() {
            output.note(Tone::Warning, "note", "nothing is locked");
        }
        let mut hints = Vec::new();
        for hint in checks.iter().filter_map(|check| check.result.as_ref().err()?.hint()) {
            if !hints.contains(&hint) {
                output.note(Tone::Good, "hint", &hint);
                hints.push(hint);
            }
        }
    }
    Ok(match (is_good, checks.is_empty()) {
        (true, true) => ExitCode::from(NOTHING_FOUND),
        (true, false) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(FAILED),
    })
}

fn checks_text(checks: &[LockCheck], output: Output) -> String {
    let mut table = Table::default();
    for check in checks {
        let (tone, word) = match (&check.result, check.is_used) {
            (Ok(()), true) => (Tone::Good, "fits"),
            (Ok(()), false) => (Tone::Faint, "of another version"),
            (Err(_), _) => (Tone::Bad, "does not fit"),
        };
        table.row([
            (tone, word.to_owned()),
            (Tone::Faint, check.space.to_string()),
            (Tone::Strong, check.path.display().to_string()),
        ]);
        if let Err(error) = &check.result {
            for reason in reasons(error) {
                let empty = || (Tone::Plain, String::new());
                table.row([empty(), empty(), (Tone::Plain, format!("  {reason}"))]);
            }
        }
    }
    table.render(output)
}

/// Each difference by itself, or the one reason why nothing could be compared.
fn reasons(error: &EngineError) -> Vec<String> {
    match error {
        EngineError::Lock(LockError::Mismatch { differences, .. }) => {
            differences.iter().map(ToString::to_string).collect()
        }
        error => vec![with_sources(error)],
    }
}

fn check_json(check: &LockCheck) -> Value {
    let error = check.result.as_ref().err();
    let differences = match error {
        Some(EngineError::Lock(LockError::Mismatch { differences, .. })) => json!(differences),
        _ => Value::Null,
    };
    json!({
        "path": check.path.to_string_lossy(),
        "space": check.space,
        "kind": check.item.as_ref().map(|item| item.kind),
        "id": check.item.as_ref().map(|item| &item.id),
        "fits": error.is_none(),
        "is_used": check.is_used,
        "code": error.map(|error| error.code().as_str()),
        "reason": error.map(|error| with_sources(error)),
        "differences": differences,
    })
}
