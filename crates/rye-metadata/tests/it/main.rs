//! The bundled extractors on whole files, as a caller uses them.

mod data_files;
mod extractor_files;
mod hostile;
mod javascript;
mod python;
mod round_trip;
mod seed_examples;
mod shell;
mod support;
