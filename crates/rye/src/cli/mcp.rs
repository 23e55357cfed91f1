//! The command line of `rye mcp`.

use clap::{Args, Subcommand};

use super::mcp_client::{
    McpAddArgs, McpCallArgs, McpImportArgs, McpLoginArgs, McpLogoutArgs, McpRefreshArgs, McpRemoveArgs,
};
use super::mcp_server::{InstallArgs, ServeArgs};

#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum McpCommand {
    /// Serve agents: on standard input and output, or over HTTP
    Serve(ServeArgs),
    /// Print how to tell a client about this server, or tell it
    Install(InstallArgs),
    /// Import the tools of an MCP server
    Add(McpAddArgs),
    /// Log in at a server that wants to know who you are
    Login(McpLoginArgs),
    /// Forget the login at a server
    Logout(McpLogoutArgs),
    /// List the servers whose tools were imported
    List,
    /// Look what servers have changed, and import their tools again
    Refresh(McpRefreshArgs),
    /// Remove a server and its tools
    Remove(McpRemoveArgs),
    /// Import the servers that an agent is configured for
    Import(McpImportArgs),
    /// Call one tool of a server; the runtimes do this
    #[command(hide = true)]
    Call(McpCallArgs),
}
