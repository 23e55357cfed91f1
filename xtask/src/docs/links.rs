//! Whether links within the project lead somewhere.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::TaskError;

/// Documents at the root whose links are checked, beside everything below `docs/src`.
const DOCUMENTS: [&str; 4] = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
const BOOK: &str = "docs/src";

/// Finds links to files, headings and pictures that are not there, and pages that the table of contents leaves out.
pub(super) fn check(root: &Path) -> Result<(), TaskError> {
    let mut files: Vec<PathBuf> = DOCUMENTS.iter().map(|name| root.join(name)).collect();
    let pages = markdown_below(&root.join(BOOK))?;
    files.extend(pages.iter().cloned());
    let mut violations = Vec::new();
    let mut listed = BTreeSet::new();
    for file in &files {
        let text = read(file)?;
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        for (line, target) in targets(&text) {
            if let Err(why) = follow(root, file, &text, &target) {
                violations.push(format!("{shown}:{line}: `{target}` {why}"));
            } else if shown == format!("{BOOK}/SUMMARY.md") {
                listed.insert(root.join(BOOK).join(&target));
            }
        }
    }
    for page in pages.iter().filter(|page| !page.ends_with("SUMMARY.md") && !listed.contains(*page)) {
        violations.push(format!("{BOOK}/SUMMARY.md does not list `{}`", page.display()));
    }
    if violations.is_empty() { Ok(()) } else { Err(TaskError::Violations { check: "links", violations }) }
}

/// Whether there is something at the end of a link.
fn follow(root: &Path, file: &Path, text: &str, target: &str) -> Result<(), &'static str> {
    let (path, heading) =
        target.split_once('#').map_or((target, None), |(path, heading)| (path, Some(heading)));
    let folder = file.parent().unwrap_or(root);
    let other = if path.is_empty() { file.to_path_buf() } else { folder.join(path) };
    let Ok(other) = other.canonicalize() else { return Err("is not there") };
    let root = root.canonicalize().map_err(|_| "has no root")?;
    if !other.starts_with(&root) {
        return Err("leads out of the project");
    }
    if file.starts_with(root.join(BOOK)) && !other.starts_with(root.join(BOOK)) {
        return Err("leads out of the book, where the site has nothing");
    }
    let Some(heading) = heading else { return Ok(()) };
    let there = if path.is_empty() { text.to_owned() } else { read(&other).map_err(|_| "cannot be read")? };
    if headings(&there).contains(heading) { Ok(()) } else { Err("names a heading that is not there") }
}

/// The targets of links and pictures, with their lines, except those on other hosts.
fn targets(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"'), ("href=\"", '"')] {
            for rest in line.split(opening).skip(1) {
                let Some((target, _)) = rest.split_once(closing) else { continue };
                if !target.contains("://") && !target.starts_with("mailto:") {
                    found.push((number, target.to_owned()));
                }
            }
        }
    }
    found
}

/// The anchors of the headings, made as both mdBook and code hosts make them.
fn headings(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| -> Option<String> {
        let title = line.trim_start_matches('#');
        let title = title.strip_prefix(' ').filter(|_| line.starts_with('#'))?;
        let kept = title.trim().to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        Some(kept.map(|c| if c == ' ' { '-' } else { c }).collect())
    };
    prose(text).filter_map(|(_, line)| heading(line)).collect()
}

/// The lines that are no code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fence: Option<String> = None;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let ticks: String = line.trim_start().chars().take_while(|c| *c == '`').collect();
        match &fence {
            None if ticks.len() > 2 => fence = Some(ticks),
            None => return (!line.starts_with("    ")).then_some((index + 1, line)),
            Some(open) if *open == ticks => fence = None,
            Some(_) => {}
        }
        None
    })
}

/// A line in which pieces of code between backticks are empty.
fn without_code(line: &str) -> String {
    line.split('`').enumerate().map(|(index, part)| if index % 2 == 0 { part } else { "" }).collect()
}

fn markdown_below(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    let failed = |source| TaskError::File { action: "read", path: folder.to_path_buf(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            found.extend(markdown_below(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(path: &Path) -> Result<String, TaskError> {
    std::fs::read_to_string(path).map_err(|source| TaskError::File {
        action: "read",
        path: path.to_path_buf(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The violations in a project with this README and a book with a page.
    fn check_readme(readme: &str, summary: &str) -> Vec<String> {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        std::fs::create_dir_all(root.join(BOOK)).unwrap();
        for name in DOCUMENTS {
            std::fs::write(root.join(name), "# Some words, and `code`\n").unwrap();
        }
        std::fs::write(root.join("README.md"), readme).unwrap();
        std::fs::write(root.join(BOOK).join("SUMMARY.md"), summary).unwrap();
        std::fs::write(root.join(BOOK).join("page.md"), "# Page\n").unwrap();
        match check(&root) {
            Ok(()) => Vec::new(),
            Err(TaskError::Violations { violations, .. }) => violations,
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn links_that_lead_somewhere_are_fine() {
        let readme = "# Top\n[a](CHANGELOG.md#some-words-and-code) [b](#top) [c](https://example.org/x)\n\
            `[d](nowhere)`\n```\n[e](nowhere)\n```\n<img src=\"docs/src/page.md\">\n";
        assert_eq!(check_readme(readme, "[p](page.md)\n"), Vec::<String>::new());
    }

    #[test]
    fn links_that_lead_nowhere_are_found() {
        let found =
            check_readme("[a](nowhere.md)\n\n[b](CHANGELOG.md#other)\n[c](../x)\n", "[p](../../README.md)\n");
        assert_eq!(
            found
                .iter()
                .map(|line| line.split(' ').take(3).collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>(),
            [
                "README.md:1: `nowhere.md` is",
                "README.md:3: `CHANGELOG.md#other` names",
                "README.md:4: `../x` is",
                "docs/src/SUMMARY.md:1: `../../README.md` leads",
                "docs/src/SUMMARY.md does not",
            ]
        );
    }
}
