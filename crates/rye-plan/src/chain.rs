//! From an item to the chain of those that execute it.

mod draft;
mod element;
mod form;
mod issue;
mod pair;
mod primitive;

pub use draft::{Chain, ChainDraft, ChainError, Link};
pub use element::{Element, ElementSource, FindError};
pub(crate) use form::{ChainForm, UsedForm};
pub use issue::ChainIssue;
pub use primitive::Primitive;
