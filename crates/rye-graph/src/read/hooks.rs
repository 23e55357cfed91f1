//! `hooks` of a graph.

use rye_metadata::Placed;

use super::fields::Fields;
use super::names::ROOTS;
use super::{Report, action};
use crate::graph::{HookKind, Hooks};

pub(super) fn read(report: &mut Report, path: &str, node: &Placed) -> Hooks {
    let mut hooks = Hooks::default();
    let known = HookKind::ALL.map(|(word, _)| word);
    let Some(fields) = Fields::new(report, path, node, &known) else { return hooks };
    for (word, kind) in HookKind::ALL {
        let Some((field, node)) = fields.get(word) else { continue };
        let Some(items) = report.list(&field, node) else { continue };
        let read = |(index, item)| action::read(report, &format!("{field}.{index}"), item, &ROOTS);
        let actions = items.iter().enumerate().filter_map(read).collect();
        hooks.actions.insert(kind, actions);
    }
    hooks
}
