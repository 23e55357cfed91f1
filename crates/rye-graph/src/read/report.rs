//! Problems, and values of a certain type.

use rye_metadata::{Placed, PlacedKind, Position, Problem, Severity, suggestion};

use crate::graph::Place;

/// Nobody reads more, and a file of nothing but mistakes must not take long.
const MAX_PROBLEMS: usize = 100;

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Report {
    problems: Vec<Problem>,
    /// What templates and conditions read of the state.
    pub(crate) state_uses: Vec<StateUse>,
    /// Whether a node is named that is not there.
    pub(crate) has_dangling_target: bool,
}

/// A place that reads the state.
#[derive(Debug)]
pub(crate) struct StateUse {
    /// Any of these names has to be there.
    pub(crate) names: Vec<String>,
    pub(crate) field: String,
    pub(crate) position: Place,
    /// Whether the run fails there if there is none of them.
    pub(crate) severity: Severity,
}

impl Report {
    pub(crate) fn error(&mut self, field: &str, at: Place, message: impl Into<String>) {
        self.push(Severity::Error, field, at, message.into());
    }

    pub(crate) fn warning(&mut self, field: &str, at: Place, message: impl Into<String>) {
        self.push(Severity::Warning, field, at, message.into());
    }

    pub(crate) fn push(&mut self, severity: Severity, field: &str, at: Place, message: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem { severity, field: field.to_owned(), message, position: at });
        } else if self.problems.len() == MAX_PROBLEMS {
            let message = "and more problems, which are not shown".to_owned();
            let field = "…".to_owned();
            self.problems.push(Problem { severity: Severity::Error, field, message, position: None });
        }
    }

    /// All problems in the order of the file; those without a place come last.
    pub(crate) fn into_problems(mut self) -> Vec<Problem> {
        let end = Position { line: u32::MAX, column: u32::MAX };
        self.problems.sort_by_key(|problem| problem.position.unwrap_or(end));
        self.problems
    }

    pub(crate) fn mismatch(&mut self, field: &str, node: &Placed, expected: &str) {
        self.error(field, node.position, format!("must be {expected}, not {}", node.kind_name()));
    }

    pub(crate) fn text(&mut self, field: &str, node: &Placed) -> Option<String> {
        match &node.kind {
            PlacedKind::Text(text) if text.trim().is_empty() => {
                self.error(field, node.position, "must not be empty");
                None
            }
            PlacedKind::Text(text) => Some(text.clone()),
            _ => {
                self.mismatch(field, node, "a text");
                None
            }
        }
    }

    pub(crate) fn bool(&mut self, field: &str, node: &Placed) -> Option<bool> {
        let PlacedKind::Bool(bool) = &node.kind else {
            self.mismatch(field, node, "true or false");
            return None;
        };
        Some(*bool)
    }

    pub(crate) fn list<'n>(&mut self, field: &str, node: &'n Placed) -> Option<&'n [Placed]> {
        let PlacedKind::List(items) = &node.kind else {
            self.mismatch(field, node, "a list");
            return None;
        };
        Some(items)
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&mut self, field: &str, node: &Placed, least: u32, most: u32) -> Option<u32> {
        let number = match &node.kind {
            PlacedKind::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
            _ => None,
        };
        let found = number.filter(|number| (least..=most).contains(number));
        if found.is_none() {
            self.error(field, node.position, format!("must be a whole number from {least} to {most}"));
        }
        found
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(&mut self, field: &str, node: &Placed, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(field, node)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("has an unknown value `{text}`; {}", suggestion(&text, &known));
            self.error(field, node.position, message);
        }
        found.map(|(_, value)| *value)
    }
}
