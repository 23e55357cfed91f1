//! `rye trust`: what a project brings along, and the decision about it.

mod description;

use std::path::Path;
use std::process::ExitCode;

use rye_engine::{Engine, EngineSettings, ProjectReport};
use rye_trust::ProjectDecision;
use serde_json::{Value, json};

use crate::cli::TrustArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;
use crate::{confirmation, environment};
use description::ProjectDescription;

/// What an answer has when nothing was found.
const NOTHING_FOUND: u8 = 1;

pub(crate) fn trust(
    mut settings: EngineSettings,
    args: &TrustArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let start = settings.spaces.start.clone();
    if let Some(folder) = &args.folder {
        settings.spaces.project = Some(environment::named_folder(&start, folder));
    }
    let named = settings.spaces.project.clone();
    let engine = Engine::new(settings);
    match args {
        TrustArgs { list: true, .. } => list(&engine, output),
        TrustArgs { revoke: true, .. } => {
            // What is to be revoked need not be there.
            let found = match named {
                Some(named) => named,
                None => engine.project_path().unwrap_or(start),
            };
            revoke(&engine, &found, output)
        }
        _ => decide(&engine, args, output),
    }
}

/// Shows what a project brings.
pub(crate) fn show(report: &ProjectReport, output: Output) -> Result<(), CommandError> {
    ProjectDescription(report).print(output, None)
}

fn decide(engine: &Engine, args: &TrustArgs, output: Output) -> Result<ExitCode, CommandError> {
    let report = engine.project_report()?;
    let shown = ProjectDescription(&report);
    let is_decided = report.decision.is_ok();
    if args.show || is_decided {
        shown.print(output, None)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.yes {
        let decision = engine.trust_as_shown(&report)?;
        shown.print(output, Some(&decision))?;
        return Ok(ExitCode::SUCCESS);
    }
    shown.print(output, None)?;
    if output.is_json() || !confirmation::is_possible() {
        return Err(CommandError::untrusted_without_yes(&report.path));
    }
    if !confirmation::ask("trust this project with all of that?")? {
        return Err(CommandError::cancelled());
    }
    let decision = engine.trust_as_shown(&report)?;
    output.note(Tone::Good, "trusted", format_args!("since {}", decision.trusted_at));
    Ok(ExitCode::SUCCESS)
}

fn revoke(engine: &Engine, project: &Path, output: Output) -> Result<ExitCode, CommandError> {
    let was_trusted = engine.revoke_project(project)?;
    if output.is_json() {
        print_json(&json!({ "path": project.to_string_lossy(), "was_trusted": was_trusted }))?;
    } else {
        let word = if was_trusted { "is not trusted any more" } else { "was not trusted" };
        print_bytes(format!("`{}` {word}\n", project.display()).as_bytes())?;
    }
    Ok(if was_trusted { ExitCode::SUCCESS } else { ExitCode::from(NOTHING_FOUND) })
}

fn list(engine: &Engine, output: Output) -> Result<ExitCode, CommandError> {
    let decisions = engine.trusted_projects()?;
    if output.is_json() {
        let all: Vec<_> = decisions.iter().map(decision_json).collect();
        print_json(&json!({ "projects": all }))?;
    } else {
        let mut table = Table::default();
        for decision in &decisions {
            let gone = if decision.path.is_dir() { "" } else { "the folder is gone" };
            table.row([
                (Tone::Strong, decision.path.display().to_string()),
                (Tone::Good, format!("trusted since {}", decision.trusted_at)),
                (Tone::Plain, format!("with {}", decision.offer)),
                (Tone::Warning, gone.to_owned()),
            ]);
        }
        print_bytes(table.render(output).as_bytes())?;
    }
    if !decisions.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !output.is_json() {
        output.note(Tone::Warning, "note", "no project is trusted");
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn decision_json(decision: &ProjectDecision) -> Value {
    json!({
        "path": decision.path.to_string_lossy(),
        "trusted_at": decision.trusted_at,
        "with": decision.offer,
        "is_there": decision.path.is_dir(),
    })
}
