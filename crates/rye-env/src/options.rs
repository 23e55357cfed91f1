//! The options of an interpreter's declaration, checked.

use std::path::{Component, Path};

use rye_metadata::metadata::Interpreter;
use serde_json::Value;

use crate::error::{OptionError, OptionErrorKind};

/// The options of one declaration, all of which its type knows.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    interpreter: &'a Interpreter,
}

impl<'a> Options<'a> {
    /// Refuses options that the type does not know.
    pub(crate) fn new(
        interpreter: &'a Interpreter,
        known: &'static [&'static str],
    ) -> Result<Self, OptionError> {
        let options = Self { interpreter };
        match interpreter.options.keys().find(|key| !known.contains(&key.as_str())) {
            Some(key) => {
                Err(options.error(key, OptionErrorKind::Unknown { similar: nearest(key, known), known }))
            }
            None => Ok(options),
        }
    }

    /// A text that is not empty.
    pub(crate) fn text(&self, option: &str) -> Result<Option<&'a str>, OptionError> {
        match self.interpreter.options.get(option) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(text)),
            Some(Value::Number(_)) => Err(self.wrong_type(option, "a text; put the number in quotes")),
            Some(_) => Err(self.wrong_type(option, "a text that is not empty")),
        }
    }

    /// A text that can be the name of a file or folder.
    pub(crate) fn name(&self, option: &str) -> Result<Option<&'a str>, OptionError> {
        let Some(value) = self.text(option)? else { return Ok(None) };
        self.check_name(option, value).map(Some)
    }

    /// One of the known texts.
    pub(crate) fn choice(
        &self,
        option: &str,
        known: &'static [&'static str],
    ) -> Result<Option<&'a str>, OptionError> {
        let Some(value) = self.text(option)? else { return Ok(None) };
        self.check_choice(option, value, known).map(Some)
    }

    /// A list of texts that are not empty. One text alone is a list too.
    pub(crate) fn texts(&self, option: &str) -> Result<Option<Vec<&'a str>>, OptionError> {
        let wrong = || self.wrong_type(option, "a list of texts that are not empty");
        match self.interpreter.options.get(option) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.is_empty() => Ok(Some(vec![text])),
            Some(Value::Array(values)) => {
                let texts = values.iter().map(|value| value.as_str().filter(|text| !text.is_empty()));
                texts.collect::<Option<Vec<_>>>().map(Some).ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    /// A list of names of files or folders.
    pub(crate) fn names(&self, option: &str) -> Result<Option<Vec<&'a str>>, OptionError> {
        let Some(values) = self.texts(option)? else { return Ok(None) };
        values.into_iter().map(|value| self.check_name(option, value)).collect::<Result<_, _>>().map(Some)
    }

    /// A list of known texts.
    pub(crate) fn choices(
        &self,
        option: &str,
        known: &'static [&'static str],
    ) -> Result<Option<Vec<&'a str>>, OptionError> {
        let Some(values) = self.texts(option)? else { return Ok(None) };
        let checked = values.into_iter().map(|value| self.check_choice(option, value, known));
        checked.collect::<Result<_, _>>().map(Some)
    }

    /// What is used if nothing is found.
    pub(crate) fn fallback(&self) -> Option<&'a str> {
        self.interpreter.fallback.as_deref()
    }

    /// The value, or an error that says that it is missing.
    pub(crate) fn required<T>(&self, option: &str, value: Option<T>) -> Result<T, OptionError> {
        value.ok_or_else(|| self.error(option, OptionErrorKind::Missing))
    }

    fn check_name(&self, option: &str, value: &'a str) -> Result<&'a str, OptionError> {
        if is_plain_name(value) {
            Ok(value)
        } else {
            Err(self.error(option, OptionErrorKind::NotAName { value: value.to_owned() }))
        }
    }

    fn check_choice(
        &self,
        option: &str,
        value: &'a str,
        known: &'static [&'static str],
    ) -> Result<&'a str, OptionError> {
        if known.contains(&value) {
            return Ok(value);
        }
        let similar = nearest(value, known);
        Err(self.error(option, OptionErrorKind::NotOneOf { value: value.to_owned(), similar, known }))
    }

    fn wrong_type(&self, option: &str, expected: &'static str) -> OptionError {
        self.error(option, OptionErrorKind::WrongType { expected })
    }

    pub(crate) fn error(&self, option: &str, kind: OptionErrorKind) -> OptionError {
        OptionError { resolver: self.interpreter.resolver.clone(), option: option.to_owned(), kind }
    }
}

/// Whether a text is the name of a file or folder, and nothing that leads elsewhere.
pub(crate) fn is_plain_name(text: &str) -> bool {
    let mut components = Path::new(text).components();
    let is_one = matches!(components.next(), Some(Component::Normal(_))) && components.next().is_none();
    is_one && !text.contains(['/', '\\', '\0'])
}

/// The known text that is most like `text`, if one is like it at all.
pub(crate) fn nearest(text: &str, known: &[&'static str]) -> Option<&'static str> {
    // A long text must not make the comparison expensive.
    if text.len() > 100 {
        return None;
    }
    let likeness = |candidate: &&'static str| strsim::jaro_winkler(text, candidate);
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) >= 0.75).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_names() {
        let check = |text: &str, expect| assert_eq!(is_plain_name(text), expect, "{text:?}");
        check("tool3.11", true);
        check("..x", true);
        check("", false);
        check(".", false);
        check("..", false);
        check("a/b", false);
        check("a/", false);
        check("/a", false);
        check("a\\b", false);
        check("a\0", false);
    }

    #[test]
    fn misspellings_find_their_name() {
        let check = |text: &str, expect| assert_eq!(nearest(text, &["binary", "search_paths"]), expect);
        check("binaries", Some("binary"));
        check("search_path", Some("search_paths"));
        check("zzz", None);
    }
}
