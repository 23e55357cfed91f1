//! The command line of `rye secret`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
pub(crate) struct SecretArgs {
    #[command(subcommand)]
    pub(crate) command: SecretCommand,
}

const VALUE: &str = "The value is read from standard input, or asked for on a terminal without being shown. A line break \
    at its end is not part of it. There is no way to give it on the command line, where other programs could see it.";

const KEY: &str = "The key is made with the first secret: in the keyring of the desktop, if there is one that `secret-tool` can \
    speak to, else in a file. It leaves a place only when it has been read from the other.";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
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
    /// Show where the key is that opens the secrets, or move it
    #[command(after_help = KEY)]
    Key {
        /// Take it there
        #[arg(long = "move", value_name = "PLACE")]
        destination: Option<KeyDestination>,
    },
}

/// Where the key of the secrets can be taken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyDestination {
    /// The keyring of the desktop
    Keyring,
    /// A file in the user space that only its owner can read
    File,
}
