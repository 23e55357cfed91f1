//! MCP, the protocol by which agents and tools find each other.
//!
//! - [`server`] shows an agent exactly five tools, however many items there are.
//! - [`client`] calls the tools of other servers.
//!
//! This is the only crate that knows the protocol's library, and no type of that library is part of what it gives to
//! others.
//!
//! ```
//! // What an agent sees is the same at every start, to the byte.
//! let list = rye_mcp::server::tool_list();
//! assert!(list.starts_with(r#"[{"name":"search","#));
//! ```

pub mod client;
pub mod server;
