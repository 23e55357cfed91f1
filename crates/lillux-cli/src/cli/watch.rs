//! Arguments of `watch`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::duration::parse_seconds;

#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// Files and folders, which must exist
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Watch what is below the folders too, and not only their own entries
    #[arg(long)]
    pub(crate) recursive: bool,
    /// Seconds after which to give up
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Changes to wait for [default: 1]
    #[arg(long, value_name = "NUMBER", conflicts_with = "forever")]
    pub(crate) count: Option<NonZeroUsize>,
    /// Watch until interrupted
    #[arg(long)]
    pub(crate) forever: bool,
}
