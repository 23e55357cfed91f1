//! The bundled extractors on whole files, as a caller uses them.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod data_files;
mod extractor_files;
mod hostile;
mod javascript;
mod python;
mod round_trip;
mod seed_examples;
mod shell;
mod support;
