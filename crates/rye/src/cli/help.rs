//! The command line of `rye help`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct HelpArgs {
    /// The name of a topic, or a command
    #[arg(value_name = "TOPIC|COMMAND")]
    pub(crate) words: Vec<String>,
}
