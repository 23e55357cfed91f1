//! Tools of MCP servers.

mod chain;
mod commands;
mod hostile;
mod hostile_http;
mod import;
mod login;
mod login_peer;
mod peers;
mod pins;
mod runner;
mod sessions;
pub(crate) mod workspace;
