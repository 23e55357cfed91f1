//! The names of runtimes and interpreters, and whether a string literal says one.

use std::collections::BTreeSet;

use super::table::INTERPRETERS;

/// Everything that a string literal of the engine may not say.
#[derive(Debug, Default)]
pub(super) struct RuntimeNames {
    /// `rye/core/runtimes/python/script`: found anywhere in a literal.
    ids: BTreeSet<String>,
    /// `python_runtime`: found as a whole literal.
    short_ids: BTreeSet<String>,
}

impl RuntimeNames {
    /// Adds a runtime by its id, the path below the folder of tools without extension.
    ///
    /// Its last part is an id as well. One that is a plain word (`script`, `runtime`) is left out, because as a
    /// literal it says nothing about a runtime.
    pub(super) fn add(&mut self, id: &str) {
        let stem = id.rsplit('/').next().unwrap_or(id);
        if stem.contains(['_', '-']) {
            self.short_ids.insert(stem.to_owned());
        }
        self.ids.insert(id.to_owned());
    }

    /// The name that this literal says, if any.
    ///
    /// An interpreter counts where a command or a path would have it: as a component of the literal's first word.
    pub(super) fn said_by<'a>(&'a self, literal: &'a str) -> Option<&'a str> {
        if let Some(id) = self.ids.iter().find(|id| literal.contains(id.as_str())) {
            return Some(id);
        }
        if self.short_ids.contains(literal) {
            return Some(literal);
        }
        let command = literal.split_whitespace().next()?;
        let mut components = command.split(['/', '\\']).map(|part| part.strip_suffix(".exe").unwrap_or(part));
        components.find(|part| INTERPRETERS.contains(part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literal: &str, expect: Option<&str>) {
        let mut names = RuntimeNames::default();
        names.add("rye/core/runtimes/python/script");
        names.add("rye/core/runtimes/python_runtime");
        assert_eq!(names.said_by(literal), expect, "{literal:?}");
    }

    #[test]
    fn ids_are_found_inside_other_text() {
        check("rye/core/runtimes/python/script", Some("rye/core/runtimes/python/script"));
        check("no rye/core/runtimes/python/script here", Some("rye/core/runtimes/python/script"));
        check("rye/core/primitives/execute", None);
    }

    #[test]
    fn short_ids_are_found_whole() {
        check("python_runtime", Some("python_runtime"));
        check("script", None);
    }

    #[test]
    fn interpreters_are_found_as_commands_and_in_paths() {
        check("python3", Some("python3"));
        check("python3 -c {code}", Some("python3"));
        check("/usr/bin/node", Some("node"));
        check("Scripts\\\\python.exe", Some("python"));
        check("node_modules", None);
        check("pythonic", None);
        check("the next node", None);
        check("", None);
    }
}
