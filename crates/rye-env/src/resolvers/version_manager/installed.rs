//! The versions that are installed, and their order.

use std::cmp::Reverse;
use std::path::Path;

use crate::search::Search;

/// The most folders that are looked at.
const LIMIT: usize = 10_000;

/// The versions in one folder, the highest first.
#[derive(Debug)]
pub(super) struct Installed {
    versions: Vec<Version>,
}

/// A folder that is called like a version.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Version {
    name: String,
    /// Empty if the name has none: those come last.
    numbers: Vec<u64>,
    /// What stands behind the numbers: such a version is a trial, and comes after all that are none.
    suffix: String,
}

impl Installed {
    /// The versions in a folder; nothing if it cannot be read.
    pub(super) fn read(search: &Search<'_>, folder: &Path, prefix: &str) -> Option<Self> {
        Some(Self::new(search.list(folder)?.take(LIMIT), prefix))
    }

    fn new(names: impl IntoIterator<Item = String>, prefix: &str) -> Self {
        let names = names.into_iter().filter(|name| !name.starts_with('.'));
        let mut versions: Vec<_> = names.map(|name| Version::parse(name, prefix)).collect();
        versions.sort_by_cached_key(|version| Reverse(version.rank()));
        Self { versions }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    pub(super) fn highest_first(&self) -> impl Iterator<Item = &str> {
        self.versions.iter().map(|version| version.name.as_str())
    }

    /// The folder of a version: the one that is called so, or else the highest that begins so.
    pub(super) fn pick(&self, wanted: &str) -> Option<&str> {
        if matches!(wanted, "latest" | "node" | "stable") {
            return self.highest_first().next();
        }
        let exact = self.versions.iter().find(|version| version.name == wanted);
        let plain = wanted.trim_start_matches(|c: char| !c.is_ascii_digit());
        let same = || self.versions.iter().find(|version| !plain.is_empty() && version.text() == plain);
        let asked = Version::parse(plain.to_owned(), "");
        let begins = || {
            let is_prefix = !asked.numbers.is_empty() && asked.suffix.is_empty();
            self.versions.iter().find(|version| is_prefix && version.numbers.starts_with(&asked.numbers))
        };
        exact.or_else(same).or_else(begins).map(|version| version.name.as_str())
    }
}

impl Version {
    fn parse(name: String, prefix: &str) -> Self {
        let mut rest = name.strip_prefix(prefix).unwrap_or(&name);
        let mut numbers = Vec::new();
        loop {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let Ok(number) = rest[..end].parse() else { break };
            numbers.push(number);
            rest = &rest[end..];
            match rest.strip_prefix('.') {
                Some(next) if next.starts_with(|c: char| c.is_ascii_digit()) => rest = next,
                _ => break,
            }
        }
        Self { suffix: rest.to_owned(), numbers, name }
    }

    /// The name without what the manager puts before the numbers; empty if there are none.
    fn text(&self) -> &str {
        let start = self.name.find(|c: char| c.is_ascii_digit()).unwrap_or(self.name.len());
        if self.numbers.is_empty() { "" } else { &self.name[start..] }
    }

    /// What it is ordered by.
    fn rank(&self) -> (bool, bool, Vec<u64>, String) {
        (!self.numbers.is_empty(), self.suffix.is_empty(), self.numbers.clone(), self.suffix.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(names: &[&str], prefix: &str) -> Installed {
        Installed::new(names.iter().map(|name| (*name).to_owned()), prefix)
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let check = |names: &[&str], prefix, expect: &[&str]| {
            assert_eq!(installed(names, prefix).highest_first().collect::<Vec<_>>(), expect);
        };
        check(&["3.9.1", "3.10.0", "3.9.10", ".x"], "", &["3.10.0", "3.9.10", "3.9.1"]);
        check(&["v8.17.0", "v20.1.0", "v20.11.1"], "v", &["v20.11.1", "v20.1.0", "v8.17.0"]);
        check(
            &["3.13.0rc1", "3.12.1", "my-env", "3.14-dev"],
            "",
            &["3.12.1", "3.14-dev", "3.13.0rc1", "my-env"],
        );
        check(&["20", "20.11.1", "latest"], "", &["20.11.1", "20", "latest"]);
        check(&["ruby-3.2.0", "jruby-9.4.0.0"], "ruby-", &["ruby-3.2.0", "jruby-9.4.0.0"]);
        check(&["99999999999999999999999", "1.0"], "", &["1.0", "99999999999999999999999"]);
    }

    #[test]
    fn versions_are_picked_whole_or_in_part() {
        let versions = installed(&["v20.1.0", "v20.11.1", "v18.2.0", "v2.0.0"], "v");
        let check =
            |wanted: &str, expect: Option<&str>| assert_eq!(versions.pick(wanted), expect, "{wanted}");
        check("v20.1.0", Some("v20.1.0"));
        check("20.1.0", Some("v20.1.0"));
        check("20", Some("v20.11.1"));
        check("20.1", Some("v20.1.0"));
        check("v18", Some("v18.2.0"));
        check("2", Some("v2.0.0"));
        check("node", Some("v20.11.1"));
        check("16", None);
        check("latest", Some("v20.11.1"));
        check("lts", None);
        check("", None);
        assert_eq!(installed(&["my-env", "3.1"], "").pick("my-env"), Some("my-env"));
        assert_eq!(installed(&["ruby-3.2.1"], "ruby-").pick("3.2.1"), Some("ruby-3.2.1"));
        assert_eq!(installed(&["3.2.1"], "ruby-").pick("ruby-3.2.1"), Some("3.2.1"));
    }
}
