//! The JSON Schema of graph files.
