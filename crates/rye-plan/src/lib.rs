//! What a call becomes before anything runs.

mod chain;

pub use chain::{
    Chain, ChainDraft, ChainError, ChainIssue, Element, ElementSource, FindError, Link, Primitive,
};
