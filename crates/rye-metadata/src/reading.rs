//! From nodes to typed values, collecting every problem on the way.

use crate::nearest::suggestion;
use crate::node::{Entry, Node, NodeKind};
use crate::text::{Spot, Text};
use crate::{Problem, Severity};

/// Nobody reads more, and a file of nothing but mistakes must not take long.
const MAX_PROBLEMS: usize = 100;

/// The problems found so far in one text.
#[derive(Debug)]
pub(crate) struct Reading<'t> {
    text: &'t Text<'t>,
    problems: Vec<Problem>,
}

/// A map whose keys are known: everything else in it is reported as unknown when this is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields<'n> {
    path: &'n str,
    at: Spot,
    entries: &'n [Entry],
}

impl<'t> Reading<'t> {
    pub(crate) fn new(text: &'t Text<'t>) -> Self {
        Self { text, problems: Vec::new() }
    }

    pub(crate) fn problem_count(&self) -> usize {
        self.problems.len()
    }

    pub(crate) fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    pub(crate) fn error(&mut self, field: &str, at: Spot, message: impl Into<String>) {
        self.report(Severity::Error, field, at, message.into());
    }

    pub(crate) fn warning(&mut self, field: &str, at: Spot, message: impl Into<String>) {
        self.report(Severity::Warning, field, at, message.into());
    }

    fn report(&mut self, severity: Severity, field: &str, at: Spot, message: String) {
        if self.is_full() {
            return;
        }
        let position = self.text.position(at);
        self.problems.push(Problem { severity, field: field.to_owned(), message, position });
    }

    /// Whether no more problems are taken, the last one being a note that says so.
    pub(crate) fn is_full(&mut self) -> bool {
        if self.problems.len() == MAX_PROBLEMS {
            self.problems.push(Problem {
                severity: Severity::Error,
                field: "…".to_owned(),
                message: "and more problems, which are not shown".to_owned(),
                position: None,
            });
        }
        self.problems.len() > MAX_PROBLEMS
    }

    fn mismatch<T>(&mut self, field: &str, node: &Node, expected: &str) -> Option<T> {
        self.error(field, node.at, format!("must be {expected}, not {}", node.kind_name()));
        None
    }

    pub(crate) fn text(&mut self, field: &str, node: &Node) -> Option<String> {
        match &node.kind {
            NodeKind::Text(text) => Some(text.clone()),
            NodeKind::Number(number) => {
                self.error(
                    field,
                    node.at,
                    format!("must be a text, not a number: write \"{number}\" in quotes"),
                );
                None
            }
            _ => self.mismatch(field, node, "a text"),
        }
    }

    /// A text that says something.
    pub(crate) fn filled_text(&mut self, field: &str, node: &Node) -> Option<String> {
        let text = self.text(field, node)?;
        if text.trim().is_empty() {
            self.error(field, node.at, "must not be empty");
            return None;
        }
        Some(text)
    }

    pub(crate) fn bool(&mut self, field: &str, node: &Node) -> Option<bool> {
        match &node.kind {
            NodeKind::Bool(bool) => Some(*bool),
            _ => self.mismatch(field, node, "true or false"),
        }
    }

    pub(crate) fn list<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n [Node]> {
        match &node.kind {
            NodeKind::List(items) => Some(items),
            _ => self.mismatch(field, node, "a list"),
        }
    }

    pub(crate) fn entries<'n>(&mut self, field: &str, node: &'n Node) -> Option<&'n [Entry]> {
        match &node.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => self.mismatch(field, node, "a map"),
        }
    }

    /// A list of texts, or one text with commas, which is how a comment header says it.
    pub(crate) fn texts(&mut self, field: &str, node: &Node) -> Option<Vec<String>> {
        match &node.kind {
            NodeKind::Text(text) => Some(
                text.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect(),
            ),
            NodeKind::List(items) => Some(
                items
                    .iter()
                    .enumerate()
                    .filter_map(|(index, item)| self.filled_text(&format!("{field}.{index}"), item))
                    .collect(),
            ),
            _ => self.mismatch(field, node, "a list of texts"),
        }
    }

    /// One of a few words.
    pub(crate) fn word<T: Copy>(&mut self, field: &str, node: &Node, words: &[(&str, T)]) -> Option<T> {
        let text = self.text(field, node)?;
        let found = words.iter().find(|(word, _)| *word == text);
        if found.is_none() {
            let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.error(
                field,
                node.at,
                format!("has an unknown value `{text}`; {}", suggestion(&text, &known)),
            );
        }
        found.map(|(_, value)| *value)
    }

    /// A map with these keys and no others.
    pub(crate) fn fields<'n>(&mut self, path: &'n str, node: &'n Node, known: &[&str]) -> Option<Fields<'n>> {
        let entries = self.entries(path, node)?;
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            self.unknown(path, entry, known);
        }
        Some(Fields { path, at: node.at, entries })
    }

    /// Reports that nobody knows `entry`.
    pub(crate) fn unknown(&mut self, path: &str, entry: &Entry, known: &[&str]) {
        if self.is_full() {
            return;
        }
        let field = join(path, &entry.key);
        self.error(&field, entry.key_at, format!("is unknown; {}", suggestion(&entry.key, known)));
    }
}

impl<'n> Fields<'n> {
    /// The value of `key` unless it is absent or null.
    pub(crate) fn get(&self, key: &str) -> Option<&'n Node> {
        self.entries
            .iter()
            .find(|entry| entry.key == key)
            .map(|entry| &entry.value)
            .filter(|node| !node.is_null())
    }

    /// The value of `key`, read by `read`, which gets the whole path for its problems.
    pub(crate) fn read<'t, T>(
        &self,
        reading: &mut Reading<'t>,
        key: &str,
        read: impl FnOnce(&mut Reading<'t>, &str, &'n Node) -> Option<T>,
    ) -> Option<T> {
        self.get(key).and_then(|node| read(reading, &join(self.path, key), node))
    }

    /// As [`Fields::read`], with a problem if the key is absent.
    pub(crate) fn required<'t, T>(
        &self,
        reading: &mut Reading<'t>,
        key: &str,
        read: impl FnOnce(&mut Reading<'t>, &str, &'n Node) -> Option<T>,
    ) -> Option<T> {
        if self.get(key).is_none() {
            reading.error(&join(self.path, key), self.at, "is missing");
        }
        self.read(reading, key, read)
    }
}

/// A dotted path.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
