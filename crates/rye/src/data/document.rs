//! A text that is data.

use serde::Deserialize;
use serde_json::Value;

use crate::command_error::CommandError;

/// A text, and what it is called in messages.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) format: Format,
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    Json,
    Yaml,
    Toml,
}

/// How deep and how large a YAML text may be after its aliases are filled in.
const MAX_DEPTH: usize = 64;
const MAX_NODES: usize = 1_000_000;

impl Format {
    /// The format that a file has by its name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            "toml" => Some(Self::Toml),
            _ => None,
        }
    }
}

impl Document {
    /// The value that the text stands for.
    pub(super) fn read(&self) -> Result<Value, CommandError> {
        let bytes = self.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.bytes);
        let failed = |error: &dyn std::fmt::Display| CommandError::data(&self.name, error);
        match self.format {
            Format::Json => serde_json::from_slice(bytes).map_err(|error| failed(&error)),
            Format::Yaml => {
                let text = str::from_utf8(bytes).map_err(|error| failed(&error))?;
                let read = serde_saphyr::from_str_with_options(text, yaml_options());
                read.map_err(|error| failed(&first_line(error.without_snippet())))
            }
            Format::Toml => match rye_metadata::read_data_file("data.toml", bytes) {
                Some(read) => read.map_err(|error| failed(&rye_engine::with_sources(&error))),
                None => Ok(Value::Null),
            },
        }
    }
}

fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_events: 4 * MAX_NODES, max_depth: MAX_DEPTH },
        alias_limits: serde_saphyr::alias_limits! { max_total_replayed_events: MAX_NODES },
        strict_booleans: true,
        with_snippet: false,
    }
}

fn first_line(error: &serde_saphyr::Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use serde_json::json;

    fn read(format: Format, text: &str) -> Option<Value> {
        Document { name: "t".to_owned(), bytes: text.into(), format }.read().ok()
    }

    #[test]
    fn each_format_is_read() {
        assert_eq!(read(Format::Json, "\u{feff}[1, {\"a\": null}]"), Some(json!([1, {"a": null}])));
        assert_eq!(read(Format::Yaml, "- 1\n- a: ~\n  b: yes\n"), Some(json!([1, {"a": null, "b": "yes"}])));
        assert_eq!(
            read(Format::Toml, "when = 2026-01-31\n[a]\nb = [1.5]\n"),
            Some(json!({"when": "2026-01-31", "a": {"b": [1.5]}}))
        );
        for format in [Format::Json, Format::Yaml, Format::Toml] {
            assert_eq!(read(format, "{\"a\": [1, "), None, "{format:?}");
        }
    }

    #[test]
    fn aliases_do_not_become_endless() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = level - 1;
            let names = vec![format!("*a{before}"); 9].join(", ");
            writeln!(text, "a{level}: &a{level} [{names}]").unwrap();
        }
        assert_eq!(read(Format::Yaml, &text), None);
    }

    #[test]
    fn the_name_tells_the_format() {
        for (name, expect) in [
            ("a.json", Some(Format::Json)),
            ("b/c.YML", Some(Format::Yaml)),
            ("Cargo.toml", Some(Format::Toml)),
            ("Makefile", None),
            ("a.txt", None),
        ] {
            assert_eq!(Format::of(name), expect, "{name}");
        }
    }
}
