//! The text and the tags of a `/** … */` comment.

/// A doc comment in parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DocComment {
    /// What stands before the first tag.
    pub(super) text: String,
    /// `@name value`, in order; a value may span lines.
    pub(super) tags: Vec<(String, String)>,
}

impl DocComment {
    /// Parses what stands between `/**` and `*/`.
    pub(super) fn parse(content: &str) -> Self {
        let mut comment = Self::default();
        for line in content.lines() {
            let line = line.trim_start().strip_prefix('*').unwrap_or(line.trim_start());
            let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
            if let Some((name, value)) = tag(line) {
                comment.tags.push((name.to_owned(), value.to_owned()));
                continue;
            }
            let text = comment.tags.last_mut().map_or(&mut comment.text, |(_, value)| value);
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
        }
        comment.text.truncate(comment.text.trim_end().len());
        for (_, value) in &mut comment.tags {
            value.truncate(value.trim_end().len());
        }
        comment
    }

    /// The value of the first tag called `name`.
    pub(super) fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// The text, which some authors put into a tag.
    pub(super) fn description(&self) -> Option<&str> {
        let tags = ["description", "desc", "fileoverview", "file", "overview"];
        let text = Some(self.text.as_str()).filter(|text| !text.is_empty());
        text.or_else(|| tags.into_iter().find_map(|name| self.tag(name)))
    }
}

fn tag(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('@')?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').unwrap_or(rest.len());
    let (name, value) = rest.split_at(end);
    (!name.is_empty()).then(|| (name, value.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_tags_are_told_apart() {
        let comment = DocComment::parse(
            "\n * Counts words.\n *   Twice.\n *\n * @version 1.2.0\n * @example\n * count(1)\n *   + 2\n * @private\n ",
        );
        assert_eq!(comment.text, "Counts words.\n  Twice.");
        assert_eq!(comment.tag("version"), Some("1.2.0"));
        assert_eq!(comment.tag("example"), Some("count(1)\n  + 2"));
        assert_eq!(comment.tag("private"), Some(""));
        assert_eq!(comment.tag("none"), None);
        assert_eq!(DocComment::parse(" one line ").text, "one line");
        assert_eq!(DocComment::parse(" @file A thing. ").description(), Some("A thing."));
        assert_eq!(DocComment::parse(" me@example.org ").text, "me@example.org");
    }
}
