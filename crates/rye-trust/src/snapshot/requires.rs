//! The files that a tool asks for by name.

use globset::{GlobBuilder, GlobMatcher};

use crate::LeftOutReason;

/// The files that a tool asks for.
#[derive(Debug)]
pub(super) struct Requires {
    names: Vec<String>,
    globs: Vec<(String, GlobMatcher)>,
}

/// What a tool asks for and does not get.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequireError {
    /// It is not a path below the tool's folder, nor a pattern for such.
    #[error("`{pattern}` names no files in the tool's folder: {problem}")]
    Invalid {
        /// What the tool says.
        pattern: String,
        /// What is wrong.
        problem: String,
    },
    /// There is no such file.
    #[error("there is no file `{pattern}` in the tool's folder")]
    NothingFound {
        /// What the tool says.
        pattern: String,
    },
    /// There is something else.
    #[error("`{path}` cannot be used: {reason}")]
    Unusable {
        /// The path below the tool's folder.
        path: String,
        /// Why not.
        reason: LeftOutReason,
    },
    /// The file is neither signed nor listed in the folder's manifest.
    #[error("`{path}`, which the tool requires as `{pattern}`, is neither signed nor in the manifest")]
    Unverified {
        /// What the tool says.
        pattern: String,
        /// The path below the tool's folder.
        path: String,
        /// The path below the kind's folder, which is what can be signed.
        item_path: String,
    },
}

impl Requires {
    pub(super) fn parse(patterns: &[String]) -> Result<Self, RequireError> {
        let mut requires = Self { names: Vec::new(), globs: Vec::new() };
        for pattern in patterns {
            let invalid = |problem: String| RequireError::Invalid { pattern: pattern.clone(), problem };
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            if pattern.split('/').any(|part| matches!(part, "" | "." | "..")) {
                return Err(invalid("it has to be a relative path without `.` and `..`".to_owned()));
            }
            if !pattern.contains(['*', '?', '[', '{', '\\']) {
                if !requires.is_name(pattern) {
                    requires.names.push(pattern.to_owned());
                }
                continue;
            }
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            let glob = glob.map_err(|error| invalid(error.kind().to_string()))?;
            requires.globs.push((pattern.to_owned(), glob.compile_matcher()));
        }
        Ok(requires)
    }

    /// The files that are asked for by their whole names.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Everything that is asked for, as it was written.
    pub(super) fn patterns(&self) -> impl Iterator<Item = &str> {
        self.names.iter().chain(self.globs.iter().map(|(pattern, _)| pattern)).map(String::as_str)
    }

    pub(super) fn has_globs(&self) -> bool {
        !self.globs.is_empty()
    }

    /// Whether a pattern can match something in a subfolder.
    pub(super) fn is_recursive(&self) -> bool {
        self.globs.iter().any(|(pattern, _)| pattern.contains('/') || pattern.contains("**"))
    }

    pub(super) fn globs_match(&self, path: &str) -> bool {
        self.globs.iter().any(|(_, glob)| glob.is_match(path))
    }

    pub(super) fn is_name(&self, path: &str) -> bool {
        self.names.iter().any(|name| name == path)
    }

    /// What asks for a path.
    pub(super) fn pattern_for(&self, path: &str) -> Option<&str> {
        let name = self.names.iter().find(|name| *name == path);
        name.or_else(|| self.globs.iter().find(|(_, glob)| glob.is_match(path)).map(|(pattern, _)| pattern))
            .map(String::as_str)
    }

    /// A pattern that none of the paths fits.
    pub(super) fn unmatched(&self, paths: &[&str]) -> Option<&str> {
        let unmatched = |(_, glob): &&(String, GlobMatcher)| !paths.iter().any(|path| glob.is_match(path));
        self.globs.iter().find(unmatched).map(|(pattern, _)| pattern.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(pattern: &str) -> Result<Requires, RequireError> {
        Requires::parse(&[pattern.to_owned()])
    }

    #[test]
    fn patterns_stay_in_the_folder() {
        for bad in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a/", ".", "[", "{a", "a/**/../b"] {
            assert!(matches!(parse(bad), Err(RequireError::Invalid { .. })), "{bad}");
        }
        assert_eq!(parse("./a b.py").unwrap().names(), ["a b.py"]);
    }

    #[test]
    fn a_star_does_not_cross_folders() {
        for (pattern, path, expect) in [
            ("*.py", "a.py", true),
            ("*.py", "b/a.py", false),
            ("lib/*.py", "lib/a.py", true),
            ("lib/**", "lib/a/b.py", true),
            ("lib/**", "libx", false),
            ("**/*.json", "a.json", true),
            ("{a,b}.py", "b.py", true),
            ("[ab].py", "c.py", false),
        ] {
            assert_eq!(parse(pattern).unwrap().globs_match(path), expect, "{pattern} {path}");
        }
    }
}
