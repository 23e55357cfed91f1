//! `rye help`, and whether what the topics say is true.

mod command;
mod error_codes;
pub(crate) mod example;
pub(crate) mod topics;
