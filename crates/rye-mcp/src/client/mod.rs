//! Calling tools of MCP servers.
//!
//! A [`ServerConfig`] says how a server is started or reached. A [`Session`] is a connection to it: it probes the newest
//! form of the protocol and falls back to the handshake of the older ones. A server that is a program runs contained, and
//! neither it nor anything that it started outlives the session. Whatever goes wrong, the error has the end of what the
//! server wrote to its standard error.
//!
//! ```no_run
//! use std::collections::BTreeMap;
//! use rye_mcp::client::{Patience, ServerConfig, Session, SessionOptions};
//!
//! let config = ServerConfig::parse(br#"{"config": {"command": "mcp-server-time"}}"#)?;
//! let server = config.resolve(&BTreeMap::from([("PATH".into(), "/usr/bin".into())]))?;
//! let session = Session::open(&server, &SessionOptions::new("time"), &Patience::endless())?;
//! for tool in session.tools(&Patience::endless())? {
//!     println!("{} {}", tool.name, tool.pin());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answer;
mod attempt;
mod bounded_events;
mod direct_call;
mod error;
mod handler;
mod http_post;
mod http_server;
mod library_pipes;
pub mod oauth;
mod patience;
mod pool;
mod probe;
mod questions;
mod remote_tool;
mod server_config;
mod server_pipes;
mod service_error;
mod session;
mod stderr_tail;
mod stdio_server;
mod watched_output;

pub use answer::Answer;
pub use error::{ClientError, ClientErrorKind};
pub use handler::ClientEvent;
pub use patience::Patience;
pub use pool::{Kept, PoolError, SessionPool};
pub use probe::Beginning;
pub use questions::Questions;
pub use remote_tool::{Hints, PinnedTool, RemoteTool, sorted};
pub use server_config::{OAuthConfig, ResolvedServer, ServerConfig, ServerConfigError, Transport, Variables};
pub use session::{ServerIdentity, Session, SessionOptions};
