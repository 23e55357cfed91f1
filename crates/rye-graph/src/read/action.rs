//! `action` of a node.

use rye_item::{ItemId, ItemKind};
use rye_metadata::{Placed, PlacedKind};

use super::fields::Fields;
use super::{Report, templates};
use crate::graph::{Action, Param};

pub(crate) const ACTION: [&str; 4] = ["primary", "item_type", "item_id", "params"];

const PRIMARIES: [(&str, ()); 1] = [("execute", ())];

const KINDS: [(&str, ItemKind); 3] =
    [("tool", ItemKind::Tool), ("directive", ItemKind::Directive), ("knowledge", ItemKind::Knowledge)];

pub(super) fn read(report: &mut Report, path: &str, node: &Placed, roots: &[&str]) -> Option<Action> {
    let fields = Fields::new(report, path, node, &ACTION)?;
    if let Some((field, node)) = fields.get("primary") {
        report.word(&field, node, &PRIMARIES);
    }
    let item_kind = match fields.get("item_type") {
        Some((field, node)) => report.word(&field, node, &KINDS),
        None => Some(ItemKind::Tool),
    };
    let item_id = fields.required(report, "item_id").and_then(|(field, node)| {
        let id = templates::text(report, &field, node, roots)?;
        if let Some(Err(error)) = id.as_literal().map(ItemId::new) {
            report.error(&field, node.position, error.to_string());
        }
        Some(id)
    });
    let params = match fields.get("params") {
        Some((field, node)) => read_params(report, &field, node, roots),
        None => Some(Vec::new()),
    };
    Some(Action { item_kind: item_kind?, item_id: item_id?, params: params?, position: node.position })
}

fn read_params(report: &mut Report, path: &str, node: &Placed, roots: &[&str]) -> Option<Vec<Param>> {
    let PlacedKind::Map(entries) = &node.kind else {
        report.mismatch(path, node, "a map");
        return None;
    };
    let read: Vec<_> = entries
        .iter()
        .map(|entry| {
            let value = templates::value(report, &format!("{path}.{}", entry.key), &entry.value, roots)?;
            Some(Param { name: entry.key.clone(), value, position: entry.value.position })
        })
        .collect();
    read.into_iter().collect()
}
