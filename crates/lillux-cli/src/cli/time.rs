//! Arguments of `time`.

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct TimeArgs {
    #[command(subcommand)]
    pub(crate) command: TimeCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TimeCommand {
    /// Tell the time
    Now {
        /// As whole seconds since 1970 began, instead of RFC 3339
        #[arg(long)]
        unix: bool,
    },
    /// Read a time, and give it in UTC
    Parse {
        /// RFC 3339, such as `2026-03-01T10:00:00Z`
        #[arg(value_name = "TIME", allow_hyphen_values = true)]
        text: String,
    },
    /// Count the seconds since a time; exit code 1 says that it is yet to come
    Since {
        /// RFC 3339, such as `2026-03-01T10:00:00Z`
        #[arg(value_name = "TIME", allow_hyphen_values = true)]
        text: String,
    },
}
