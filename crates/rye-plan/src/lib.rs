//! What a call becomes before anything runs.

mod anchor;
mod chain;
mod config;

pub use anchor::AnchorPlace;
pub use chain::{
    Chain, ChainDraft, ChainError, ChainIssue, Element, ElementSource, FindError, Link, Primitive,
};
pub use config::ChainConfig;
