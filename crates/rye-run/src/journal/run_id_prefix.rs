//! The beginning of a run's name.

use std::fmt;
use std::str::FromStr;

use super::RunId;

/// The beginning of a run's name, or all of it.
///
/// ```
/// use rye_run::journal::RunIdPrefix;
///
/// assert_eq!("069FSRH2".parse::<RunIdPrefix>()?.as_str(), "069fsrh2");
/// assert!("not a run".parse::<RunIdPrefix>().is_err());
/// # Ok::<(), rye_run::journal::ParseRunIdPrefixError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunIdPrefix {
    text: String,
    first: RunId,
    last: RunId,
}

/// A text that no run's name begins with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` does not begin the id of a run: expected up to 26 digits and letters", text.escape_debug())]
pub struct ParseRunIdPrefixError {
    text: String,
}

impl RunIdPrefix {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The lowest and the highest name that begins so.
    pub(super) fn range(&self) -> (RunId, RunId) {
        (self.first, self.last)
    }
}

impl From<RunId> for RunIdPrefix {
    fn from(id: RunId) -> Self {
        Self { text: id.to_string(), first: id, last: id }
    }
}

impl FromStr for RunIdPrefix {
    type Err = ParseRunIdPrefixError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        let filled =
            |digit: &str| format!("{lower}{}", digit.repeat(RunId::LENGTH.saturating_sub(lower.len())));
        let read = || Some((filled("0").parse().ok()?, filled("z").parse().ok()?));
        let range = if lower.is_empty() { None } else { read() };
        let (first, last) = range.ok_or_else(|| ParseRunIdPrefixError { text: text.to_owned() })?;
        Ok(Self { text: lower, first, last })
    }
}

impl fmt::Display for RunIdPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use lillux::clock::SystemClock;

    use super::*;

    #[test]
    fn every_beginning_of_a_name_has_it_in_its_range() {
        let id = RunId::generate(&SystemClock);
        let text = id.to_string();
        for end in 1..=text.len() {
            let (first, last) = text[..end].parse::<RunIdPrefix>().unwrap().range();
            assert!(first <= id && id <= last, "{end}");
            assert_eq!(first == last, end == text.len());
        }
        assert_eq!(RunIdPrefix::from(id), text.to_uppercase().parse().unwrap());
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", " ", "8", "u", "0 0", "0-", "ü", "../", &"0".repeat(27)] {
            assert!(text.parse::<RunIdPrefix>().is_err(), "{text}");
        }
    }
}
