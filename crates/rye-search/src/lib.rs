//! An index of items in one flat buffer, and a query language that never fails.
//!
//! Documents go in, bytes come out; the bytes are opened where they are, as in a mapped file, and searched. Several
//! indexes are searched as one, and a small index of what has changed may lie over a large one. What was not found
//! is told as carefully as what was: which words are missing, what comes near, and what was searched.
//!
//! It refuses to touch the world: there is no file, no folder and no clock here. Whoever calls it knows where items
//! are, whether they have changed, and where to keep the bytes.
//!
//! ```
//! use rye_item::{ItemId, ItemKind, Space};
//! use rye_search::{Collection, Document, DocumentSet, Index, IndexBuilder, SearchRequest, WeightedText};
//!
//! let mut document = Document::new(ItemKind::Tool, Space::Project, ItemId::new("git/commit")?);
//! document.fields.push(WeightedText::new("description", "Records staged changes", 1.0));
//! let mut builder = IndexBuilder::new();
//! builder.add(document)?;
//! let index = Index::open(builder.finish()?)?;
//!
//! let hidden = DocumentSet::new();
//! let mut collection = Collection::new();
//! collection.add(&index, &hidden);
//! let results = collection.search(&SearchRequest::new("recrod changes -kind:directive"));
//! let hit = &results.hits[0];
//! assert_eq!(collection.document(hit.index, hit.document).map(|found| found.id()), Some("git/commit"));
//! assert_eq!(&*hit.why.words[0].found, "record");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod document;
mod index;
mod query;
mod search;
mod text;

pub use build::{IndexBuilder, IndexTooLarge};
pub use document::{Document, WeightedText};
pub use index::{DocumentSet, DocumentView, Index, OpenIndexError, OpenIndexErrorKind};
pub use query::{Field, Note, ParsedQuery, Pattern, Query};
pub use search::{
    Collection, Filters, FoundWord, Hit, MissingWord, NearMisses, Rank, SearchRequest, SearchResults,
    Searched, Sort, UnknownFieldValue, Why,
};
