//! From an item to the chain of those that execute it.

mod draft;
mod element;
mod issue;
mod pair;
mod primitive;

pub use draft::{Chain, ChainDraft, ChainError, Link};
pub use element::{Element, ElementSource, FindError};
pub use issue::ChainIssue;
pub use primitive::Primitive;
