//! The index and the search against plain definitions of what they should give.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod corpus;
mod damage;
mod relevance;
mod results;
mod update;
