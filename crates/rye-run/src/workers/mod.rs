//! Processes that are kept ready for the runs to come.
//!
//! A [`WorkerPool`] has, for each way in which a helper is started, a few processes that wait for one job each. Taking one
//! is quick; whatever takes time is done by a thread of the pool, between the calls. When there is none to be had, the
//! run starts cold, and its outcome says why: being warm is never a condition for anything.

mod cold_reason;
mod entry;
mod job;
mod keeper;
mod key;
mod pool;

pub use cold_reason::ColdReason;
pub use pool::{PoolLimits, WorkerPool};

pub(crate) use job::WarmJob;
