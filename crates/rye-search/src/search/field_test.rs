//! Whether a document has a value in a field.

use rye_item::{ItemKind, Space};

use super::collection::Part;
use crate::index::U32s;
use crate::query::{Field, Note, Pattern, glob_matches};
use crate::text::{Letters, edit_distance, fold, key_of};

/// What a field has to be, with the value in the form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldTest {
    Kinds(Vec<ItemKind>),
    Spaces(Vec<Space>),
    /// Whole parts of a path that follow each other.
    Category(String),
    /// The first parts of a path.
    CategoryBelow(String),
    Executor(String),
    Id(String),
    Version(String),
    Tag(String),
    /// Words of the name that follow each other.
    Name(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    NotYet,
    Yes,
    No,
}

impl FieldTest {
    pub(super) fn new(field: Field, value: &Pattern, notes: &mut Vec<Note>) -> Self {
        let text = fold(value.as_str());
        let path = || text.trim_matches('/').to_owned();
        match field {
            Field::Kind => {
                let spellings = ItemKind::ALL.map(|kind| (kind, [kind.name(), kind.folder()]));
                Self::Kinds(named(field, &text, &spellings, notes))
            }
            Field::Space => {
                let spellings = Space::ALL.map(|space| (space, [space.name(), space.name()]));
                Self::Spaces(named(field, &text, &spellings, notes))
            }
            Field::Category => Self::Category(path()),
            Field::Executor => Self::Executor(path()),
            Field::Id => Self::Id(path()),
            Field::Version => Self::Version(text.trim_start_matches('v').to_owned()),
            Field::Tag => Self::Tag(text.into_owned()),
            Field::Name => Self::Name(name_glob(value.as_str())),
        }
    }

    /// The candidates that pass, or all documents that do if there are none.
    pub(super) fn documents_among(&self, part: &Part<'_>, candidates: Option<&[u32]>) -> Vec<u32> {
        match candidates {
            Some(candidates) => self.filter(part, candidates.iter().copied()),
            None => self.filter(part, 0..part.len()),
        }
    }

    fn filter(&self, part: &Part<'_>, candidates: impl Iterator<Item = u32>) -> Vec<u32> {
        let documents = &part.view.documents;
        let place = |document: u32| documents.place(document as usize);
        match self {
            Self::Kinds(kinds) => {
                candidates.filter(|&document| kinds.contains(&place(document).kind())).collect()
            }
            Self::Spaces(spaces) => {
                candidates.filter(|&document| spaces.contains(&place(document).space())).collect()
            }
            Self::Category(path) => {
                by_value(part, documents.categories, candidates, |text| has_path(text, path))
            }
            Self::CategoryBelow(path) => {
                by_value(part, documents.categories, candidates, |text| begins(&fold(text), path))
            }
            Self::Executor(path) => {
                by_value(part, documents.executors, candidates, |text| has_path(text, path))
            }
            Self::Version(version) => {
                by_value(part, documents.versions, candidates, |text| has_version(text, version))
            }
            Self::Name(words) => by_value(part, documents.name_keys, candidates, |key| has_words(key, words)),
            Self::Id(path) => {
                let id = |document: u32| documents.ids.text(document as usize);
                candidates.filter(|&document| has_path(id(document), path)).collect()
            }
            Self::Tag(tag) => {
                let mut known = Memory::new(part);
                let mut has_tag = |value: u32| known.is(value, |text| glob_matches(tag, &fold(text)));
                let tags = |document: u32| documents.tags(document as usize).iter();
                candidates.filter(|&document| tags(document).any(&mut has_tag)).collect()
            }
        }
    }
}

/// What is known of values, so that each is looked at once.
struct Memory<'p, 'a> {
    part: &'p Part<'a>,
    known: Vec<Known>,
}

impl<'p, 'a> Memory<'p, 'a> {
    fn new(part: &'p Part<'a>) -> Self {
        Self { part, known: vec![Known::NotYet; part.view.values.len()] }
    }

    fn is(&mut self, value: u32, test: impl Fn(&str) -> bool) -> bool {
        let Some(known) = self.known.get_mut(value as usize) else {
            return false;
        };
        if *known == Known::NotYet {
            *known = if test(self.part.view.value(value)) { Known::Yes } else { Known::No };
        }
        *known == Known::Yes
    }
}

fn by_value(
    part: &Part<'_>,
    column: U32s<'_>,
    candidates: impl Iterator<Item = u32>,
    test: impl Fn(&str) -> bool,
) -> Vec<u32> {
    let mut known = Memory::new(part);
    candidates.filter(|&document| known.is(column.get(document as usize), &test)).collect()
}

/// Whether whole parts of `path` that follow each other are what `glob` describes.
pub(super) fn has_path(path: &str, glob: &str) -> bool {
    let path = fold(path);
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    starts.into_iter().any(|start| {
        let rest = &path[start..];
        if glob.contains('*') {
            return glob_matches(glob, rest);
        }
        begins(rest, glob)
    })
}

/// Whether `path` is `start` or below it.
fn begins(path: &str, start: &str) -> bool {
    !path.is_empty()
        && path.strip_prefix(start).is_some_and(|after| after.is_empty() || after.starts_with('/'))
}

/// Whether a version is, or begins with, what `glob` describes.
pub(super) fn has_version(version: &str, glob: &str) -> bool {
    let version = fold(version);
    let version = version.trim_start_matches('v');
    if glob.contains('*') {
        return glob_matches(glob, version);
    }
    let is_end = |after: &str| after.is_empty() || after.starts_with(['.', '-', '+']);
    !version.is_empty() && version.strip_prefix(glob).is_some_and(is_end)
}

/// Whether words of `key` that follow each other are what `glob` describes.
pub(super) fn has_words(key: &str, glob: &str) -> bool {
    let starts = std::iter::once(0).chain(key.match_indices(' ').map(|(at, _)| at + 1));
    starts.into_iter().any(|start| {
        let rest = &key[start..];
        if glob.contains('*') {
            return glob_matches(glob, rest);
        }
        !rest.is_empty()
            && rest.strip_prefix(glob).is_some_and(|after| after.is_empty() || after.starts_with(' '))
    })
}

/// The words of a name with their stars.
fn name_glob(value: &str) -> String {
    value.split('*').map(key_of).collect::<Vec<_>>().join("*")
}

/// Those of a few things that a value names.
fn named<T: Copy + PartialEq>(
    field: Field,
    value: &str,
    spellings: &[(T, [&'static str; 2])],
    notes: &mut Vec<Note>,
) -> Vec<T> {
    let matching = spellings.iter().filter(|(_, names)| names.iter().any(|name| glob_matches(value, name)));
    let found: Vec<T> = matching.map(|&(thing, _)| thing).collect();
    if !found.is_empty() {
        return found;
    }
    let nearest = Letters::of(value).and_then(|asked| {
        let distances = spellings.iter().filter_map(|&(thing, names)| {
            let distances = names.iter().filter_map(|name| edit_distance(&asked, &Letters::of(name)?, 2));
            Some((distances.min()?, thing, names[0]))
        });
        distances.min_by_key(|&(distance, _, _)| distance)
    });
    let taken = nearest.map(|(_, _, name)| name);
    let note = Note::UnknownValue { field, value: value.to_owned(), taken };
    if !notes.contains(&note) {
        notes.push(note);
    }
    nearest.into_iter().map(|(_, thing, _)| thing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_by_whole_parts() {
        for (path, glob, expect) in [
            ("rye/core/runtimes", "rye/core", true),
            ("rye/core/runtimes", "core", true),
            ("rye/core/runtimes", "core/runtimes", true),
            ("rye/core/runtimes", "rye/co", false),
            ("rye/core/runtimes", "rye/co*", true),
            ("rye/core/runtimes", "run*", true),
            ("Rye/Core", "rye/core", true),
            ("", "", false),
            ("rye", "rye/core", false),
        ] {
            assert_eq!(has_path(path, glob), expect, "{path} {glob}");
        }
    }

    #[test]
    fn versions_match_from_the_left() {
        for (version, glob, expect) in [
            ("1.2.3", "1.2", true),
            ("1.20.3", "1.2", false),
            ("v2.0.0", "2", true),
            ("1.2.3", "1.*", true),
            ("", "1", false),
        ] {
            assert_eq!(has_version(version, glob), expect, "{version} {glob}");
        }
    }

    #[test]
    fn names_match_by_words() {
        for (name, value, expect) in [
            ("read_file", "read", true),
            ("ReadFile", "read_file", true),
            ("read_file", "file", true),
            ("read_file", "fil", false),
            ("read_file", "fil*", true),
            ("read_file", "*file", true),
            ("read_file", "readf*", false),
        ] {
            assert_eq!(has_words(&key_of(name), &name_glob(value)), expect, "{name} {value}");
        }
    }

    #[test]
    fn kinds_are_guessed_with_a_note() {
        let kinds = |value: &str| {
            let mut notes = Vec::new();
            let spellings = ItemKind::ALL.map(|kind| (kind, [kind.name(), kind.folder()]));
            let found = named(Field::Kind, value, &spellings, &mut notes);
            (found, notes.iter().map(ToString::to_string).collect::<Vec<_>>())
        };
        assert_eq!(kinds("tools"), (vec![ItemKind::Tool], vec![]));
        assert_eq!(kinds("*e*"), (vec![ItemKind::Directive, ItemKind::Knowledge], vec![]));
        let note = "there is no kind `tol`: `tool` was taken".to_owned();
        assert_eq!(kinds("tol"), (vec![ItemKind::Tool], vec![note]));
        assert_eq!(kinds("banana"), (vec![], vec!["there is no kind `banana`".to_owned()]));
    }
}
