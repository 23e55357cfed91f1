//! The server: five tools, resources and prompts, over standard input and output or over HTTP.
//!
//! A call is work for a thread of its own, so that nothing that takes long keeps anything else from being answered.

mod abandoned;
mod arguments;
mod attestation;
mod backlog;
mod blocking;
mod call_message;
#[cfg(test)]
mod conformance;
mod consent;
mod direct_answer;
mod execute;
mod failure;
mod handler;
mod help;
mod http;
mod http_token;
mod live_runs;
mod load;
mod log;
mod outlet;
mod outputs;
mod places;
mod plan_answer;
mod policy;
mod progress;
mod projects;
mod prompts;
mod refusal;
mod reply;
mod resource_uri;
mod resources;
mod responder;
mod run_answer;
mod run_cancel;
mod run_record;
mod search;
mod sent_parameters;
mod serve;
mod session_state;
mod settings;
mod shell_command;
mod short_call;
mod short_way;
mod sign;
mod stdio;
mod tasks;
mod tools;
mod turn;

pub use log::LogLevel;
pub use serve::{ServeError, serve_http, serve_stdio};
pub use settings::{HttpSettings, LogSettings, ServerSettings};
pub use tools::tool_list;
