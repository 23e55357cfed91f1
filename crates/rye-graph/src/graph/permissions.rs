//! What a graph may execute.

use globset::{GlobBuilder, GlobMatcher};
use rye_item::ItemKind;

/// The items that a graph may execute: none, unless its file says so.
///
/// `permissions: {execute: ["rye/file/*", "demo/step", "directive:notes/**"]}` in the file of the graph. `*` stands for
/// anything within a part of an id and `**` for any parts; without a kind a tool is meant.
#[derive(Debug, Clone, Default)]
pub struct Permissions {
    pub(crate) execute: Vec<PermissionPattern>,
}

/// A pattern for the items of one kind.
#[derive(Debug, Clone)]
pub struct PermissionPattern {
    kind: ItemKind,
    glob: GlobMatcher,
}

impl Permissions {
    /// Whether an item may be executed. Ids are compared as they are written.
    #[must_use]
    pub fn allow(&self, kind: ItemKind, id: &str) -> bool {
        self.execute.iter().any(|pattern| pattern.allows(kind, id))
    }

    /// The patterns.
    #[must_use]
    pub fn patterns(&self) -> &[PermissionPattern] {
        &self.execute
    }
}

impl PermissionPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// If it is none; the words say why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (kind, glob) = match text.split_once(':') {
            Some((kind, glob)) => (kind.parse::<ItemKind>().map_err(|error| error.to_string())?, glob),
            None => (ItemKind::Tool, text),
        };
        if glob.is_empty() || glob.len() > 1000 {
            return Err("has to be an id of 1 to 1000 bytes, with or without `*`".to_owned());
        }
        let glob = GlobBuilder::new(glob).literal_separator(true).backslash_escape(false).build();
        Ok(Self { kind, glob: glob.map_err(|error| error.kind().to_string())?.compile_matcher() })
    }

    /// Whether it covers an item.
    #[must_use]
    pub fn allows(&self, kind: ItemKind, id: &str) -> bool {
        self.kind == kind && self.glob.is_match(id)
    }
}

impl std::fmt::Display for PermissionPattern {
    /// As it can be read again, with its kind.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.kind, self.glob.glob())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_ids() {
        let check = |pattern: &str, id: &str, expect: bool| {
            let (kind, id) = id.split_once(':').unwrap_or(("tool", id));
            let allowed = PermissionPattern::parse(pattern).unwrap().allows(kind.parse().unwrap(), id);
            assert_eq!(allowed, expect, "{pattern} {id}");
            let again = PermissionPattern::parse(&PermissionPattern::parse(pattern).unwrap().to_string());
            assert_eq!(again.unwrap().allows(kind.parse().unwrap(), id), expect, "{pattern} {id}");
        };
        check("rye/file/*", "rye/file/read", true);
        check("rye/file/*", "rye/file/a/b", false);
        check("rye/file/*", "rye/files", false);
        check("rye/**", "rye/file/a/b", true);
        check("demo/step", "demo/step", true);
        check("demo/step", "demo/steps", false);
        check("demo/{a,b}", "demo/b", true);
        check("*", "a/b", false);
        check("**", "a/b", true);
        check("**", "directive:a/b", false);
        check("directive:**", "directive:a/b", true);
        assert!(!Permissions::default().allow(ItemKind::Tool, "a"));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for pattern in ["", "tool:", "thing:a", "a[", "{a", &"a".repeat(1001)] {
            assert!(PermissionPattern::parse(pattern).is_err(), "{pattern}");
        }
    }
}
