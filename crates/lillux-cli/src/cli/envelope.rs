//! Arguments of `envelope`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::input::InputSource;

#[derive(Debug, Args)]
pub(crate) struct EnvelopeArgs {
    #[command(subcommand)]
    pub(crate) command: EnvelopeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EnvelopeCommand {
    /// Seal a file or an environment, and give the envelope itself
    Seal(SealArgs),
    /// Open an envelope, and give what is in it as raw bytes
    Open(OpenArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SealArgs {
    /// Whom the envelope is for (`age1…`); can be repeated
    // It is taken as it is: an error of the parser would repeat the secret of somebody who mixes up the halves.
    #[arg(long, value_name = "RECIPIENT", required = true)]
    pub(crate) to: Vec<String>,
    /// File with a JSON object of strings, to seal as an environment
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub(crate) env_file: Option<InputSource>,
    /// Bytes instead of text, a quarter shorter
    #[arg(long)]
    pub(crate) binary: bool,
    /// File to write instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to seal; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: InputSource,
}

#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// File with the identity
    #[arg(long, value_name = "FILE")]
    pub(crate) identity: PathBuf,
    /// Expect an environment, and give it as a JSON object
    #[arg(long)]
    pub(crate) env: bool,
    /// File to write, for its owner alone, instead of standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// The envelope; `-` is standard input
    #[arg(default_value = "-")]
    pub(crate) file: InputSource,
}
