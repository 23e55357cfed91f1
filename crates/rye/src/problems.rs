//! What is wrong with a file, each thing with its place.

use std::fmt::Write as _;
use std::path::Path;

use rye_metadata::{Problem, Severity};
use serde_json::{Value, json};

use crate::output::{Output, Tone};
use crate::table::one_line;

/// A line for each problem, as editors know them: file, line and column first.
pub(crate) fn problem_lines(path: &Path, problems: &[Problem], output: Output) -> String {
    let mut text = String::new();
    for problem in problems {
        let place = problem.position.map(|place| format!(":{place}")).unwrap_or_default();
        let (tone, word) = match problem.severity {
            Severity::Error => (Tone::Bad, "error"),
            Severity::Warning => (Tone::Warning, "warning"),
        };
        let message = one_line(&format!("`{}` {}", problem.field, problem.message));
        let _ = writeln!(text, "{}{place}: {}: {message}", path.display(), output.paint(tone, word));
    }
    text
}

/// A problem for programs.
pub(crate) fn problem_json(problem: &Problem) -> Value {
    json!({
        "severity": problem.severity.to_string(),
        "field": problem.field,
        "message": problem.message,
        "line": problem.position.map(|place| place.line),
        "column": problem.position.map(|place| place.column),
    })
}
