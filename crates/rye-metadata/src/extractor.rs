//! Extractors: files that say how the metadata of other files is found.

use serde::{Deserialize, Serialize};

use crate::nearest::suggestion;
use crate::node::{Node, NodeKind};
use crate::parser::{ParserKind, parse_yaml};
use crate::reading::{Fields, Reading};
use crate::rule::Rule;
use crate::text::Text;
use crate::{ExtractorError, ExtractorErrorKind, Field};

/// How the metadata of files with certain extensions is found.
///
/// An extractor is a YAML tool like any other (`tool_type: extractor`), so it is found, shown and signed like
/// one; what makes it an extractor is its `config`.
#[derive(Debug, Clone)]
pub struct Extractor {
    extensions: Vec<String>,
    parser: ParserKind,
    signature: Option<SignatureComment>,
    pub(crate) rules: Vec<(Field, Vec<Rule>)>,
    pub(crate) validation: Validation,
    search: Vec<(Field, f64)>,
}

/// How a signature line is written as a comment of the language.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SignatureComment {
    /// What stands before the signature: `#`, `//`, `<!--`.
    pub prefix: String,
    /// What stands after it: nothing, or `-->`.
    pub suffix: String,
    /// Whether a `#!` line stays the first.
    pub after_shebang: bool,
}

/// What metadata must be like.
#[derive(Debug, Clone, Default)]
pub(crate) struct Validation {
    /// A missing one is an error.
    pub(crate) required: Vec<Field>,
    /// A missing one is a warning.
    pub(crate) recommended: Vec<Field>,
    /// Must be semantic versions.
    pub(crate) semver: Vec<Field>,
    pub(crate) unknown_fields: UnknownFields,
}

/// What happens to keys of a data file that no rule knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum UnknownFields {
    #[default]
    Ignore,
    Deny,
}

impl Extractor {
    /// Reads an extractor file.
    ///
    /// # Errors
    /// Everything that is wrong with it, with line and column.
    pub fn parse(bytes: &[u8]) -> Result<Self, ExtractorError> {
        let unreadable = |kind| ExtractorError { kind: ExtractorErrorKind::Unreadable(kind) };
        let text = Text::new(bytes).map_err(unreadable)?;
        let file = parse_yaml(&text).map_err(unreadable)?;
        let mut reading = Reading::new(&text);
        let extractor = read_file(&mut reading, &file);
        let problems = reading.into_problems();
        match extractor {
            Some(extractor) if problems.is_empty() => Ok(extractor),
            _ => Err(ExtractorError { kind: ExtractorErrorKind::Invalid { problems } }),
        }
    }

    /// The extensions it is for, without dots.
    #[must_use]
    pub fn extensions(&self) -> &[String] {
        &self.extensions
    }

    /// Whether it is for files with this extension.
    #[must_use]
    pub fn handles(&self, extension: &str) -> bool {
        self.extensions.iter().any(|known| known == extension)
    }

    /// The parser that reads those files.
    #[must_use]
    pub fn parser(&self) -> ParserKind {
        self.parser
    }

    /// How those files carry a signature, if they can.
    #[must_use]
    pub fn signature(&self) -> Option<&SignatureComment> {
        self.signature.as_ref()
    }

    /// How much a word found in a field counts in a search.
    #[must_use]
    pub fn search_weights(&self) -> &[(Field, f64)] {
        &self.search
    }
}

fn read_file(reading: &mut Reading<'_>, file: &Node) -> Option<Extractor> {
    let mut known: Vec<_> = Field::ALL.iter().map(|field| field.as_str()).collect();
    known.retain(|name| *name != Field::Doc.as_str());
    let fields = reading.fields("", file, &known)?;
    let tool_type = fields.required(reading, "tool_type", Reading::text)?;
    if tool_type != "extractor" {
        let at = file.get("tool_type").map_or(file.at, |node| node.at);
        reading.error("tool_type", at, format!("must be `extractor`, not `{tool_type}`"));
        return None;
    }
    fields.required(reading, "config", |reading, _, node| read_config(reading, node))
}

fn read_config(reading: &mut Reading<'_>, node: &Node) -> Option<Extractor> {
    const KNOWN: [&str; 6] = ["extensions", "parser", "signature", "rules", "validation", "search"];
    let fields = reading.fields("config", node, &KNOWN)?;
    let extensions = fields.required(reading, "extensions", read_extensions);
    let signature = fields.read(reading, "signature", read_signature);
    let validation = fields.read(reading, "validation", read_validation);
    let search = fields.read(reading, "search", read_search);
    // Rules only make sense for a known parser.
    let parser = fields
        .required(reading, "parser", |reading, path, node| reading.word(path, node, &ParserKind::WORDS))?;
    let validation = validation.unwrap_or_default();
    if validation.unknown_fields == UnknownFields::Deny && !parser.is_data() {
        let message =
            format!("cannot be `deny` for {parser} files, which have other things in them than metadata");
        let at = node
            .get("validation")
            .and_then(|node| node.get("unknown_fields"))
            .map_or(node.at, |node| node.at);
        reading.error("config.validation.unknown_fields", at, message);
    }
    let rules =
        fields.required(reading, "rules", |reading, path, node| read_rules(reading, path, node, parser))?;
    Some(Extractor {
        extensions: extensions?,
        parser,
        signature,
        rules,
        validation,
        search: search.unwrap_or_default(),
    })
}

fn read_extensions(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Vec<String>> {
    let extensions = reading.texts(path, node)?;
    if extensions.is_empty() {
        reading.error(path, node.at, "must not be empty");
    }
    let mut plain = Vec::with_capacity(extensions.len());
    for extension in extensions {
        let extension = extension.strip_prefix('.').unwrap_or(&extension);
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+');
        if extension.is_empty() || !extension.chars().all(allowed) {
            reading.error(
                path,
                node.at,
                format!("has an extension `{extension}` that no file name can have"),
            );
        }
        plain.push(extension.to_owned());
    }
    Some(plain)
}

fn read_signature(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<SignatureComment> {
    let fields = reading.fields(path, node, &["prefix", "suffix", "after_shebang"])?;
    let prefix = fields.required(reading, "prefix", read_comment_mark)?;
    let suffix = fields.read(reading, "suffix", read_comment_mark);
    let after_shebang = fields.read(reading, "after_shebang", Reading::bool);
    Some(SignatureComment {
        prefix,
        suffix: suffix.unwrap_or_default(),
        after_shebang: after_shebang.unwrap_or(false),
    })
}

/// A few punctuation marks: a signature line must not be able to hold anything else.
fn read_comment_mark(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<String> {
    let mark = reading.filled_text(path, node)?;
    if mark.len() > 8 || !mark.bytes().all(|byte| byte.is_ascii_punctuation()) {
        reading.error(path, node.at, "must be at most 8 punctuation marks");
        return None;
    }
    Some(mark)
}

fn read_rules(
    reading: &mut Reading<'_>,
    path: &str,
    node: &Node,
    parser: ParserKind,
) -> Option<Vec<(Field, Vec<Rule>)>> {
    let entries = reading.entries(path, node)?;
    let mut rules = Vec::with_capacity(entries.len());
    for entry in entries {
        let path = format!("{path}.{}", entry.key);
        let Some(field) = Field::from_name(&entry.key) else {
            let names = Field::ALL.map(Field::as_str);
            let message = format!("is no metadata field; {}", suggestion(&entry.key, &names));
            reading.error(&path, entry.key_at, message);
            continue;
        };
        let mut read = |path: &str, node: &Node| Rule::read(reading, path, node, field.as_str(), parser);
        let alternatives = match &entry.value.kind {
            NodeKind::List(items) => items
                .iter()
                .enumerate()
                .filter_map(|(index, item)| read(&format!("{path}.{index}"), item))
                .collect(),
            _ => read(&path, &entry.value).into_iter().collect(),
        };
        rules.push((field, alternatives));
    }
    // Problems of an item are reported in one order, whatever the order of the rules.
    rules.sort_by_key(|(field, _)| *field);
    Some(rules)
}

fn read_validation(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Validation> {
    const UNKNOWN: [(&str, UnknownFields); 2] =
        [("ignore", UnknownFields::Ignore), ("deny", UnknownFields::Deny)];
    let fields = reading.fields(path, node, &["required", "recommended", "semver", "unknown_fields"])?;
    Some(Validation {
        required: field_list(reading, fields, "required"),
        recommended: field_list(reading, fields, "recommended"),
        semver: field_list(reading, fields, "semver"),
        unknown_fields: fields
            .read(reading, "unknown_fields", |reading, path, node| reading.word(path, node, &UNKNOWN))
            .unwrap_or_default(),
    })
}

fn field_list(reading: &mut Reading<'_>, fields: Fields<'_>, key: &str) -> Vec<Field> {
    let words = Field::ALL.map(|field| (field.as_str(), field));
    let list = fields.read(reading, key, |reading, path, node| {
        let items = reading.list(path, node)?;
        Some(items.iter().filter_map(|item| reading.word(path, item, &words)).collect())
    });
    list.unwrap_or_default()
}

fn read_search(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Vec<(Field, f64)>> {
    let names = Field::ALL.map(Field::as_str);
    let entries = reading.entries(path, node)?;
    let mut weights = Vec::with_capacity(entries.len());
    for entry in entries {
        let path = format!("{path}.{}", entry.key);
        let weight = match &entry.value.kind {
            NodeKind::Number(number) => number.as_f64().filter(|weight| (0.0..=1_000.0).contains(weight)),
            _ => None,
        };
        match (Field::from_name(&entry.key), weight) {
            (Some(field), Some(weight)) => weights.push((field, weight)),
            (None, _) => {
                let message = format!("is no metadata field; {}", suggestion(&entry.key, &names));
                reading.error(&path, entry.key_at, message);
            }
            (_, None) => reading.error(&path, entry.value.at, "must be a number from 0 to 1000"),
        }
    }
    Some(weights)
}
