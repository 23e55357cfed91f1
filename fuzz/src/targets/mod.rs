//! One function for each target.

mod canonical_json;
mod envelope;
mod extraction;
mod extractor;
mod graph;
mod index;
mod item_files;
mod item_id;
mod key_pem;
mod process_handle;
mod query;
mod sample_index;
mod signature;
mod signature_line;
mod template;
mod text_rules;

pub(crate) use self::canonical_json::canonical_json;
pub(crate) use self::envelope::envelope;
pub(crate) use self::extractor::extractor;
pub(crate) use self::graph::{graph, graph_template};
pub(crate) use self::index::index;
pub(crate) use self::item_files::{javascript, json, markdown, python, toml, typescript, yaml};
pub(crate) use self::item_id::item_id;
pub(crate) use self::key_pem::key_pem;
pub(crate) use self::process_handle::process_handle;
pub(crate) use self::query::query;
pub(crate) use self::signature::signature;
pub(crate) use self::signature_line::{signature_line, signed_document};
pub(crate) use self::template::{dotenv, parameters, template};
pub(crate) use self::text_rules::text_rules;
