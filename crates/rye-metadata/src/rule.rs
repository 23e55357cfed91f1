//! Extraction rules: where a field's value is in a file.

use regex::{Regex, RegexBuilder};

use crate::item_path::ItemPath;
use crate::nearest::suggestion;
use crate::node::{Node, NodeKind};
use crate::parser::{DocPart, Document, Lookup, ParserKind, Refusal, Visibility, parse_yaml_fragment};
use crate::reading::Reading;
use crate::text::{Spot, Text};

/// How much of a file regular expressions see: a header, not the code.
const HEADER_BYTES: usize = 16 * 1024;

/// Longer patterns are refused before they are compiled.
const MAX_PATTERN_BYTES: usize = 1_000;

/// One way to find a value.
#[derive(Debug, Clone)]
pub(crate) enum Rule {
    /// The first of these top-level variables that exists.
    Variable { names: Vec<String>, visibility: Visibility, computed: Computed },
    /// The documentation.
    Documentation { part: DocPart },
    /// A tag of the documentation.
    DocTag { tag: String },
    /// A dotted path into the parsed file.
    Path { path: Vec<String> },
    /// The group of the first match.
    Regex { regex: Regex, format: Format },
    /// The groups of all matches.
    RegexAll { regex: Regex },
    /// The file's name without its extension.
    Filename,
    /// The folder below the kind's folder.
    CategoryPath,
}

/// What happens if a variable is there but is not a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Computed {
    /// The author hears of it.
    #[default]
    Error,
    /// It is some other code's variable, not metadata.
    Ignore,
}

/// What the text that a regular expression finds is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Format {
    #[default]
    Text,
    /// A YAML value on one line: `{type: object}`, `null`, `[a, b]`.
    Yaml,
}

/// What rules are applied to.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) document: &'a dyn Document,
    pub(crate) text: &'a Text<'a>,
    pub(crate) path: ItemPath<'a>,
}

impl Rule {
    /// The value, if this rule finds one.
    pub(crate) fn find(&self, subject: Subject<'_>) -> Lookup {
        match self {
            Self::Variable { names, visibility, computed } => {
                for name in names {
                    match subject.document.variable(name, *visibility) {
                        Ok(None) => {}
                        Err(_) if *computed == Computed::Ignore => {}
                        found => return prefixed(name, found),
                    }
                }
                Ok(None)
            }
            Self::Documentation { part } => Ok(subject.document.documentation(*part)),
            Self::DocTag { tag } => Ok(subject.document.doc_tag(tag)),
            Self::Path { path } => subject.document.path(path),
            Self::Regex { regex, format } => {
                let group = regex.captures(header(subject.text)).and_then(|captures| captures.get(1));
                group.map(|group| format.read(group.as_str(), group.start())).transpose()
            }
            Self::RegexAll { regex } => {
                let groups = regex.captures_iter(header(subject.text)).filter_map(|captures| captures.get(1));
                let items: Vec<_> = groups
                    .map(|group| Node::text(group.as_str().trim(), Spot::Offset(group.start())))
                    .collect();
                let at = items.first().map(|item| item.at);
                Ok(at.map(|at| Node { at, kind: NodeKind::List(items) }))
            }
            Self::Filename => Ok(Some(Node::text(subject.path.stem(), Spot::Unknown))),
            Self::CategoryPath => {
                let folder = subject.path.folder();
                Ok((!folder.is_empty()).then(|| Node::text(folder, Spot::Unknown)))
            }
        }
    }

    /// Reads one rule of `field` for files of the kind `parser`.
    pub(crate) fn read(
        reading: &mut Reading<'_>,
        path: &str,
        node: &Node,
        field: &str,
        parser: ParserKind,
    ) -> Option<Self> {
        const TYPES: [&str; 7] =
            ["ast_var", "ast_docstring", "path", "regex", "regex_all", "filename", "category_path"];
        reading.entries(path, node)?;
        let Some(kind_node) = node.get("type") else {
            reading.error(path, node.at, format!("has no `type`; known: {}", TYPES.join(", ")));
            return None;
        };
        let kind = reading.text(&format!("{path}.type"), kind_node)?;
        let options: &[&str] = match kind.as_str() {
            "ast_var" => &["type", "name", "exported", "computed"],
            "ast_docstring" => &["type", "part", "tag"],
            "path" => &["type", "path"],
            "regex" => &["type", "pattern", "format"],
            "regex_all" => &["type", "pattern"],
            "filename" | "category_path" => &["type"],
            other => {
                let message = format!("has an unknown value `{other}`; {}", suggestion(other, &TYPES));
                reading.error(&format!("{path}.type"), kind_node.at, message);
                return None;
            }
        };
        let applies = match kind.as_str() {
            "ast_var" if node.get("exported").is_some() => parser.has_exports(),
            "ast_var" => parser.has_variables(),
            "ast_docstring" if node.get("tag").is_some() => parser.has_doc_tags(),
            "ast_docstring" => parser.has_documentation(),
            "path" => parser.has_paths(),
            _ => true,
        };
        if !applies {
            let message =
                format!("finds nothing: `{kind}` with these options does not apply to {parser} files");
            reading.error(path, kind_node.at, message);
            return None;
        }
        let fields = reading.fields(path, node, options)?;
        match kind.as_str() {
            "ast_var" => {
                let names = fields.required(reading, "name", Reading::texts)?;
                let words = [("error", Computed::Error), ("ignore", Computed::Ignore)];
                let computed =
                    fields.read(reading, "computed", |reading, path, node| reading.word(path, node, &words));
                let exported = fields.read(reading, "exported", Reading::bool);
                let visibility =
                    if exported == Some(true) { Visibility::Exported } else { Visibility::Local };
                Some(Self::Variable { names, visibility, computed: computed.unwrap_or_default() })
            }
            "ast_docstring" => {
                if let Some(tag) = fields.read(reading, "tag", Reading::filled_text) {
                    return Some(Self::DocTag { tag });
                }
                let parts =
                    [("all", DocPart::All), ("summary", DocPart::Summary), ("heading", DocPart::Heading)];
                let part =
                    fields.read(reading, "part", |reading, path, node| reading.word(path, node, &parts));
                Some(Self::Documentation { part: part.unwrap_or_default() })
            }
            "path" => {
                let dotted = fields.read(reading, "path", Reading::filled_text);
                let dotted = dotted.unwrap_or_else(|| field.to_owned());
                Some(Self::Path { path: dotted.split('.').map(str::to_owned).collect() })
            }
            "regex" => {
                let formats = [("text", Format::Text), ("yaml", Format::Yaml)];
                let format =
                    fields.read(reading, "format", |reading, path, node| reading.word(path, node, &formats));
                let regex = fields.required(reading, "pattern", compile)?;
                Some(Self::Regex { regex, format: format.unwrap_or_default() })
            }
            "regex_all" => Some(Self::RegexAll { regex: fields.required(reading, "pattern", compile)? }),
            "filename" => Some(Self::Filename),
            _ => Some(Self::CategoryPath),
        }
    }

    /// The first key that this rule looks at in a file that is data.
    pub(crate) fn root_key(&self) -> Option<&str> {
        match self {
            Self::Path { path } => path.first().map(String::as_str),
            _ => None,
        }
    }
}

impl Format {
    fn read(self, text: &str, offset: usize) -> Result<Node, Refusal> {
        let at = Spot::Offset(offset);
        match self {
            Self::Text => Ok(Node::text(text.trim(), at)),
            Self::Yaml => parse_yaml_fragment(text.trim())
                .map(|node| Node { at, kind: without_places(node.kind) })
                .map_err(|message| Refusal { reason: format!("is not valid YAML: {message}"), at }),
        }
    }
}

/// Places within a fragment say nothing about the file.
fn without_places(kind: NodeKind) -> NodeKind {
    let plain = |node: Node| Node { at: Spot::Unknown, kind: without_places(node.kind) };
    match kind {
        NodeKind::List(items) => NodeKind::List(items.into_iter().map(plain).collect()),
        NodeKind::Map(mut entries) => {
            for entry in &mut entries {
                entry.key_at = Spot::Unknown;
                entry.value = plain(std::mem::replace(
                    &mut entry.value,
                    Node { at: Spot::Unknown, kind: NodeKind::Null },
                ));
            }
            NodeKind::Map(entries)
        }
        scalar => scalar,
    }
}

/// Says which variable it was.
fn prefixed(name: &str, lookup: Lookup) -> Lookup {
    lookup.map_err(|refusal| Refusal {
        reason: format!("cannot be read: `{name}` {}", refusal.reason),
        ..refusal
    })
}

fn header<'t>(text: &'t Text<'_>) -> &'t str {
    let text = text.as_str();
    &text[..text.floor_char_boundary(HEADER_BYTES)]
}

/// Lines are matched one by one (`^` and `$` are theirs). Matching takes linear time; compiling is bounded.
fn compile(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Regex> {
    let pattern = reading.filled_text(path, node)?;
    if pattern.len() > MAX_PATTERN_BYTES {
        reading.error(path, node.at, format!("is longer than {MAX_PATTERN_BYTES} bytes"));
        return None;
    }
    let compiled = RegexBuilder::new(&pattern)
        .multi_line(true)
        .size_limit(512 * 1024)
        .dfa_size_limit(1024 * 1024)
        .nest_limit(50)
        .build();
    match compiled {
        Ok(regex) if regex.captures_len() == 2 => Some(regex),
        Ok(regex) => {
            let groups = regex.captures_len() - 1;
            reading.error(path, node.at, format!("must have one group, which is the value, not {groups}"));
            None
        }
        Err(error) => {
            let message = error.to_string();
            let last = message.lines().next_back().unwrap_or_default();
            reading.error(
                path,
                node.at,
                format!("is not a regular expression: {}", last.trim_start_matches("error: ")),
            );
            None
        }
    }
}
