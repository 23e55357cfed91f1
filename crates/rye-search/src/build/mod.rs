//! Making the flat buffer.

mod builder;
mod draft;
mod interner;
mod merge;
mod writer;

pub use builder::IndexBuilder;
pub use writer::IndexTooLarge;
