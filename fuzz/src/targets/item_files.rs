//! Files of every language, read by the extractors of the bundle.

use std::sync::LazyLock;

use rye_metadata::Extractor;

use super::extraction;

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        [$(include_str!(concat!("../../../bundle/.ai/tools/rye/core/extractors/", $name, ".yaml"))),*]
    };
}

/// Every extractor of the bundle.
pub(super) const BUNDLED: [&str; 8] =
    bundled!["javascript", "json", "markdown", "python", "shell", "toml", "typescript", "yaml"];

static EXTRACTORS: LazyLock<Vec<Extractor>> = LazyLock::new(|| {
    BUNDLED.iter().map(|text| Extractor::parse(text.as_bytes()).expect("the bundle is in order")).collect()
});

pub(crate) fn python(bytes: &[u8]) {
    check(&["py"], bytes);
}

pub(crate) fn javascript(bytes: &[u8]) {
    check(&["js", "mjs", "cjs"], bytes);
}

pub(crate) fn typescript(bytes: &[u8]) {
    check(&["ts", "mts", "cts"], bytes);
}

pub(crate) fn yaml(bytes: &[u8]) {
    check(&["yaml"], bytes);
}

/// JSON is read as anybody reads it.
pub(crate) fn json(bytes: &[u8]) {
    check(&["json"], bytes);
}

pub(crate) fn toml(bytes: &[u8]) {
    check(&["toml"], bytes);
}

pub(crate) fn markdown(bytes: &[u8]) {
    check(&["md"], bytes);
}

pub(super) fn shell(bytes: &[u8]) {
    check(&["sh"], bytes);
}

/// The metadata of `bytes` as a file with each of these extensions.
fn check(extensions: &[&str], bytes: &[u8]) {
    for extension in extensions {
        let extractor = EXTRACTORS.iter().find(|extractor| extractor.handles(extension));
        let extractor = extractor.expect("the bundle has an extractor for it");
        let _ = extraction::check(extractor, &format!("some/folder/tool.{extension}"), bytes);
    }
}
