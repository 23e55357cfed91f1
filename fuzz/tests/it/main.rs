//! Every target over its seeds, over what is made to hurt, and over mutations of both.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod inputs;
mod support;
