//! What decides how the server works.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use lillux::keys::Passphrase;
use rye_engine::EngineSettings;
use rye_plan::Plan;
use serde_json::Value;

use super::LogLevel;

/// What decides how the server works. Whoever knows the environment fills it in.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// What engines are made with. Each project has one of its own.
    pub engine: EngineSettings,
    /// The passphrase of the signing key, if it has one. Nobody can be asked for it.
    pub passphrase: Option<Passphrase>,
    /// How long a call may take before it is answered with the id of the run.
    pub inline_wait: Duration,
    /// A plan as programs see it.
    pub plan_view: fn(&Plan) -> Value,
    /// Where the server says what it does.
    pub log: LogSettings,
}

/// Where the server says what it does.
#[derive(Debug, Clone, Default)]
pub struct LogSettings {
    /// How much it says.
    pub level: LogLevel,
    /// A file in place of standard error.
    pub file: Option<PathBuf>,
}

/// How the server can be reached over HTTP.
#[derive(Debug, Clone)]
pub struct HttpSettings {
    /// Where it listens.
    pub address: SocketAddr,
    /// Names of hosts, besides those of this machine, by which it may be called.
    pub hosts: Vec<String>,
    /// Origins of web pages, besides those of this machine, that may call it.
    pub origins: Vec<String>,
    /// The file that keeps the token, which is made if it is not there.
    pub token_file: PathBuf,
}
