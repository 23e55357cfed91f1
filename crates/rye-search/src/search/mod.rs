//! Searching several indexes as one.

mod collection;
#[cfg(test)]
mod definition;
mod evaluate;
mod field_test;
mod literal;
mod near_misses;
mod plan;
mod posting_list;
mod request;
mod results;
mod run;
mod score;
mod spelling;
mod top;

pub use collection::Collection;
pub use request::{Filters, SearchRequest, Sort};
pub use results::{
    FoundWord, Hit, MissingWord, NearMisses, Rank, SearchResults, Searched, UnknownFieldValue, Why,
};
