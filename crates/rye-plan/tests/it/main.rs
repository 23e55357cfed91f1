//! Parameters as a caller sends them and schemas as a tool declares them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod checks;
mod hostile;
mod properties;
mod schemas;
