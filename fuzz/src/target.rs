//! The list of targets.

use crate::targets;

/// Something that reads bytes from outside, with what it promises.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, and that of its folder in the corpus.
    pub name: &'static str,
    check: fn(&[u8]),
}

impl Target {
    /// Every target.
    pub const ALL: &'static [Self] = &[
        Self::new("canonical_json", targets::canonical_json),
        Self::new("dotenv", targets::dotenv),
        Self::new("envelope", targets::envelope),
        Self::new("extractor", targets::extractor),
        Self::new("graph", targets::graph),
        Self::new("graph_template", targets::graph_template),
        Self::new("index", targets::index),
        Self::new("item_id", targets::item_id),
        Self::new("javascript", targets::javascript),
        Self::new("json", targets::json),
        Self::new("key_pem", targets::key_pem),
        Self::new("markdown", targets::markdown),
        Self::new("parameters", targets::parameters),
        Self::new("process_handle", targets::process_handle),
        Self::new("python", targets::python),
        Self::new("query", targets::query),
        Self::new("signature", targets::signature),
        Self::new("signature_line", targets::signature_line),
        Self::new("signed_document", targets::signed_document),
        Self::new("template", targets::template),
        Self::new("text_rules", targets::text_rules),
        Self::new("toml", targets::toml),
        Self::new("typescript", targets::typescript),
        Self::new("yaml", targets::yaml),
    ];

    const fn new(name: &'static str, check: fn(&[u8])) -> Self {
        Self { name, check }
    }

    /// The target of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|target| target.name == name)
    }

    /// Reads `bytes`, and panics if a promise is broken.
    pub fn check(&self, bytes: &[u8]) {
        (self.check)(bytes);
    }
}
