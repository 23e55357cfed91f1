//! Waiting for files to change.
//!
//! A watch reports every change that is made after its [`WatchEvent::Ready`], until it has seen enough, its time
//! is up, or it is cancelled. It tells what the system tells and judges nothing: there is no debouncing, and one
//! call of an editor's *save* can be several events.
//!
//! ```
//! use lillux::CancelToken;
//! use lillux::watch::{Depth, Until, WatchEvent, WatchOutcome, WatchRequest, watch};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("file");
//! let request = WatchRequest {
//!     paths: vec![folder.path().to_owned()],
//!     depth: Depth::Shallow,
//!     timeout: None,
//!     until: Until::First,
//! };
//! let mut events = Vec::new();
//! let outcome = watch(&request, &CancelToken::new()?, &mut |event| {
//!     if event == WatchEvent::Ready {
//!         std::fs::write(&file, "hello").expect("the folder is there");
//!     }
//!     events.push(event);
//! })?;
//! assert_eq!(outcome, WatchOutcome::Satisfied);
//! assert_eq!(events, [WatchEvent::Ready, WatchEvent::Created(file)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod event_queue;
mod request;
mod session;
mod targets;

pub use error::{WatchError, WatchErrorKind};
pub use request::{Depth, Until, WatchEvent, WatchOutcome, WatchRequest};
pub use session::watch;
