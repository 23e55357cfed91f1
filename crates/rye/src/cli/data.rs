//! The command line of what bundled tools ask of this program.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    #[command(subcommand)]
    pub(crate) command: DataCommand,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum DataCommand {
    /// Look up values in JSON, YAML or TOML; what to look for is read from standard input, as JSON
    Query,
}
