//! The options of the server.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rye_mcp::server::LogLevel;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve over HTTP, at this address [default: 127.0.0.1:4747]
    #[arg(long, value_name = "ADDR", num_args = 0..=1, default_missing_value = "127.0.0.1:4747")]
    pub(crate) http: Option<SocketAddr>,
    /// A name of this host, besides `localhost`, by which it may be called
    #[arg(long, value_name = "HOST", requires = "http")]
    pub(crate) allow_host: Vec<String>,
    /// An origin of web pages, besides those of this machine, that may call, such as `https://example.com:443`
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// How long a call may take before it is answered with the id of the run
    #[arg(long, value_name = "SECONDS", default_value_t = 45.0)]
    pub(crate) inline_wait: f64,
    /// How much to say on standard error: off, error, warn, info or debug
    #[arg(long, value_name = "LEVEL", default_value = "warn")]
    pub(crate) log_level: LogLevel,
    /// Say it in this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = INSTALL_HELP)]
pub(crate) struct InstallArgs {
    /// The client; all of them are shown if none is named
    #[arg(value_enum, required_if_eq("write", "true"))]
    pub(crate) client: Option<Client>,
    /// Change the client's configuration
    #[arg(long)]
    pub(crate) write: bool,
}

const INSTALL_HELP: &str = "\
What is written is our entry, and of one that is there its `command`, `args` and `type`. Every other byte stays.

Variables:
  CODEX_HOME       where Codex has its configuration [default: ~/.codex]
  XDG_CONFIG_HOME  where Claude Desktop has its folder [default: ~/.config]";

/// A program that agents live in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Code: `.mcp.json` of the project
    ClaudeCode,
    /// Claude Desktop: its own configuration
    ClaudeDesktop,
    /// Codex: its own configuration
    Codex,
    /// VS Code: `.vscode/mcp.json` of the project
    Vscode,
    /// Cursor: `.cursor/mcp.json` of the project
    Cursor,
}
