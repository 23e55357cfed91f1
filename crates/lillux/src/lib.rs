//! A microkernel for running tools.
//!
//! Lillux does the few things that touch the machine, each behind a typed request and a typed outcome:
//! running processes so that nothing they start outlives them, sending HTTP requests, keeping bytes by
//! their digest, signing and sealing, telling the time and watching files.
//!
//! It refuses to know why: there is no configuration file, no search path, no template and no policy here.
//! Everything arrives resolved, and every result says what happened in a type, not in a sentence.

mod atomic_create;
mod cancel;
mod capture;
pub mod cas;
pub mod clock;
pub mod digest;
pub mod envelope;
mod hex;
pub mod http;
pub mod interrupt;
pub mod keys;
pub mod process;
pub mod stored_file;
pub mod watch;

pub use cancel::CancelToken;
pub use capture::{Capture, CaptureError, Collector, Overflow, Room, Spooled, StreamLimit};
pub use digest::Digest;
