//! Running processes so that nothing they start outlives them.
//!
//! [`run`] starts a program, feeds and reads it, and returns when it is over. Its descendants are gone by then,
//! whether they left the process group, ignored the signal or hold the pipe; and if *we* are killed, they go
//! too. How that is made sure is a [`Mechanism`], and the outcome says which one was used.
//!
//! [`spare`] starts processes ahead of their run, and then stays with them in the same way.
//!
//! [`start_live`] starts a program that is talked to while it runs, such as a server on its standard streams.
//!
//! [`spawn`] does the opposite on purpose: it starts a program that outlives us, and returns a
//! [`ProcessHandle`] that [`status`] and [`kill`] accept later, from any process, without ever mistaking
//! another process that got the same number.

mod cgroup;
mod contained;
mod containment;
mod detached;
pub(crate) mod dispositions;
mod enclosed;
mod error;
mod event;
mod guard;
mod guard_process;
mod handle;
mod image;
mod launch;
mod legacy;
mod live;
mod orphans;
mod outcome;
mod own_end;
mod peer;
mod promptness;
mod raw;
mod remains;
mod request;
mod run;
pub mod spare;
mod standby;
mod stdio;
mod supervise;

pub use containment::{Guarantee, Mechanism};
pub use detached::{KillOutcome, ProcessStatus, SpawnRequest, kill, spawn, status};
pub use error::{HandleError, RunError, RunErrorKind};
pub use event::ProcessEvent;
pub use handle::{ParseHandleError, ProcessHandle, boot_id};
pub use image::find_program;
pub use live::{LiveProcess, LiveRequest, LiveStreams, start_live};
pub use outcome::{Channel, Ending, RunOutcome};
pub use peer::Peer;
pub use remains::Remains;
pub use request::RunRequest;
pub use run::{run, run_leaving, run_with};
pub use standby::Standby;
