//! Every parser of the workspace as a fuzz target.
//!
//! A [`Target`] takes any bytes. It panics if what reads them panics, or breaks a promise: that the same bytes give
//! the same result, that what is written is read as the same, that a place lies within the text. It looks at results
//! only, and writes no file and starts no process.
//!
//! Targets run in two ways. The tests of this package run each of them over its [seeds](corpus), over
//! [inputs made to hurt](hostile) and over some thousand [mutations](Mutator) of both, always the same ones, on
//! [a small stack](on_small_stack). And `cargo xtask fuzz TARGET` lets a coverage-guided fuzzer look for more.
//!
//! ```
//! let target = rye_fuzz::Target::named("query").expect("there is a query language");
//! target.check(b"read (file OR \"text");
//! ```

pub mod corpus;
pub mod hostile;
mod mutator;
mod random;
mod small_stack;
mod target;
mod targets;

pub use mutator::Mutator;
pub use small_stack::on_small_stack;
pub use target::Target;
