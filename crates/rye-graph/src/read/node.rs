//! A node: what all of them have.

use rye_metadata::Placed;
use rye_template::graph::ValueTemplate;

use super::fields::Fields;
use super::names::{self, ROOTS, Targets};
use super::node_kind::{self, KindWord};
use super::{POLICIES, Report, next, templates, times};
use crate::graph::{DEFAULT_MAX_BACKOFF, MAX_RETRIES, Node, NodeKind, OnError, OnInterrupt, Place, Retry};

const INTERRUPTS: [(&str, OnInterrupt); 3] =
    [("retry", OnInterrupt::Retry), ("fail", OnInterrupt::Fail), ("ask", OnInterrupt::Ask)];

pub(super) fn read(
    report: &mut Report,
    path: &str,
    position: Place,
    node: &Placed,
    targets: &Targets<'_>,
) -> Option<Node> {
    let fields = Fields::of_any(report, path, node)?;
    let word = match fields.get("type") {
        Some((field, node)) => report.word(&field, node, &KindWord::ALL)?,
        None => KindWord::Action,
    };
    fields.refuse_others(report, word.fields(), |key| word.why_not(key));
    let kind = node_kind::read(report, &fields, word);
    let assign = fields.get("assign").map(|(field, node)| read_assign(report, &field, node));
    let next = read_next(report, &fields, position, targets, word);
    let on_error = fields.get("on_error").map(|(field, node)| read_on_error(report, &field, node, targets));
    let retry = fields.get("retry").map(|(field, node)| read_retry(report, &field, node));
    let timeout = fields.get("timeout").map(|(field, node)| times::read_positive(report, &field, node));
    let cache_result = fields.get("cache_result").map(|(field, node)| report.bool(&field, node));
    let on_interrupt = fields.get("on_interrupt").map(|(field, node)| report.word(&field, node, &INTERRUPTS));
    Some(Node {
        kind: kind?,
        assign: assign.unwrap_or_default(),
        next: next?,
        on_error: on_error.unwrap_or(Some(OnError::Inherit))?,
        retry: retry.unwrap_or(Some(Retry::NONE))?,
        timeout: timeout.flatten(),
        cache_result: cache_result.flatten().unwrap_or_default(),
        on_interrupt: on_interrupt.flatten().unwrap_or_default(),
        position,
    })
}

fn read_next(
    report: &mut Report,
    fields: &Fields<'_>,
    position: Place,
    targets: &Targets<'_>,
    word: KindWord,
) -> Option<Vec<crate::graph::Branch>> {
    match (fields.get("next"), word) {
        (_, KindWord::Return) => Some(Vec::new()),
        (Some((field, node)), _) => next::read(report, &field, node, targets),
        (None, _) => {
            let message = "is missing: a run ends at a node of `type: return`, and only there";
            report.error(&fields.field("next"), position, message);
            None
        }
    }
}

fn read_assign(report: &mut Report, path: &str, node: &Placed) -> Vec<(String, ValueTemplate)> {
    let Some(fields) = Fields::of_any(report, path, node) else { return Vec::new() };
    let mut assign = Vec::new();
    for entry in fields.entries() {
        let field = fields.field(&entry.key);
        names::check_state_name(report, &field, entry.key_position, &entry.key);
        if let Some(value) = templates::value(report, &field, &entry.value, &ROOTS) {
            assign.push((entry.key.clone(), value));
        }
    }
    assign
}

fn read_on_error(report: &mut Report, path: &str, node: &Placed, targets: &Targets<'_>) -> Option<OnError> {
    let text = report.text(path, node)?;
    if let Some((_, policy)) = POLICIES.into_iter().find(|(word, _)| *word == text) {
        return Some(OnError::Policy(policy));
    }
    let to = next::target(report, path, node, targets)?;
    Some(OnError::Node { to, position: node.position })
}

fn read_retry(report: &mut Report, path: &str, node: &Placed) -> Option<Retry> {
    let fields = Fields::new(report, path, node, &["max", "backoff", "max_backoff", "jitter"])?;
    let max =
        fields.required(report, "max").and_then(|(field, node)| report.whole(&field, node, 0, MAX_RETRIES));
    let backoff = fields.get("backoff").map(|(field, node)| times::read(report, &field, node));
    let max_backoff = fields.get("max_backoff").map(|(field, node)| times::read(report, &field, node));
    let jitter = fields.get("jitter").map(|(field, node)| {
        let jitter = node.to_value().as_f64().filter(|jitter| (0.0..=1.0).contains(jitter));
        if jitter.is_none() {
            report.error(&field, node.position, "must be a number from 0 to 1");
        }
        jitter
    });
    Some(Retry {
        max: max?,
        backoff: backoff.flatten().unwrap_or(Retry::NONE.backoff),
        max_backoff: max_backoff.flatten().unwrap_or(DEFAULT_MAX_BACKOFF),
        jitter: jitter.flatten().unwrap_or_default(),
    })
}

impl NodeKind {
    /// The word for it in a file.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Action(_) => "action",
            Self::Foreach(_) => "foreach",
            Self::Gate(_) => "gate",
            Self::Return { .. } => "return",
        }
    }
}
