//! Which files of a folder belong to a tool.

use lillux::digest::Hasher;
use rye_item::FileRules;
use rye_metadata::metadata::VerifyDeps;

/// Which files below an anchor are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyRules {
    /// Whether those in its subfolders are.
    pub recursive: bool,
    /// Which extensions, without the dot, a manifest lists; none means all.
    pub extensions: Vec<String>,
    /// Which files it lists besides, by their whole names.
    pub names: Vec<String>,
    /// Names of folders that are not entered.
    pub exclude_dirs: Vec<String>,
}

impl DependencyRules {
    /// Whether a manifest lists a file of this name.
    #[must_use]
    pub fn lists(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let has = |extension: &String| {
            name.strip_suffix(extension.as_str()).is_some_and(|stem| stem.len() > 1 && stem.ends_with('.'))
        };
        self.extensions.is_empty() || self.extensions.iter().any(has) || self.names.iter().any(|n| n == name)
    }

    /// Which folders are entered.
    #[must_use]
    pub fn folders(&self) -> FileRules<'_> {
        FileRules { recursive: self.recursive, exclude_dirs: &self.exclude_dirs }
    }

    pub(crate) fn hash_folders(&self, hasher: &mut Hasher) {
        hasher.update(&[u8::from(self.recursive)]);
        for name in &self.exclude_dirs {
            hasher.update(&(name.len() as u64).to_le_bytes());
            hasher.update(name.as_bytes());
        }
    }
}

impl From<&VerifyDeps> for DependencyRules {
    fn from(rules: &VerifyDeps) -> Self {
        Self {
            recursive: rules.recursive,
            extensions: rules.extensions.clone(),
            names: rules.names.clone(),
            exclude_dirs: rules.exclude_dirs.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide_what_is_listed() {
        let rules = |extensions: &[&str]| DependencyRules {
            recursive: true,
            extensions: extensions.iter().map(|&extension| extension.to_owned()).collect(),
            names: vec!["Gemfile".to_owned()],
            exclude_dirs: Vec::new(),
        };
        for (path, expect) in [
            ("a.py", true),
            ("b/a.py", true),
            ("a.pyc", false),
            ("apy", false),
            (".py", false),
            ("py", false),
            ("b/Gemfile", true),
            ("Gemfile.old", false),
        ] {
            assert_eq!(rules(&["py", "d.ts"]).lists(path), expect, "{path}");
        }
        assert!(rules(&["d.ts"]).lists("x.d.ts"));
        assert!(rules(&[]).lists("anything"));
    }
}
