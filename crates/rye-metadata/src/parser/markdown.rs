//! Markdown: YAML front matter between `---` lines, and the body as documentation.

use super::{DocPart, Document, Lookup, ParserKind, require_map, step, summary, yaml};
use crate::ExtractErrorKind;
use crate::node::{Node, NodeKind};
use crate::text::{Spot, Text};

#[derive(Debug)]
pub(super) struct MarkdownDocument {
    front_matter: Node,
    body: String,
    body_at: Spot,
}

pub(super) fn parse(text: &Text<'_>) -> Result<MarkdownDocument, ExtractErrorKind> {
    let source = text.as_str();
    let Some((block, lines_before)) = front_matter(source)? else {
        let front_matter = Node { at: Spot::Offset(0), kind: NodeKind::Map(Vec::new()) };
        return Ok(MarkdownDocument {
            front_matter,
            body: source.trim().to_owned(),
            body_at: Spot::Offset(0),
        });
    };
    let node = yaml::parse_part(block.yaml, lines_before)
        .map_err(|error| error.into_kind(ParserKind::Markdown, text))?;
    Ok(MarkdownDocument {
        front_matter: require_map(ParserKind::Markdown, node, text)?,
        body: source[block.body_start..].trim().to_owned(),
        body_at: Spot::Offset(block.body_start),
    })
}

impl Document for MarkdownDocument {
    fn path(&self, path: &[String]) -> Lookup {
        Ok(step(&self.front_matter, path))
    }

    fn documentation(&self, part: DocPart) -> Option<Node> {
        let text = match part {
            DocPart::All => Some(self.body.clone()),
            DocPart::Summary => first_paragraph(&self.body),
            DocPart::Heading => first_heading(&self.body),
        };
        text.filter(|text| !text.is_empty()).map(|text| Node::text(text, self.body_at))
    }

    fn tree(&self) -> Option<&Node> {
        Some(&self.front_matter)
    }
}

struct FrontMatter<'s> {
    yaml: &'s str,
    body_start: usize,
}

/// The block and the number of lines before it. Blank lines and comments of one line may precede it: that is
/// where a signature stands.
fn front_matter(source: &str) -> Result<Option<(FrontMatter<'_>, u32)>, ExtractErrorKind> {
    let mut offset = 0;
    let mut start = None;
    for (index, line) in source.split_inclusive('\n').enumerate() {
        let number = u32::try_from(index + 1).unwrap_or(u32::MAX);
        let trimmed = line.trim_end();
        match start {
            None if trimmed == "---" => start = Some((offset + line.len(), number)),
            None if trimmed.is_empty() || is_comment(trimmed) => {}
            None => return Ok(None),
            Some((from, lines_before)) if trimmed == "---" => {
                let block = FrontMatter { yaml: &source[from..offset], body_start: offset + line.len() };
                return Ok(Some((block, lines_before)));
            }
            Some(_) => {}
        }
        offset += line.len();
    }
    match start {
        None => Ok(None),
        Some((_, line)) => Err(ExtractErrorKind::Syntax {
            language: ParserKind::Markdown,
            message: "the front matter has no closing `---`".to_owned(),
            position: Some(crate::Position { line, column: 1 }),
        }),
    }
}

fn is_comment(line: &str) -> bool {
    line.starts_with("<!--") && line.ends_with("-->")
}

/// The first ATX heading outside of fenced code.
fn first_heading(body: &str) -> Option<String> {
    let mut fenced = false;
    for line in body.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        let text = line.trim_start_matches('#');
        let level = line.len() - text.len();
        if !fenced && (1..=6).contains(&level) && text.starts_with([' ', '\t']) {
            return Some(text.trim().trim_end_matches('#').trim_end().to_owned());
        }
    }
    None
}

/// The first paragraph that is prose: no heading, list, quote, table, code or HTML.
fn first_paragraph(body: &str) -> Option<String> {
    let is_prose = |paragraph: &&str| {
        let paragraph = paragraph.trim_start();
        !paragraph.is_empty() && !paragraph.starts_with(['#', '`', '-', '*', '>', '|', '<'])
    };
    body.split("\n\n").find(is_prose).map(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &str) {
        let text = Text::new(source.as_bytes()).unwrap();
        let actual = match parse(&text) {
            Ok(document) => format!(
                "{} | {:?} | {:?} | {}",
                document.front_matter.to_value(),
                first_heading(&document.body),
                first_paragraph(&document.body),
                document.body
            ),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expect);
    }

    #[test]
    fn front_matter_and_body_are_told_apart() {
        check(
            "---\na: 1\n---\n# T #\n\ntext\nmore\n",
            r#"{"a":1} | Some("T") | Some("text more") | # T #

text
more"#,
        );
        check("<!-- rye:signed:x -->\n---\na: 1\n---\nb", r#"{"a":1} | None | Some("b") | b"#);
        check(
            "no matter\n---\na: 1\n---\n",
            "{} | None | Some(\"no matter --- a: 1 ---\") | no matter\n---\na: 1\n---",
        );
        check("---\n---\n", "{} | None | None | ");
        check("```\n# no\n```\n## yes", "{} | Some(\"yes\") | None | ```\n# no\n```\n## yes");
    }

    #[test]
    fn broken_front_matter_is_an_error_with_its_place() {
        check("---\na: 1\n", "not valid Markdown at 1:1: the front matter has no closing `---`");
        check("\n---\n- 1\n---\n", "not valid Markdown at 3:1: the file must be a map of fields, not a list");
    }
}
