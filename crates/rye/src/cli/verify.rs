//! The command line of `rye verify`.

use clap::Args;
use rye_item::ItemKind;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// An id, or a pattern such as `'my/**'`
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    pub(crate) pattern: Option<String>,
    /// Everything that is not part of the program
    #[arg(long)]
    pub(crate) all: bool,
    /// What kind of items [default: all for a pattern, tools for an id]
    #[arg(long, conflicts_with = "all")]
    pub(crate) kind: Option<ItemKind>,
}
