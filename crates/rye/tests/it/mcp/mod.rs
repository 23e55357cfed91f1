//! `rye mcp`: what an agent meets.

mod bad_input;
mod budget;
mod busy;
mod calls;
mod cancel;
mod conformance;
mod consent;
mod direct;
mod gone;
mod graphs;
mod http;
mod http_peer;
mod inspector;
mod install;
mod npm_peer;
mod pages;
mod progress;
mod refused;
mod sdk_clients;
mod stateless;
pub(crate) mod stdio_peer;
mod strangers;
mod unread;

use serde_json::{Value, json};

/// What a client of the older protocol says first.
fn hello(capabilities: &Value) -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": capabilities,
        "clientInfo": { "name": "test", "version": "1" },
    })
}

/// What every request of the newer protocol brings.
fn stateless_meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}
