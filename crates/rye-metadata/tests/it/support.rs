//! The bundled extractors, and results as text.

use std::error::Error as _;
use std::sync::LazyLock;

use rye_metadata::{ExtractError, Extraction, Extractor, ItemPath};

macro_rules! bundled {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../bundle/.ai/tools/rye/core/extractors/", $name, ".yaml")))),*]
    };
}

/// Every extractor of the bundle, by name.
pub(crate) const BUNDLED: [(&str, &str); 8] =
    bundled!["javascript", "json", "markdown", "python", "shell", "toml", "typescript", "yaml"];

static EXTRACTORS: LazyLock<Vec<Extractor>> = LazyLock::new(|| {
    let parse = |(name, text): &(&str, &str)| {
        Extractor::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{name}: {}", error.kind))
    };
    BUNDLED.iter().map(parse).collect()
});

/// The bundled extractor for files with this extension.
pub(crate) fn extractor_for(extension: &str) -> &'static Extractor {
    EXTRACTORS.iter().find(|extractor| extractor.handles(extension)).unwrap()
}

pub(crate) fn extract(path: &str, bytes: impl AsRef<[u8]>) -> Result<Extraction, ExtractError> {
    let path = ItemPath::new(path);
    extractor_for(path.extension()).extract(path, bytes.as_ref())
}

/// The metadata as JSON followed by the problems, or the error with its source.
pub(crate) fn show(path: &str, bytes: impl AsRef<[u8]>) -> String {
    match extract(path, bytes) {
        Ok(extraction) => {
            let mut text = serde_json::to_string_pretty(&extraction.metadata).unwrap();
            for problem in &extraction.problems {
                text.push('\n');
                text.push_str(&problem.to_string());
            }
            text
        }
        Err(error) => format!("{error}: {}", error.source().unwrap()),
    }
}

/// Only the problems, or the error.
pub(crate) fn problems(path: &str, bytes: impl AsRef<[u8]>) -> String {
    match extract(path, bytes) {
        Ok(extraction) => extraction.problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
        Err(error) => error.kind.to_string(),
    }
}

/// A Python tool that has what it needs, and `rest`.
pub(crate) fn python_tool(rest: &str) -> String {
    format!(
        "\"\"\"A tool.\"\"\"\n__version__ = '1.0.0'\n__tool_type__ = 'python'\n__executor_id__ = 'x'\n{rest}\n"
    )
}
