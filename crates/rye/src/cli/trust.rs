//! The command line of `rye trust`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = MEANING)]
pub(crate) struct TrustArgs {
    /// The project's folder [default: the nearest folder above that has `.ai`]
    #[arg(value_name = "DIR", conflicts_with = "list")]
    pub(crate) folder: Option<PathBuf>,
    /// Trust it without asking
    #[arg(long, conflicts_with_all = ["show", "list", "revoke"])]
    pub(crate) yes: bool,
    /// Show what it brings, and decide nothing
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    pub(crate) show: bool,
    /// List all projects that are trusted
    #[arg(long, conflicts_with = "revoke")]
    pub(crate) list: bool,
    /// Do not trust it any more, whether it is there or not
    #[arg(long)]
    pub(crate) revoke: bool,
}

const MEANING: &str = "Keys, `.env` files and interpreters of a project count once it is trusted, and its items \
    can be signed and run. The decision is kept in the user space, for this folder and for what it brings: a folder \
    that was moved or replaced, or that brings more than before, has to be trusted again.";
