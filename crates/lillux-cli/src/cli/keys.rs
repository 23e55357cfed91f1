//! Arguments of `keypair`, `sign` and `verify`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use lillux::keys::Signature;

use crate::input::InputSource;

#[derive(Debug, Args)]
pub(crate) struct KeypairArgs {
    #[command(subcommand)]
    pub(crate) command: KeypairCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeypairCommand {
    /// Make a key pair, in a private file and a public one beside it
    Generate {
        /// File for the private half; the public half goes to a file with `.pub` at its end
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// What the keys are for
        #[arg(long, value_enum, default_value = "signing")]
        kind: KeyKind,
        #[command(flatten)]
        passphrase: PassphraseArgs,
    },
    /// Show the public half of a key, whichever half the file holds
    Show {
        file: PathBuf,
        #[command(flatten)]
        passphrase: PassphraseArgs,
    },
}

/// What a key pair is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KeyKind {
    /// Signatures (Ed25519)
    Signing,
    /// Envelopes (X25519)
    Envelope,
}

#[derive(Debug, Args)]
pub(crate) struct PassphraseArgs {
    /// File with one line, the passphrase that protects the private signing key
    #[arg(long, value_name = "FILE")]
    pub(crate) passphrase_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct SignArgs {
    /// File with the private key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    #[command(flatten)]
    pub(crate) passphrase: PassphraseArgs,
    /// What to sign; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: InputSource,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// File with the public key
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// The signature that `sign` printed
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) signature: Signature,
    /// What was signed; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: InputSource,
}
