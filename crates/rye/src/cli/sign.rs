//! The command line of `rye sign`.

use clap::Args;
use rye_item::{ItemKind, Space};

#[derive(Debug, Args)]
#[command(after_help = MEANING)]
pub(crate) struct SignArgs {
    /// Ids, or patterns such as `'my/**'`
    #[arg(value_name = "PATTERN", required = true)]
    pub(crate) patterns: Vec<String>,
    /// What kind of items [default: all for a pattern, tools for an id]
    #[arg(long)]
    pub(crate) kind: Option<ItemKind>,
    /// The space that they are in [default: the nearest that has it; for a pattern, the nearest]
    #[arg(long)]
    pub(crate) space: Option<Space>,
}

const MEANING: &str = "An item is signed if it could run: what it says about itself is right, and its executors are \
    there. The files that run with a tool are listed in `.rye-manifest.json` with their digests, and so are items \
    that cannot carry a signature. What is signed already stays as it is.\n\n\
    Variables:\n  \
    RYE_PASSPHRASE  the passphrase of the signing key, where there is no terminal to ask for it";
