//! The command line of `rye secret`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SecretArgs {
    #[command(subcommand)]
    pub(crate) command: SecretCommand,
}

const VALUE: &str = "The value is read from standard input, or asked for on a terminal without being shown. A line break \
    at its end is not part of it. There is no way to give it on the command line, where other programs could see it.";

#[derive(Debug, Subcommand)]
pub(crate) enum SecretCommand {
    /// Keep a secret, sealed, for the tools that declare it
    #[command(after_help = VALUE)]
    Set {
        /// Its name, which is also the variable that a tool gets it in
        name: String,
        /// Take the value from this file
        #[arg(long, value_name = "FILE")]
        from_file: Option<PathBuf>,
        /// What somebody takes for the value. It is refused, without being repeated.
        #[arg(hide = true)]
        misplaced: Vec<String>,
    },
    /// List the names of all secrets
    List,
    /// Forget a secret
    Remove {
        /// Its name
        name: String,
    },
}
