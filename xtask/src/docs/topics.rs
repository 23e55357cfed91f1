//! The topics of `rye help`, as pages.

use std::fmt::Write as _;
use std::path::Path;

use super::page::Page;
use crate::error::TaskError;

const FOLDER: &str = "bundle/.ai/knowledge/rye/help";

/// A topic.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) name: String,
    pub(super) title: String,
    text: String,
}

/// All topics, by name.
pub(super) fn read(root: &Path) -> Result<Vec<Topic>, TaskError> {
    let folder = root.join(FOLDER);
    let failed = |source| TaskError::File { action: "read", path: folder.clone(), source };
    let mut topics = Vec::new();
    for entry in std::fs::read_dir(&folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".md") {
            topics.push(Topic::new(stem, &super::read(root, &format!("{FOLDER}/{name}"))?));
        }
    }
    topics.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(topics)
}

impl Topic {
    fn new(name: &str, file: &str) -> Self {
        let (head, text) =
            file.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap_or(("", file));
        let title = head.lines().find_map(|line| line.strip_prefix("title: ")).unwrap_or(name);
        Self { name: name.to_owned(), title: title.trim_matches('"').to_owned(), text: text.to_owned() }
    }

    /// The topic without what is for the program alone, and with links where it names another topic.
    pub(super) fn page(&self) -> Page {
        let mut text = String::new();
        let mut in_code = false;
        for line in self.text.lines() {
            in_code ^= line.starts_with("```");
            text += &if in_code || line.starts_with("    ") { line.to_owned() } else { linked(line) };
            text.push('\n');
        }
        let source = format!("{FOLDER}/{}.md", self.name);
        Page::new(format!("topics/{}.md", self.name), &source, &text)
    }
}

/// Makes a link of each `rye help TOPIC`.
fn linked(line: &str) -> String {
    const BEGIN: &str = "`rye help ";
    let mut parts = line.split(BEGIN);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let _ = match part.split_once('`') {
            Some((topic, rest)) if !topic.is_empty() => {
                write!(text, "[{BEGIN}{topic}`]({topic}.md){rest}")
            }
            _ => write!(text, "{BEGIN}{part}"),
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_becomes_a_page_with_links() {
        let topic = Topic::new(
            "a",
            "---\ntitle: \"An A\"\n---\n# A\n\nSee `rye help b`.\n\n```sh run\nrye help `rye help c`\n```\n",
        );
        assert_eq!(topic.title, "An A");
        let page = topic.page();
        assert!(page.text.contains("# A\n\nSee [`rye help b`](b.md).\n"), "{}", page.text);
        assert!(page.text.contains("rye help `rye help c`\n"), "{}", page.text);
        assert!(!page.text.contains("title"), "{}", page.text);
    }
}
