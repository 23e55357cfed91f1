//! The record of runs: what was asked for, what ran, how it ended, and where its output is.
//!
//! Records are in a `SQLite` database that several processes write at once. A run costs one short transaction at
//! its begin and one at its end, neither of which waits for the disk: after a power failure the last records may be
//! missing, while those before them are whole. Once in many runs the begin of one tidies up, and waits. A run that is
//! over before anybody could ask for it costs a line in a file, which the next to open the database moves into it.
//!
//! No record holds a secret, because whoever writes one masks it first. And no record is worth a run: if there is no
//! journal to be had, or it cannot be written, the caller says so and goes on.
//!
//! ```
//! use lillux::clock::SystemClock;
//! use lillux::process::ProcessHandle;
//! use rye_item::{ItemId, ItemKind, ItemRef};
//! use rye_run::journal::{Journal, RequestSummary, RunId, RunStart, RunStatus};
//!
//! # let folder = tempfile::tempdir()?;
//! let journal = Journal::open(folder.path())?;
//! let start = RunStart {
//!     id: RunId::generate(&SystemClock),
//!     item: ItemRef::new(ItemKind::Tool, ItemId::new("my/tool")?),
//!     supervisor: ProcessHandle::current()?,
//!     chain: Vec::new(),
//!     request: RequestSummary::of(r#"{"name":"World"}"#),
//! };
//! journal.begin(&start)?;
//! assert_eq!(journal.get(start.id)?.status(), RunStatus::Running);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod database;
mod error;
mod filter;
mod output_folder;
mod prune;
mod record;
mod row;
mod run_id;
mod run_id_prefix;
mod spool;
mod status;
mod store;
mod wait;

pub use error::{DatabaseError, JournalError, JournalErrorKind};
pub use filter::RunFilter;
pub use output_folder::{STDERR_LOG, STDOUT_LOG};
pub use prune::{Pruned, Retention};
pub use record::{
    ChainEntry, Ending, OutputFile, RequestSummary, ResultPreview, RunEnd, RunRecord, RunStart, RunState,
    StreamRecord,
};
pub use run_id::{ParseRunIdError, RunId};
pub use run_id_prefix::{ParseRunIdPrefixError, RunIdPrefix};
pub use spool::Spool;
pub use status::{ParseStatusError, RunStatus};
pub use store::Journal;
