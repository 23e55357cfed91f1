//! Applying an extractor to a file.

use semver::Version;

use crate::extractor::UnknownFields;
use crate::node::{Node, NodeKind};
use crate::reading::Reading;
use crate::rule::{Rule, Subject};
use crate::text::{Spot, Text};
use crate::{ExtractError, ExtractErrorKind, Extractor, Field, ItemPath, Metadata, Problem, Severity};

/// The metadata of a file and everything that is wrong with it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Extraction {
    /// The metadata, as far as it can be read.
    pub metadata: Metadata,
    /// What is wrong with it, in the order of [`Field::ALL`].
    pub problems: Vec<Problem>,
}

impl Extraction {
    /// Whether the item must not be signed or executed.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

impl Extractor {
    /// Reads the metadata of the file `bytes` at `path`.
    ///
    /// Pure: the same bytes and path give the same result, nothing is executed and no other file is opened.
    ///
    /// # Errors
    /// When the file as a whole cannot be read: too large, no text, not valid in its language, too complex
    /// to read. Problems of single fields are part of the [`Extraction`].
    pub fn extract(&self, path: ItemPath<'_>, bytes: &[u8]) -> Result<Extraction, ExtractError> {
        let located = |kind: ExtractErrorKind| ExtractError { path: path.to_string(), kind };
        let text = Text::new(bytes).map_err(located)?;
        let parsed = self.parser().parse(&text, path.extension(), |document| {
            let mut reading = Reading::new(&text);
            if let Some(tree) = document.tree() {
                self.check_unknown_fields(tree, &mut reading);
            }
            let metadata = self.read_fields(Subject { document, text: &text, path }, &mut reading);
            Extraction { metadata, problems: reading.into_problems() }
        });
        parsed.map_err(located)
    }

    fn read_fields(&self, subject: Subject<'_>, reading: &mut Reading<'_>) -> Metadata {
        let mut metadata = Metadata::default();
        let mut refused = Vec::new();
        for (field, rules) in &self.rules {
            match first_found(*field, rules, subject) {
                Ok(Some(node)) => {
                    let problems_before = reading.problem_count();
                    metadata.set(*field, &node, reading);
                    if reading.problem_count() > problems_before {
                        refused.push(*field);
                    } else {
                        self.check_value(*field, &node, subject.path, reading);
                    }
                }
                Ok(None) => {}
                Err(refusal) => {
                    reading.error(field.as_str(), refusal.at, refusal.reason);
                    refused.push(*field);
                }
            }
        }
        // A field that is there but wrong is not missing as well.
        let is_missing = |field: &&Field| !metadata.has(**field) && !refused.contains(field);
        for field in self.validation.required.iter().filter(is_missing) {
            // Nobody executes a library.
            if *field != Field::ExecutorId || !metadata.is_library() {
                reading.error(field.as_str(), Spot::Unknown, "is missing");
            }
        }
        for field in self.validation.recommended.iter().filter(is_missing) {
            reading.warning(field.as_str(), Spot::Unknown, "is missing");
        }
        metadata
    }

    fn check_value(&self, field: Field, node: &Node, path: ItemPath<'_>, reading: &mut Reading<'_>) {
        let NodeKind::Text(text) = &node.kind else { return };
        if self.validation.semver.contains(&field)
            && let Err(error) = Version::parse(text)
        {
            reading.error(field.as_str(), node.at, format!("is not a semantic version: `{text}`: {error}"));
        }
        if field == Field::Category && !is_tail(text, path.folder()) {
            let message = format!("`{text}` is not the end of the item's folder `{}`", path.folder());
            reading.warning(field.as_str(), node.at, message);
        }
    }

    fn check_unknown_fields(&self, tree: &Node, reading: &mut Reading<'_>) {
        let NodeKind::Map(entries) = &tree.kind else { return };
        if self.validation.unknown_fields == UnknownFields::Ignore {
            return;
        }
        let known: Vec<_> =
            self.rules.iter().flat_map(|(_, rules)| rules).filter_map(Rule::root_key).collect();
        for entry in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            reading.unknown("", entry, &known);
            if reading.is_full() {
                break;
            }
        }
    }
}

/// The value of the first rule that finds one. Null is a value only where it means something.
fn first_found(field: Field, rules: &[Rule], subject: Subject<'_>) -> crate::parser::Lookup {
    for rule in rules {
        if let Some(node) = rule.find(subject)?
            && (field == Field::ExecutorId || !node.is_null())
        {
            return Ok(Some(node));
        }
    }
    Ok(None)
}

/// Whether `category` is the end of `folder`, part by part. A file without a folder may have any category.
fn is_tail(category: &str, folder: &str) -> bool {
    let category = category.trim_matches('/');
    folder.is_empty()
        || folder == category
        || folder.strip_suffix(category).is_some_and(|rest| rest.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_category_is_a_tail_of_whole_parts() {
        let check = |category, folder, expect| assert_eq!(is_tail(category, folder), expect, "{category}");
        check("runtimes", "rye/core/runtimes", true);
        check("core/runtimes", "rye/core/runtimes", true);
        check("rye/core/runtimes", "rye/core/runtimes", true);
        check("times", "rye/core/runtimes", false);
        check("core", "rye/core/runtimes", false);
        check("anything", "", true);
        check("", "rye", false);
    }
}
