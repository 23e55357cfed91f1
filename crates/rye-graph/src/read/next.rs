//! `next` and its conditions.

use rye_metadata::{Placed, PlacedKind};
use rye_template::graph::{Comparison, Condition, Pattern, Test};

use super::fields::Fields;
use super::names::{ROOTS, Targets};
use super::{Report, templates};
use crate::graph::{Branch, Place};

/// A name, or a list of `{to, when}`.
pub(super) fn read(
    report: &mut Report,
    path: &str,
    node: &Placed,
    targets: &Targets<'_>,
) -> Option<Vec<Branch>> {
    match &node.kind {
        PlacedKind::Text(_) => {
            let to = target(report, path, node, targets)?;
            Some(vec![Branch { to, when: None, position: node.position }])
        }
        PlacedKind::List(items) if items.is_empty() => {
            report.error(path, node.position, "has no branch");
            None
        }
        PlacedKind::List(items) => {
            let read: Vec<_> = items
                .iter()
                .enumerate()
                .map(|(index, item)| branch(report, &format!("{path}.{index}"), item, targets))
                .collect();
            let branches: Vec<_> = read.into_iter().collect::<Option<_>>()?;
            check_order(report, path, &branches);
            Some(branches)
        }
        _ => {
            report.mismatch(path, node, "the name of a node, or a list of branches");
            None
        }
    }
}

fn branch(report: &mut Report, path: &str, node: &Placed, targets: &Targets<'_>) -> Option<Branch> {
    let fields = Fields::new(report, path, node, &["to", "when"])?;
    let to = fields.required(report, "to").and_then(|(field, node)| target(report, &field, node, targets));
    let when = match fields.get("when") {
        Some((field, node)) => Some(condition(report, &field, node)?),
        None => None,
    };
    Some(Branch { to: to?, when, position: node.position })
}

pub(super) fn target(
    report: &mut Report,
    path: &str,
    node: &Placed,
    targets: &Targets<'_>,
) -> Option<String> {
    let to = report.text(path, node)?;
    targets.check(report, path, node.position, &to);
    Some(to)
}

/// After a branch without a condition, no other one is ever taken.
fn check_order(report: &mut Report, path: &str, branches: &[Branch]) {
    let Some(default) = branches.iter().position(|branch| branch.when.is_none()) else {
        let at: Place = branches.last().and_then(|branch| branch.position);
        report.warning(path, at, "has no branch without `when`: the run fails if none of them holds");
        return;
    };
    for (index, branch) in branches.iter().enumerate().skip(default + 1) {
        let message = "is never taken, because a branch before it has no `when`";
        report.warning(&format!("{path}.{index}"), branch.position, message);
    }
}

fn condition(report: &mut Report, path: &str, node: &Placed) -> Option<Condition> {
    let fields = Fields::new(report, path, node, &["path", "op", "value", "all", "any", "not"])?;
    let combined: Vec<_> =
        ["all", "any", "not"].into_iter().filter(|key| fields.get(key).is_some()).collect();
    match combined.as_slice() {
        [] => test(report, &fields),
        [word] if fields.entries().len() == 1 => {
            let (field, node) = fields.get(word)?;
            match *word {
                "all" => conditions(report, &field, node).map(Condition::All),
                "any" => conditions(report, &field, node).map(Condition::Any),
                _ => Some(Condition::Not(Box::new(condition(report, &field, node)?))),
            }
        }
        _ => {
            report.error(path, node.position, "has to be either a test, or one of `all`, `any` and `not`");
            None
        }
    }
}

fn conditions(report: &mut Report, path: &str, node: &Placed) -> Option<Vec<Condition>> {
    let items = report.list(path, node)?;
    let read: Vec<_> = items
        .iter()
        .enumerate()
        .map(|(index, item)| condition(report, &format!("{path}.{index}"), item))
        .collect();
    read.into_iter().collect()
}

/// What `op` says.
#[derive(Debug, Clone, Copy)]
enum Operator {
    Compare(Comparison),
    Matches,
    Exists,
    Empty,
}

fn test(report: &mut Report, fields: &Fields<'_>) -> Option<Condition> {
    let mut words: Vec<_> =
        Comparison::ALL.into_iter().map(|(word, comparison)| (word, Operator::Compare(comparison))).collect();
    words.extend([("matches", Operator::Matches), ("exists", Operator::Exists), ("empty", Operator::Empty)]);
    let path = fields
        .required(report, "path")
        .and_then(|(field, node)| templates::path(report, &field, node, &ROOTS));
    let operator =
        fields.required(report, "op").and_then(|(field, node)| report.word(&field, node, &words))?;
    // Null is a value to compare with.
    let value = fields.entries().iter().find(|entry| entry.key == "value").map(|entry| &entry.value);
    let field = fields.field("value");
    let test = match (operator, value) {
        (Operator::Compare(comparison), Some(node)) => {
            Test::Compare(comparison, templates::value(report, &field, node, &ROOTS)?)
        }
        (Operator::Matches, Some(node)) => Test::Matches(pattern(report, &field, node)?),
        (Operator::Compare(_) | Operator::Matches, None) => {
            fields.required(report, "value");
            return None;
        }
        (Operator::Exists, None) => Test::Exists,
        (Operator::Empty, None) => Test::Empty,
        (Operator::Exists | Operator::Empty, Some(node)) => {
            report.error(&field, node.position, "is not needed: `exists` and `empty` compare with nothing");
            return None;
        }
    };
    Some(Condition::Test { path: path?, test })
}

fn pattern(report: &mut Report, field: &str, node: &Placed) -> Option<Pattern> {
    let PlacedKind::Text(text) = &node.kind else {
        report.mismatch(field, node, "a regular expression");
        return None;
    };
    match Pattern::parse(text) {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            report.error(field, node.position, format!("is not a regular expression: {error}"));
            None
        }
    }
}
