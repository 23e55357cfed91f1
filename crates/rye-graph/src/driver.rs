//! Driving a walk on this machine: steps run on threads, and everything that happens is in a journal first.
//!
//! A run has a database of its own ([`RunJournal`]). What has happened, and what follows from it, is one commit, made
//! before anything of it is done: the result of a step and the intent to start the next are in the journal together. So
//! whenever the process is gone, the journal says which steps are done, and which were under way. [`Driver::drive`] goes
//! on from there: what is done is not done again, and what was under way is told to the walker as interrupted.
//!
//! One thread has the walker and the journal. Steps are made by a [`StepRunner`], each on a thread of its own unless it is
//! brief; so there is nothing here that knows what a step does.

mod database;
mod drive;
mod effects;
mod error;
mod failpoint;
mod folder;
mod header;
mod inbox;
mod journal;
mod journal_read;
mod kept;
mod prune;
mod runner;
mod stop;
mod threads;
mod timers;
mod told;

pub use self::drive::Driver;
pub use self::error::{GraphJournalError, GraphJournalErrorKind};
pub use self::failpoint::{Failpoint, ParseFailpointError};
pub use self::folder::{GraphRuns, ListedRun};
pub use self::header::{Ancestor, RunHeader, RunStatus, RunSummary};
pub use self::inbox::Message;
pub use self::journal::{Begin, RunJournal};
pub use self::journal_read::{Loaded, Past};
pub use self::kept::INLINE_LIMIT;
pub use self::prune::{GraphRetention, PrunedRuns, Removal, WhyKept};
pub use self::runner::{StepCall, StepOutcome, StepRunner};
pub use self::stop::{Patience, Stop};
pub use self::told::{ElementsDone, StepEnd, Told};
