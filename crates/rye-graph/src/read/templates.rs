//! Texts and values with `${…}`, whose names are checked where they stand.

use rye_metadata::{Placed, PlacedKind, Severity, suggestion};
use rye_template::graph::{Expression, Path, PathStep, Term, TextTemplate, ValueTemplate};

use super::Report;
use super::report::StateUse;
use crate::graph::Place;

/// A value with templates. `roots` are the names that paths may begin with.
pub(super) fn value(
    report: &mut Report,
    field: &str,
    node: &Placed,
    roots: &[&str],
) -> Option<ValueTemplate> {
    match &node.kind {
        PlacedKind::Text(text) => {
            template(report, field, node.position, text, roots).map(ValueTemplate::text)
        }
        PlacedKind::List(items) => {
            let read: Vec<_> = items
                .iter()
                .enumerate()
                .map(|(index, item)| value(report, &format!("{field}.{index}"), item, roots))
                .collect();
            read.into_iter().collect::<Option<_>>().map(ValueTemplate::list)
        }
        PlacedKind::Map(entries) => {
            let read: Vec<_> = entries
                .iter()
                .map(|entry| {
                    let field = format!("{field}.{}", entry.key);
                    Some((entry.key.clone(), value(report, &field, &entry.value, roots)?))
                })
                .collect();
            read.into_iter().collect::<Option<_>>().map(ValueTemplate::map)
        }
        PlacedKind::Null | PlacedKind::Bool(_) | PlacedKind::Number(_) => {
            Some(ValueTemplate::Literal(node.to_value()))
        }
    }
}

/// A text with templates.
pub(super) fn text(report: &mut Report, field: &str, node: &Placed, roots: &[&str]) -> Option<TextTemplate> {
    let text = report.text(field, node)?;
    template(report, field, node.position, &text, roots)
}

/// A path that stands alone, in a condition.
pub(super) fn path(report: &mut Report, field: &str, node: &Placed, roots: &[&str]) -> Option<Path> {
    let text = report.text(field, node)?;
    let path = match Path::parse(&text) {
        Ok(path) => path,
        Err(error) => {
            let hint = if text.trim_start().starts_with("${") {
                "; it stands without `${` and `}` here"
            } else {
                ""
            };
            report.error(field, node.position, format!("{error}{hint}"));
            return None;
        }
    };
    check_root(report, field, node.position, &path, roots);
    let names: Vec<_> = state_name(&path).into_iter().collect();
    if !names.is_empty() {
        let (field, position) = (field.to_owned(), node.position);
        report.state_uses.push(StateUse { names, field, position, severity: Severity::Warning });
    }
    Some(path)
}

fn template(report: &mut Report, field: &str, at: Place, text: &str, roots: &[&str]) -> Option<TextTemplate> {
    let template = match TextTemplate::parse(text) {
        Ok(template) => template,
        Err(error) => {
            report.error(field, at, error.to_string());
            return None;
        }
    };
    for expression in template.expressions() {
        for term in expression.terms() {
            if let Term::Path(path) = term {
                check_root(report, field, at, path, roots);
            }
        }
        if let Some(names) = needed_names(expression) {
            let (field, severity) = (field.to_owned(), Severity::Error);
            report.state_uses.push(StateUse { names, field, position: at, severity });
        }
    }
    Some(template)
}

/// The values of the state of which one has to be there, if nothing else will do.
fn needed_names(expression: &Expression) -> Option<Vec<String>> {
    let name = |term: &Term| match term {
        Term::Path(path) => state_name(path),
        Term::Literal(_) => None,
    };
    expression.terms().iter().map(name).collect()
}

fn state_name(path: &Path) -> Option<String> {
    match path.steps.first() {
        Some(PathStep::Key(key)) if path.root == "state" => Some(key.clone()),
        _ => None,
    }
}

fn check_root(report: &mut Report, field: &str, at: Place, path: &Path, roots: &[&str]) {
    if !roots.contains(&path.root.as_str()) {
        let hint = suggestion(&path.root, roots);
        let message = format!("has `{path}`, and nothing is called `{}` here; {hint}", path.root);
        report.error(field, at, message);
    }
}
