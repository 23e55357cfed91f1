//! The command line of `rye keys`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use rye_trust::KeyIdPrefix;

#[derive(Debug, Args)]
#[command(after_help = VARIABLES)]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) command: KeysCommand,
}

const VARIABLES: &str = "Variables:\n  \
    RYE_SIGNING_KEY  the private key that `import --from-env` takes, in PEM\n  \
    RYE_PASSPHRASE   the passphrase, where there is no terminal to ask for it";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum KeysCommand {
    /// Make a key to sign with
    Generate(SigningKeyArgs),
    /// List the keys that count, and those that do not any more
    List,
    /// Show a key
    Show {
        /// The beginning of its id [default: the signing key]
        id: Option<KeyIdPrefix>,
    },
    /// Let the signatures of somebody's key count
    Trust {
        /// Their public key, in PEM or as `rye keys export --toml` prints it
        file: PathBuf,
        /// Whose it is [default: what the file says]
        #[arg(long, value_name = "NAME")]
        owner: Option<String>,
    },
    /// Let the signatures of a key not count any more, for good
    Revoke {
        /// The beginning of its id, or all of it if nobody trusts the key
        id: KeyIdPrefix,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        /// Revoke it even if it is the signing key
        #[arg(long)]
        yes: bool,
    },
    /// Take in a private key to sign with
    Import {
        #[command(flatten)]
        source: ImportSource,
        #[command(flatten)]
        key: SigningKeyArgs,
    },
    /// Print the public key, for others to trust
    Export {
        /// The beginning of a key's id [default: the signing key]
        id: Option<KeyIdPrefix>,
        /// With the owner's name, as TOML
        #[arg(long)]
        toml: bool,
        /// The private key instead, as it is kept
        #[arg(long, conflicts_with_all = ["id", "toml"])]
        private: bool,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SigningKeyArgs {
    /// Whose it is [default: the user's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) owner: Option<String>,
    /// Protect it with a passphrase, which is asked for
    #[arg(long)]
    pub(crate) passphrase: bool,
    /// Keep the present one aside, and sign with this one from now on
    #[arg(long)]
    pub(crate) rotate: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct ImportSource {
    /// The private key in PEM; `-` reads standard input
    pub(crate) file: Option<PathBuf>,
    /// Take it from the variable `RYE_SIGNING_KEY`
    #[arg(long)]
    pub(crate) from_env: bool,
}
