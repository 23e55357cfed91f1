//! Processes that are kept ready for the runs to come.
//!
//! A [`WorkerPool`] has, for each way in which a helper is started, a few processes that wait for one job each. Taking one
//! is quick; whatever takes time is done by a thread of the pool, between the calls. When there is none to be had, the
//! run starts cold, and its outcome says why: being warm is never a condition for anything.
//!
//! Who lives long lends what its pool has to others who do not ([`Lender`]); they find it by a socket in a folder of the
//! user's own ([`Borrower`]). Only ready processes are lent: what runs in them, and what may, is decided by who borrows.

mod borrower;
mod cold_reason;
mod entry;
mod job;
mod keeper;
mod key;
mod known_jobs;
mod lender;
mod lending_folder;
mod loan_request;
mod pool;
mod stillness;
mod verdict;

pub use borrower::{BorrowLimits, Borrower};
pub use cold_reason::ColdReason;
pub use lender::Lender;
pub use pool::{PoolLimits, WorkerPool};
pub use stillness::Stillness;

pub(crate) use job::WarmJob;
