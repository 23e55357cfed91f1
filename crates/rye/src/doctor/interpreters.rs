//! The interpreters that runtimes ask for.

use rye_engine::{Engine, RuntimeInterpreters, with_sources};
use rye_env::{EnvProblem, InterpreterErrorKind, InterpreterReport};
use rye_metadata::metadata::Interpreter;

use super::Check;

const AREA: &str = "interpreter";

pub(super) fn check(engine: &Engine, checks: &mut Vec<Check>) {
    match engine.interpreters() {
        Ok(all) => all.iter().for_each(|one| checks.extend(of_runtime(one))),
        Err(error) => checks.push(Check::failure(AREA, with_sources(&error), error.hint())),
    }
}

fn of_runtime(runtime: &RuntimeInterpreters) -> Vec<Check> {
    let id = &runtime.item.id;
    match &runtime.environment {
        Ok(environment) => {
            let found = environment.interpreters().iter().filter_map(|one| found(id.as_str(), one));
            found.map(|text| Check::good(AREA, text)).collect()
        }
        Err(error) => {
            let problem = |problem: &EnvProblem| {
                let hint = format!(
                    "install it if you want to run such tools; `rye explain {id}` tells where it is looked for"
                );
                Check::warning(AREA, format!("{id}: {}", in_words(problem, &runtime.declared)), hint)
            };
            error.problems().iter().map(problem).collect()
        }
    }
}

/// Nothing is said about what is not there and not needed either.
fn found(id: &str, report: &InterpreterReport) -> Option<String> {
    match &report.chosen {
        Some(chosen) => Some(format!("{id}: {}", chosen.path.display())),
        None if report.command.is_none() && !report.warnings.is_empty() => {
            Some(format!("{id}: a command finds it, which was not run"))
        }
        None => None,
    }
}

/// What is missing, by the name of the program, and without the list of all places.
fn in_words(problem: &EnvProblem, declared: &[Interpreter]) -> String {
    let EnvProblem::Interpreter(error) = problem else { return with_sources(problem) };
    let InterpreterErrorKind::NotFound { .. } = error.kind else { return with_sources(error) };
    let declared = declared.iter().find(|declared| declared.name == error.name);
    let binary = declared.and_then(|declared| declared.options.get("binary")?.as_str());
    let program = binary.or_else(|| declared?.fallback.as_deref()).unwrap_or(&error.name);
    format!("`{program}` is not there")
}
