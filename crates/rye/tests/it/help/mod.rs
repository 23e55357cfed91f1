//! `rye help`, and whether what the topics say is true.

mod command;
mod error_codes;
mod example;
mod topics;
