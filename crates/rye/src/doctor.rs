//! `rye doctor`: what is there, what is missing, and what to do about it.

mod clients;
mod interpreters;
mod machine;
mod trust;

use std::process::ExitCode;

use rye_engine::{Engine, EngineSettings};
use serde_json::json;

use crate::cli::DoctorArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

/// What an answer has when something is wrong.
const FAILED: u8 = 1;

/// How one thing is.
#[derive(Debug)]
struct Check {
    level: Level,
    /// What it is about.
    area: &'static str,
    message: String,
    /// What to do about it.
    hint: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Good,
    /// Something that the operator may want is not there.
    Warning,
    /// Something does not work.
    Failure,
}

pub(crate) fn doctor(
    settings: EngineSettings,
    _args: &DoctorArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let engine = Engine::new(settings);
    let mut checks = Vec::new();
    machine::check(&engine, &mut checks);
    trust::check(&engine, &mut checks);
    interpreters::check(&engine, &mut checks);
    clients::check(engine.settings(), &mut checks);
    let is_healthy = checks.iter().all(|check| check.level != Level::Failure);
    if output.is_json() {
        let list: Vec<_> = checks
            .iter()
            .map(|Check { level, area, message, hint }| {
                json!({ "level": level.word(), "area": area, "message": message, "hint": hint })
            })
            .collect();
        print_json(&json!({ "healthy": is_healthy, "checks": list }))?;
    } else {
        print_bytes(as_text(&checks, output).as_bytes())?;
    }
    Ok(if is_healthy { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

fn as_text(checks: &[Check], output: Output) -> String {
    let mut table = Table::default();
    for Check { level, area, message, hint } in checks {
        let tone = match level {
            Level::Good => Tone::Good,
            Level::Warning => Tone::Warning,
            Level::Failure => Tone::Bad,
        };
        table.row([
            (tone, level.word().to_owned()),
            (Tone::Faint, (*area).to_owned()),
            (Tone::Plain, message.clone()),
        ]);
        if let Some(hint) = hint {
            let empty = || (Tone::Plain, String::new());
            table.row([empty(), empty(), (Tone::Strong, hint.clone())]);
        }
    }
    let count = |level| checks.iter().filter(|check| check.level == level).count();
    let (good, warnings, failures) = (count(Level::Good), count(Level::Warning), count(Level::Failure));
    let summary = format!("{good} ok, {warnings} to think about, {failures} wrong");
    format!("{}{}\n", table.render(output), output.paint(Tone::Faint, summary))
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Self::Good => "ok",
            Self::Warning => "warn",
            Self::Failure => "fail",
        }
    }
}

impl Check {
    fn good(area: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Good, area, message: message.into(), hint: None }
    }

    fn warning(area: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { level: Level::Warning, area, message: message.into(), hint: Some(hint.into()) }
    }

    fn failure(area: &'static str, message: impl Into<String>, hint: Option<String>) -> Self {
        Self { level: Level::Failure, area, message: message.into(), hint }
    }
}
