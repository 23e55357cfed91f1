//! x
mod build;
mod document;
mod index;
mod query;
mod text;
pub use build::{IndexBuilder, IndexTooLarge};
pub use document::{Document, WeightedText};
pub use index::{DocumentSet, DocumentView, Index, OpenIndexError, OpenIndexErrorKind};
pub use query::{Field, Note, ParsedQuery, Pattern, Query};
mod search;
pub use search::{
    Collection, Filters, FoundWord, Hit, MissingWord, NearMisses, Rank, SearchRequest, SearchResults,
    Searched, Sort, UnknownFieldValue, Why,
};
