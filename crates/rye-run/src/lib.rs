//! What surrounds a run: its record.
//!
//! - [`journal`] writes down what ran, and how it ended.
//!
//! It refuses to find or verify items: what runs has been decided before.

pub mod journal;
