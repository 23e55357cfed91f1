//! Runs on a real machine: real databases, sealed files, and processes that are killed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod journal;
mod process;

use rye_item::{ItemId, ItemKind, ItemRef};

fn tool(id: &str) -> ItemRef {
    ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap())
}
