//! Runs on a real machine: real databases, sealed files, and processes that are killed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod journal;
mod masking;
mod process;
mod secret_keyring;
mod secret_store;
mod workers;

use rye_item::{ItemId, ItemKind, ItemRef};

fn tool(id: &str) -> ItemRef {
    ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap())
}

fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}
