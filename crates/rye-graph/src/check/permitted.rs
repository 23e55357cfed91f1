//! Whether the graph may execute what it executes.

use crate::graph::Graph;
use crate::read::Report;

pub(super) fn check(report: &mut Report, graph: &Graph) {
    for site in graph.actions() {
        let Some(id) = site.item_id() else { continue };
        let kind = site.item_kind();
        if !graph.permissions().allow(kind, id) {
            let shown = if kind == rye_item::ItemKind::Tool { id.to_owned() } else { format!("{kind}:{id}") };
            let message = format!(
                "names `{shown}`, which the graph may not execute; `permissions: {{execute: [{shown}]}}` allows it"
            );
            report.error(&format!("{}.item_id", site.field()), site.position(), message);
        }
    }
}
