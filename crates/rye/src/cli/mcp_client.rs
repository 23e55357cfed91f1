//! The command line of what `rye mcp` does with the servers of others.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = VARIABLES)]
pub(crate) struct McpAddArgs {
    /// What to call the server
    pub(crate) name: String,
    /// The program that is the server, behind `--`, with its arguments
    #[arg(last = true, value_name = "COMMAND", required_unless_present = "url", conflicts_with = "url")]
    pub(crate) command: Vec<String>,
    /// Where the server is reached by HTTP
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// A header that is sent with each request, as `NAME: VALUE`
    #[arg(long, value_name = "HEADER", requires = "url")]
    pub(crate) header: Vec<String>,
    /// A variable of the program, as `NAME=VALUE`
    #[arg(long, value_name = "VARIABLE", conflicts_with = "url")]
    pub(crate) env: Vec<String>,
    /// Log in at the server by OAuth
    #[arg(long, requires = "url")]
    pub(crate) oauth: bool,
    #[command(flatten)]
    pub(crate) login: McpLoginOptions,
    /// Take the place of a server of the same name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: McpPlaceArgs,
}

// How somebody logs in.
#[derive(Debug, Args)]
pub(crate) struct McpLoginOptions {
    /// What the login is asked to allow [default: what the server asks for]
    #[arg(long, value_name = "SCOPE")]
    pub(crate) scope: Vec<String>,
    /// The client that you have registered at whoever logs you in, or the address of its description
    #[arg(long, value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// The secret (see `rye secret`) that holds the client's secret
    #[arg(long, value_name = "NAME")]
    pub(crate) client_secret: Option<String>,
    /// The port of this machine that the answer comes back to [default: any]
    #[arg(long)]
    pub(crate) port: Option<u16>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_browser: bool,
    /// How many seconds the login may take
    #[arg(long, default_value_t = 300.0, value_name = "SECONDS")]
    pub(crate) login_timeout: f64,
}

#[derive(Debug, Args)]
#[command(after_help = LOGIN)]
pub(crate) struct McpLoginArgs {
    /// The server
    pub(crate) name: String,
    /// Use the user space and not the project
    #[arg(long)]
    pub(crate) user: bool,
    #[command(flatten)]
    pub(crate) options: McpLoginOptions,
}

const LOGIN: &str = "The address to open is printed; what you are sent back to is this machine. The tokens are kept sealed with your \
    secrets, for this server and its address, and renewed as long as that is possible.";

#[derive(Debug, Args)]
pub(crate) struct McpLogoutArgs {
    /// The server
    pub(crate) name: String,
    /// Use the user space and not the project
    #[arg(long)]
    pub(crate) user: bool,
}

const VARIABLES: &str = "`${NAME}` in arguments, variables, the address and headers stands for a variable or a secret, \
    and `${NAME:-default}` for a default if there is neither. What is written has the placeholder and not the value; \
    quote it, so that the shell leaves it alone.\n\n\
    Example:\n  \
    rye mcp add github --env 'GITHUB_TOKEN=${GITHUB_TOKEN}' -- npx -y @modelcontextprotocol/server-github";

// Where files are written, and whether somebody is asked.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct McpPlaceArgs {
    /// Use the user space and not the project
    #[arg(long)]
    pub(crate) user: bool,
    /// Write and sign without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// How many seconds a server may take to answer
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    pub(crate) timeout: f64,
}

#[derive(Debug, Args)]
pub(crate) struct McpRefreshArgs {
    /// The server [default: all]
    pub(crate) name: Option<String>,
    #[command(flatten)]
    pub(crate) place: McpPlaceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct McpRemoveArgs {
    /// The server
    pub(crate) name: String,
    /// Use the user space and not the project
    #[arg(long)]
    pub(crate) user: bool,
    /// Remove without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct McpImportArgs {
    /// A `.mcp.json`, a `claude_desktop_config.json`, or an `mcp.json` of VS Code
    pub(crate) file: PathBuf,
    /// Only this server
    #[arg(long, value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Take the place of servers of the same name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) place: McpPlaceArgs,
}

#[derive(Debug, Args)]
pub(crate) struct McpCallArgs {
    /// How the server is reached; its file says that too
    #[arg(long = "type", value_enum)]
    pub(crate) transport: Option<TransportName>,
    /// The file that describes the server
    #[arg(long, value_name = "FILE")]
    pub(crate) server_config: PathBuf,
    /// The tool's name on the server
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: String,
    /// The file of the tool, which says what the server has promised
    #[arg(long, value_name = "FILE")]
    pub(crate) tool_file: Option<PathBuf>,
    /// The folder that the server works in
    #[arg(long, value_name = "DIR")]
    pub(crate) project_path: Option<PathBuf>,
    /// How many seconds it may take
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<f64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransportName {
    Stdio,
    Http,
}
