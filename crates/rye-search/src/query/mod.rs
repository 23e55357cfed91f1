//! The query language.

mod field;
mod lexer;
mod note;
mod parser;
mod pattern;
mod tree;

pub use field::Field;
pub use note::Note;
pub use parser::ParsedQuery;
pub use pattern::Pattern;
pub(crate) use pattern::glob_matches;
pub use tree::Query;
