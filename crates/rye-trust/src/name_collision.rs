//! Names that another file system could take for one.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// Two paths of which a file system that ignores case or the spelling of accents would make one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{one}` and `{other}` are the same name where case does not count")]
pub struct NameCollision {
    /// One of them.
    pub one: String,
    /// The other.
    pub other: String,
}

impl NameCollision {
    /// Looks for a collision among the paths of files, in all of their folders.
    pub(crate) fn check<'p>(paths: impl IntoIterator<Item = &'p str>) -> Result<(), Self> {
        let mut known: HashMap<String, (&str, Role)> = HashMap::new();
        let mut last_folder = "";
        for path in paths {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let ends = folder.match_indices('/').map(|(end, _)| end).chain([folder.len()]);
            // Neighbours mostly share their folder.
            let ends = ends.filter(|&end| end > 0 && folder != last_folder);
            let folders = ends.map(|end| (&path[..end], Role::Folder));
            for (name, role) in folders.chain([(path, Role::File)]) {
                let found = *known.entry(folded(name)).or_insert((name, role));
                if found != (name, role) {
                    return Err(Self { one: found.0.to_owned(), other: name.to_owned() });
                }
            }
            last_folder = folder;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    File,
    Folder,
}

/// The same for names that some file system does not tell apart.
fn folded(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    // Some letters have more than one lower-case form, and only one upper-case form.
    name.nfd().collect::<String>().to_uppercase().to_lowercase().nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(paths: &[&str], expect: Option<(&str, &str)>) {
        let found = NameCollision::check(paths.iter().copied()).err();
        assert_eq!(found.as_ref().map(|found| (&*found.one, &*found.other)), expect, "{paths:?}");
    }

    #[test]
    fn names_that_differ_only_in_spelling_collide() {
        check(&["a", "b/a", "b/c", "c/b/a"], None);
        check(&["a.py", "A.py"], Some(("a.py", "A.py")));
        check(&["lib/a.py", "LIB/b.py"], Some(("lib", "LIB")));
        check(&["x/lib/a.py", "x/lib/b.py", "x/Lib/c.py"], Some(("x/lib", "x/Lib")));
        check(&["a", "a/b"], Some(("a", "a")));
        check(&["\u{e9}", "e\u{301}"], Some(("\u{e9}", "e\u{301}")));
        check(&["stra\u{df}e", "STRASSE"], Some(("stra\u{df}e", "STRASSE")));
        check(&["\u{17f}", "S"], Some(("\u{17f}", "S")));
    }
}
