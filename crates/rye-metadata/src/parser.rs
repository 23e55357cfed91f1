//! The parsers: from text to a [`Document`] that rules can ask.
//!
//! Each parser refuses hostile input by itself: it bounds nesting before or while it reads, so that no input
//! overflows the stack, and it never executes anything.

mod doc_comment;
mod javascript;
mod javascript_lexical;
mod javascript_literal;
mod javascript_nesting;
mod json;
mod literal;
mod markdown;
mod python;
mod python_nesting;
mod toml;
mod yaml;

use std::fmt;

use crate::ExtractErrorKind;
use crate::node::{Node, NodeKind};
use crate::text::{Spot, Text};

pub(crate) use self::yaml::{parse as parse_yaml, parse_fragment as parse_yaml_fragment};

/// Metadata has far fewer, and what is more could take long.
const MAX_SEPARATORS: usize = 200_000;

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ParserKind {
    /// Python source: top-level literals and the docstring.
    Python,
    /// JavaScript source: top-level and exported literals, and the first doc comment.
    JavaScript,
    /// TypeScript source: the same.
    TypeScript,
    /// YAML.
    Yaml,
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// Markdown with YAML front matter.
    Markdown,
    /// Any text: only regular expressions know more about it.
    Text,
}

/// What rules can ask a parsed file. Each question has the answer "nothing" by default.
pub(crate) trait Document {
    /// The value of a top-level variable.
    fn variable(&self, _name: &str, _visibility: Visibility) -> Lookup {
        Ok(None)
    }

    /// The value at a dotted path.
    fn path(&self, path: &[String]) -> Lookup {
        // A path into source code starts with a variable.
        let Some((first, rest)) = path.split_first() else { return Ok(None) };
        Ok(self.variable(first, Visibility::Local)?.and_then(|node| step(&node, rest)))
    }

    /// The documentation, or a part of it.
    fn documentation(&self, _part: DocPart) -> Option<Node> {
        None
    }

    /// The value of a tag such as `@version` in the documentation.
    fn doc_tag(&self, _tag: &str) -> Option<Node> {
        None
    }

    /// The whole file as data, if it is data.
    fn tree(&self) -> Option<&Node> {
        None
    }
}

/// The answer to a question: a value, nothing, or a refusal that an author should hear of.
pub(crate) type Lookup = Result<Option<Node>, Refusal>;

/// Why a value that is there cannot be read without running code.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) reason: String,
    pub(crate) at: Spot,
}

/// Which variables are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Visibility {
    /// Any in the file.
    #[default]
    Local,
    /// Only what other files can import.
    Exported,
}

/// A part of the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DocPart {
    /// All of it.
    #[default]
    All,
    /// The first paragraph, on one line.
    Summary,
    /// The first heading.
    Heading,
}

/// A file that is a tree of values.
#[derive(Debug)]
pub(crate) struct DataDocument(Node);

/// A file without structure.
#[derive(Debug)]
struct TextDocument;

impl ParserKind {
    pub(crate) const WORDS: [(&str, Self); 8] = [
        ("python", Self::Python),
        ("javascript", Self::JavaScript),
        ("typescript", Self::TypeScript),
        ("yaml", Self::Yaml),
        ("json", Self::Json),
        ("toml", Self::Toml),
        ("markdown", Self::Markdown),
        ("text", Self::Text),
    ];

    /// Parses `text` and hands the document to `ask`.
    ///
    /// The document is borrowed because some parsers allocate it in an arena, or on a stack of their own.
    pub(crate) fn parse<T>(
        self,
        text: &Text<'_>,
        extension: &str,
        ask: impl FnOnce(&dyn Document) -> T,
    ) -> Result<T, ExtractErrorKind> {
        match self {
            Self::Python => python::parse(text, |document| ask(document)),
            Self::JavaScript => {
                let dialect = javascript::Dialect::javascript(extension);
                javascript::parse(text, dialect, |document| ask(document))
            }
            Self::TypeScript => {
                let dialect = javascript::Dialect::typescript(extension);
                javascript::parse(text, dialect, |document| ask(document))
            }
            Self::Yaml | Self::Json | Self::Toml if separators(text) > MAX_SEPARATORS => {
                Err(ExtractErrorKind::TooComplex {
                    message: format!("more than {MAX_SEPARATORS} lines, commas and colons"),
                    position: None,
                })
            }
            Self::Yaml => Ok(ask(&DataDocument(yaml::parse(text)?))),
            Self::Json => Ok(ask(&DataDocument(json::parse(text)?))),
            Self::Toml => Ok(ask(&DataDocument(toml::parse(text)?))),
            Self::Markdown => Ok(ask(&markdown::parse(text)?)),
            Self::Text => Ok(ask(&TextDocument)),
        }
    }

    /// Whether files of this kind have variables.
    pub(crate) fn has_variables(self) -> bool {
        matches!(self, Self::Python | Self::JavaScript | Self::TypeScript)
    }

    /// Whether files of this kind have a documentation text.
    pub(crate) fn has_documentation(self) -> bool {
        self.has_variables() || self == Self::Markdown
    }

    /// Whether that text has tags.
    pub(crate) fn has_doc_tags(self) -> bool {
        self.has_exports()
    }

    /// Whether some variables are exports and others are not.
    pub(crate) fn has_exports(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript)
    }

    /// Whether a dotted path leads anywhere.
    pub(crate) fn has_paths(self) -> bool {
        self != Self::Text
    }

    /// Whether the file, or a part of it, is a map whose keys are all metadata.
    #[must_use]
    pub fn is_data(self) -> bool {
        matches!(self, Self::Yaml | Self::Json | Self::Toml | Self::Markdown)
    }

    fn syntax_error(self, message: impl Into<String>, text: &Text<'_>, at: Spot) -> ExtractErrorKind {
        ExtractErrorKind::Syntax { language: self, message: message.into(), position: text.position(at) }
    }
}

impl Document for DataDocument {
    fn path(&self, path: &[String]) -> Lookup {
        Ok(step(&self.0, path))
    }

    fn tree(&self) -> Option<&Node> {
        Some(&self.0)
    }
}

impl Document for TextDocument {}

impl fmt::Display for ParserKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Python => "Python",
            Self::JavaScript => "JavaScript",
            Self::TypeScript => "TypeScript",
            Self::Yaml => "YAML",
            Self::Json => "JSON",
            Self::Toml => "TOML",
            Self::Markdown => "Markdown",
            Self::Text => "text",
        })
    }
}

/// About as many values as a data file has.
fn separators(text: &Text<'_>) -> usize {
    let is_separator = |byte: &&u8| matches!(byte, b'\n' | b',' | b':' | b'=' | b'[' | b'{');
    text.as_str().as_bytes().iter().filter(is_separator).count()
}

/// A data file must be a map; an empty one has no entries.
fn require_map(kind: ParserKind, node: Node, text: &Text<'_>) -> Result<Node, ExtractErrorKind> {
    match node.kind {
        NodeKind::Map(_) => Ok(node),
        NodeKind::Null => Ok(Node { at: node.at, kind: NodeKind::Map(Vec::new()) }),
        _ => Err(kind.syntax_error(
            format!("the file must be a map of fields, not {}", node.kind_name()),
            text,
            node.at,
        )),
    }
}

/// Follows `path` into `node`.
fn step(node: &Node, path: &[String]) -> Option<Node> {
    path.iter().try_fold(node, |node, key| node.get(key)).cloned()
}

/// The first paragraph of `text`, on one line.
fn summary(text: &str) -> String {
    let lines = text.lines().map(str::trim).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
