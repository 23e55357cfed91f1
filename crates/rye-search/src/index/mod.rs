//! The flat buffer, and how it is read in place.

mod columns;
mod document_set;
mod document_view;
mod format;
mod open;
mod postings;
mod stream;
mod typo_table;
mod view;

pub(crate) use columns::{Rows, U16s, U32s};
pub use document_set::DocumentSet;
pub use document_view::DocumentView;
pub(crate) use format::{HEADER_LENGTH, Section, seal};
pub use open::{Index, OpenIndexError, OpenIndexErrorKind};
pub(crate) use postings::{Dictionary, Postings};
pub(crate) use stream::{Token, read_tokens, write_token};
pub(crate) use typo_table::{LENGTHS as TYPO_LENGTHS, TypoTable, allowed_distance, can_be_misspelt};
pub(crate) use view::{Place, View};
