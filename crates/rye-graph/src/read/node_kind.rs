//! What is special about each type of node.

use rye_metadata::{Placed, PlacedKind};
use rye_template::graph::ValueTemplate;
use serde_json::Value;

use super::fields::Fields;
use super::names::{self, ROOTS};
use super::{Report, action, templates};
use crate::graph::{Collect, Foreach, Gate, NodeKind};

/// The most that `parallel` may be.
pub const MAX_PARALLEL: u32 = 1_000;

/// The word after `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KindWord {
    Action,
    Foreach,
    Gate,
    Return,
}

const COMMON: [&str; 9] =
    ["type", "action", "assign", "next", "on_error", "retry", "timeout", "cache_result", "on_interrupt"];

impl KindWord {
    pub(super) const ALL: [(&'static str, Self); 4] = [
        ("action", Self::Action),
        ("foreach", Self::Foreach),
        ("gate", Self::Gate),
        ("return", Self::Return),
    ];

    /// The fields that such a node may have.
    pub(super) fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Action => &COMMON,
            Self::Foreach => &[
                "type",
                "over",
                "as",
                "collect",
                "parallel",
                "action",
                "assign",
                "next",
                "on_error",
                "retry",
                "timeout",
                "cache_result",
                "on_interrupt",
            ],
            Self::Gate => &["type", "wait", "message", "assign", "next", "on_error", "timeout"],
            Self::Return => &["type", "output"],
        }
    }

    /// A reason for a field that only other nodes have.
    pub(super) fn why_not(self, key: &str) -> Option<String> {
        let owners: Vec<_> = Self::ALL
            .into_iter()
            .filter(|(_, word)| word.fields().contains(&key))
            .map(|(name, _)| format!("`type: {name}`"))
            .collect();
        let name = Self::ALL.into_iter().find(|(_, word)| *word == self).map_or("", |(name, _)| name);
        let owners = (!owners.is_empty()).then(|| owners.join(", "))?;
        Some(format!("is not for `type: {name}`, but for {owners}"))
    }
}

pub(super) fn read(report: &mut Report, fields: &Fields<'_>, word: KindWord) -> Option<NodeKind> {
    match word {
        KindWord::Action => {
            let (field, node) = fields.required(report, "action")?;
            action::read(report, &field, node, &ROOTS).map(NodeKind::Action)
        }
        KindWord::Foreach => foreach(report, fields).map(NodeKind::Foreach),
        KindWord::Gate => gate(report, fields).map(NodeKind::Gate),
        KindWord::Return => {
            let output = match fields.get("output") {
                Some((field, node)) => templates::value(report, &field, node, &ROOTS)?,
                None => ValueTemplate::Literal(Value::Null),
            };
            Some(NodeKind::Return { output })
        }
    }
}

fn foreach(report: &mut Report, fields: &Fields<'_>) -> Option<Foreach> {
    let over = fields.required(report, "over").and_then(|(field, node)| {
        let over = templates::value(report, &field, node, &ROOTS)?;
        let is_list = match &over {
            ValueTemplate::Literal(value) => value.is_array(),
            ValueTemplate::List(_) => true,
            ValueTemplate::Text(text) => text.as_expression().is_some(),
            ValueTemplate::Map(_) => false,
        };
        if !is_list {
            report.error(&field, node.position, "has to be a list, or one `${…}` that gives a list");
        }
        Some(over)
    });
    let element = match fields.get("as") {
        Some((field, node)) => {
            let name = report.text(&field, node)?;
            names::check_element_name(report, &field, node.position, &name);
            name
        }
        None => "item".to_owned(),
    };
    let roots: Vec<&str> = ROOTS.into_iter().chain([element.as_str(), "index"]).collect();
    let collect = fields.get("collect").map(|(field, node)| collect(report, &field, node, &roots));
    let parallel = fields.get("parallel").map(|(field, node)| report.whole(&field, node, 1, MAX_PARALLEL));
    let action = fields
        .required(report, "action")
        .and_then(|(field, node)| action::read(report, &field, node, &roots));
    let (over, action, collect) = (over?, action?, collect.map_or(Some(None), |read| read.map(Some))?);
    Some(Foreach { over, element, collect, parallel: parallel.flatten().unwrap_or(1), action })
}

/// The name for the list, or that and what is kept of each element.
fn collect(report: &mut Report, path: &str, node: &Placed, roots: &[&str]) -> Option<Collect> {
    if let PlacedKind::Text(name) = &node.kind {
        names::check_state_name(report, path, node.position, name);
        return Some(Collect { into: name.clone(), value: None });
    }
    let fields = Fields::new(report, path, node, &["into", "value"])?;
    let (field, node) = fields.required(report, "into")?;
    let into = report.text(&field, node)?;
    names::check_state_name(report, &field, node.position, &into);
    let value = match fields.get("value") {
        Some((field, node)) => Some(templates::value(report, &field, node, roots)?),
        None => None,
    };
    Some(Collect { into, value })
}

fn gate(report: &mut Report, fields: &Fields<'_>) -> Option<Gate> {
    let manual = match fields.get("wait") {
        Some((field, node)) => Some(report.word(&field, node, &[("manual", ())])?),
        None => None,
    };
    let message = fields.get("message").map(|(field, node)| templates::text(report, &field, node, &ROOTS));
    if manual.is_some() {
        return Some(Gate::Manual { message: message.flatten() });
    }
    for key in ["message", "timeout"] {
        if let Some((field, node)) = fields.get(key) {
            report.error(&field, node.position, "is only for a gate with `wait: manual`");
        }
    }
    Some(Gate::Open)
}
