//! x
mod query;
mod text;
pub use query::{Field, Note, ParsedQuery, Pattern, Query};
