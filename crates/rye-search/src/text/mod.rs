//! From text to the words that are compared.
//!
//! Text and query go through the same functions, so that whatever is written in one way is found in the same way.

mod edit_distance;
mod fold;
mod stem;
mod stop_words;
mod words;

pub(crate) use edit_distance::{Letters, edit_distance};
pub(crate) use fold::fold;
pub(crate) use stem::stem;
pub(crate) use stop_words::is_stop_word;
pub(crate) use words::{Compound, compounds, key_of, plain_word, squash};
