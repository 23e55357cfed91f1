//! A page that is made, and the folders that hold nothing else.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::error::TaskError;

/// Folders of `docs/src` in which every file is made.
const FOLDERS: [&str; 2] = ["reference", "topics"];

/// A page, by its path below `docs/src`.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) path: String,
    pub(super) text: String,
}

impl Page {
    /// A page that says what it is made of.
    pub(super) fn new(path: impl Into<String>, source: &str, text: &str) -> Self {
        let text = format!(
            "<!-- Made by `cargo xtask docs` from {source}: change it there. -->\n\n{}\n",
            text.trim()
        );
        Self { path: path.into(), text }
    }
}

/// Writes what is different, and removes what nobody makes any more.
pub(super) fn write(folder: &Path, pages: &[Page]) -> Result<(), TaskError> {
    for Page { path, text } in pages {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed("make", parent))?;
        }
        if std::fs::read_to_string(&path).ok().as_ref() != Some(text) {
            std::fs::write(&path, text).map_err(failed("write", &path))?;
        }
    }
    for path in left_over(folder, pages)? {
        std::fs::remove_file(&path).map_err(failed("remove", &path))?;
    }
    Ok(())
}

/// Finds pages that are not what would be made now.
pub(super) fn compare(folder: &Path, pages: &[Page]) -> Result<(), TaskError> {
    let is_old =
        |page: &&Page| std::fs::read_to_string(folder.join(&page.path)).ok().as_ref() != Some(&page.text);
    let mut violations: Vec<String> =
        pages.iter().filter(is_old).map(|page| format!("docs/src/{} is not up to date", page.path)).collect();
    let nobodys = left_over(folder, pages)?;
    violations.extend(nobodys.iter().map(|path| format!("nothing makes {} any more", path.display())));
    if violations.is_empty() {
        return Ok(());
    }
    violations.push("run `cargo xtask docs`, and commit what it changes".to_owned());
    Err(TaskError::Violations { check: "docs", violations })
}

fn left_over(folder: &Path, pages: &[Page]) -> Result<Vec<PathBuf>, TaskError> {
    let made: BTreeSet<PathBuf> = pages.iter().map(|page| folder.join(&page.path)).collect();
    let mut left = Vec::new();
    for name in FOLDERS {
        let path = folder.join(name);
        if !path.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(&path).map_err(failed("read", &path))? {
            let file = entry.map_err(failed("read", &path))?.path();
            if !made.contains(&file) {
                left.push(file);
            }
        }
    }
    Ok(left)
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> TaskError {
    let path = path.to_path_buf();
    move |source| TaskError::File { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_missing_and_left_over_pages_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let page = |path, text| Page::new(path, "a source", text);
        let before = [page("topics/a.md", "1"), page("topics/b.md", "2"), page("SUMMARY.md", "3")];
        write(folder.path(), &before).unwrap();
        compare(folder.path(), &before).unwrap();
        let after = [page("topics/a.md", "changed"), page("topics/c.md", "new"), page("SUMMARY.md", "3")];
        let TaskError::Violations { violations, .. } = compare(folder.path(), &after).unwrap_err() else {
            panic!("another error")
        };
        assert_eq!(violations.len(), 4, "{violations:?}");
        write(folder.path(), &after).unwrap();
        compare(folder.path(), &after).unwrap();
        assert!(!folder.path().join("topics/b.md").exists());
    }
}
