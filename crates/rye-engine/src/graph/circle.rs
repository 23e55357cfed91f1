//! Graphs that are steps of each other, as far as their files tell: which item a template makes is known only during a run.

use std::collections::HashSet;

use rye_item::{ItemId, ItemKind, ItemRef, Space};

use super::runs::DEEPEST;
use crate::engine::Call;
use crate::items::Items;

/// The way from a graph, by its step `next`, to a graph that was on the way before, or that is deeper within the others than
/// one may be.
pub(super) fn circle(
    graph: &ItemRef,
    next: &ItemRef,
    call: &Call,
    items: &Items<'_>,
) -> Option<Vec<ItemRef>> {
    let mut search = Search { call, items, way: vec![graph.clone()], ended: HashSet::new() };
    search.has_no_end(next).then_some(search.way)
}

struct Search<'a> {
    call: &'a Call,
    items: &'a Items<'a>,
    /// From the graph to where the search is.
    way: Vec<ItemRef>,
    /// What leads to no circle.
    ended: HashSet<ItemRef>,
}

impl Search<'_> {
    /// Whether the way goes on to where it has been, or further than a run does. If so, it ends there.
    fn has_no_end(&mut self, item: &ItemRef) -> bool {
        if item.kind != ItemKind::Tool {
            return false;
        }
        // What cannot be found or read is a problem of its own.
        let Ok(located) = self.call.locate(item, Space::Project) else { return false };
        let item = located.item.clone();
        if self.ended.contains(&item) {
            return false;
        }
        if self.way.contains(&item) {
            self.way.push(item);
            return true;
        }
        let element = self.items.look_at(located).ok().filter(|element| element.metadata.is_graph());
        let text = element.as_ref().map(|element| String::from_utf8_lossy(element.file.bytes().as_slice()));
        let Some(graph) = text.and_then(|text| rye_graph::read(&text).graph) else { return false };
        self.way.push(item);
        if self.way.len() > DEEPEST {
            return true;
        }
        for site in graph.actions() {
            let id = site.item_id().and_then(|id| ItemId::new(id).ok());
            if id.is_some_and(|id| self.has_no_end(&ItemRef::new(site.item_kind(), id))) {
                return true;
            }
        }
        self.ended.extend(self.way.pop());
        false
    }
}
