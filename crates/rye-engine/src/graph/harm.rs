//! Whether a graph may destroy something: it does what the items do that it names.

use std::collections::HashSet;

use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::Element;

use crate::engine::Call;
use crate::items::Items;

/// Whether a graph that does not say so itself executes something that may destroy something, in graphs within it, too.
/// Where a template decides which item it is, nobody knows, unless the graph says that it is harmless.
pub(crate) fn may_destroy(graph: &ItemRef, call: &Call, items: &Items<'_>) -> bool {
    Search { call, items, seen: HashSet::new() }.is_harmful(graph)
}

struct Search<'a> {
    call: &'a Call,
    items: &'a Items<'a>,
    seen: HashSet<ItemRef>,
}

impl Search<'_> {
    fn is_harmful(&mut self, item: &ItemRef) -> bool {
        if item.kind != ItemKind::Tool || !self.seen.insert(item.clone()) {
            return false;
        }
        // What cannot be found or read cannot be executed, either.
        let Ok(located) = self.call.locate(item, Space::Project) else { return false };
        let Ok(element) = self.items.look_at(located) else { return false };
        let says = element.metadata.annotations.as_ref().and_then(|hints| hints.destructive_hint);
        says == Some(true) || (element.metadata.is_graph() && self.is_harmful_within(&element, says))
    }

    fn is_harmful_within(&mut self, element: &Element, says: Option<bool>) -> bool {
        let text = String::from_utf8_lossy(element.file.bytes().as_slice());
        let Some(graph) = rye_graph::read(&text).graph else { return false };
        graph.actions().any(|site| match site.item_id().map(ItemId::new) {
            Some(id) => id.is_ok_and(|id| self.is_harmful(&ItemRef::new(site.item_kind(), id))),
            None => says != Some(false),
        })
    }
}
