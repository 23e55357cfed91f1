//! Where an item is, as far as that says something about it.

use std::fmt;

/// An item's path below the folder of its kind, with `/` between the parts: `rye/core/runtimes/python.yaml`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ItemPath<'a>(&'a str);

impl<'a> ItemPath<'a> {
    /// Takes `path` as it is; it need not exist.
    #[must_use]
    pub fn new(path: &'a str) -> Self {
        Self(path)
    }

    /// The folder: `rye/core/runtimes`, or nothing.
    #[must_use]
    pub fn folder(self) -> &'a str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The file's name without its extension: `python`.
    #[must_use]
    pub fn stem(self) -> &'a str {
        let name = self.file_name();
        // A leading dot starts a hidden name, not an extension.
        name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
    }

    /// The extension without its dot: `yaml`, or nothing.
    #[must_use]
    pub fn extension(self) -> &'a str {
        let name = self.file_name();
        name.rsplit_once('.').map_or("", |(stem, extension)| if stem.is_empty() { "" } else { extension })
    }

    fn file_name(self) -> &'a str {
        self.0.rsplit_once('/').map_or(self.0, |(_, name)| name)
    }
}

impl fmt::Display for ItemPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_path() {
        let check = |path, folder, stem, extension| {
            let path = ItemPath::new(path);
            assert_eq!((path.folder(), path.stem(), path.extension()), (folder, stem, extension));
        };
        check("rye/core/git.py", "rye/core", "git", "py");
        check("git.test.py", "", "git.test", "py");
        check("a.b/run", "a.b", "run", "");
        check(".hidden", "", ".hidden", "");
        check("", "", "", "");
    }
}
