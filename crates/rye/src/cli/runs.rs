//! The command line of `rye runs` and of what watches over a run.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use lillux::clock::{Clock as _, SystemClock, Timestamp};
use rye_item::ItemId;
use rye_run::journal::{Retention, RunIdPrefix, RunStatus};

/// How many runs are kept unless it is said.
const KEPT: usize = 100;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, after_help = IDS)]
pub(crate) struct RunsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,
    #[command(flatten)]
    pub(crate) list: RunsListArgs,
}

const IDS: &str = "An id may be cut short, as long as only one run's begins so.";

const WAIT_CODES: &str = "Exit codes:\n  \
    0  the run has succeeded\n  \
    1  the run has failed, was cancelled, took too long or was lost\n  \
    3  the run goes on after the time to wait, or there is no such run";

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum RunsCommand {
    /// List runs, the newest first
    List(RunsListArgs),
    /// Show what is known of a run
    Show {
        /// The run's id
        id: RunIdPrefix,
    },
    /// Wait until a run has ended, and tell how by the exit code
    #[command(after_help = WAIT_CODES)]
    Wait {
        /// The run's id
        id: RunIdPrefix,
        /// Wait no longer than this
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        timeout: Option<std::time::Duration>,
    },
    /// Print what a run has written
    Logs {
        /// The run's id
        id: RunIdPrefix,
        /// What it wrote to standard error, not to standard output
        #[arg(long)]
        stderr: bool,
        /// Go on until the run has ended
        #[arg(long, short)]
        follow: bool,
    },
    /// End a run and all its processes
    Cancel {
        /// The run's id
        id: RunIdPrefix,
    },
    /// Forget old runs and remove their output; all but the newest 10000 go by themselves
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RunsListArgs {
    /// Only runs that stand so: running, succeeded, failed, `timed_out`, cancelled or lost
    #[arg(long)]
    pub(crate) state: Option<RunStatus>,
    /// Only runs of this tool
    #[arg(long, value_name = "ID", value_parser = item_id)]
    pub(crate) item: Option<ItemId>,
    /// How many runs
    #[arg(long, default_value_t = 20)]
    pub(crate) limit: usize,
}

#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    /// Keep this many of the newest [default: 100, or none with `--older-than`]
    #[arg(long, value_name = "N")]
    pub(crate) keep: Option<usize>,
    /// Keep those that are not older than this
    #[arg(long, value_name = "DAYS")]
    pub(crate) older_than: Option<u32>,
}

impl PruneArgs {
    /// Which runs are kept.
    pub(crate) fn retention(&self) -> Retention {
        const DAY: i64 = 24 * 60 * 60 * 1_000_000;
        let default = if self.older_than.is_some() { 0 } else { KEPT };
        let since = self.older_than.and_then(|days| {
            Timestamp::from_unix_micros(SystemClock.now().unix_micros().saturating_sub(i64::from(days) * DAY))
        });
        Retention { newest: self.keep.unwrap_or(default), since }
    }
}

// What is handed over to the process that watches over one run.
#[derive(Debug, Args)]
pub(crate) struct SuperviseArgs {
    /// The file with the request
    pub(crate) request: PathBuf,
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    std::time::Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn item_id(text: &str) -> Result<ItemId, String> {
    ItemId::new(text).map_err(|error| rye_engine::with_sources(&error))
}
