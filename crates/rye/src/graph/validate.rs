//! `rye graph validate`: everything that is wrong with a graph, each with its place.

use std::fmt::Write as _;
use std::process::ExitCode;

use rye_engine::Engine;
use serde_json::json;

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::problems::{problem_json, problem_lines};

/// The exit code of a graph that cannot be walked.
const INVALID: u8 = 1;

pub(super) fn validate(engine: &Engine, id: &str, output: Output) -> Result<ExitCode, CommandError> {
    let check = engine.check_graph(id)?;
    if output.is_json() {
        let problems: Vec<_> = check.problems.iter().map(problem_json).collect();
        let path = check.path.to_string_lossy();
        print_json(
            &json!({ "id": check.item.id.to_string(), "path": path, "valid": !check.has_errors(), "problems": problems }),
        )?;
    } else {
        let mut text = problem_lines(&check.path, &check.problems, output);
        if check.problems.is_empty() {
            let nodes = check.graph.as_ref().map_or(0, |graph| graph.nodes().len());
            let word = if nodes == 1 { "node" } else { "nodes" };
            let _ =
                writeln!(text, "{} {} has {nodes} {word}", output.paint(Tone::Good, "valid:"), check.item.id);
        }
        print_bytes(text.as_bytes())?;
    }
    Ok(if check.has_errors() { ExitCode::from(INVALID) } else { ExitCode::SUCCESS })
}
