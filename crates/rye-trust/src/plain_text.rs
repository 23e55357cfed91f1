//! Names and reasons that people give, and that others get to see.

/// The most characters of one.
const LIMIT: usize = 200;

/// A name or a reason that cannot be shown in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlainTextError {
    /// There is nothing to show.
    #[error("it is empty")]
    Empty,
    /// It does not fit.
    #[error("it has more than {LIMIT} characters")]
    TooLong,
    /// It would disturb the line that it stands in.
    #[error("`{}` is not allowed in it", .0.escape_unicode())]
    Character(char),
}

/// Checks that a text can be shown in one line, as it is.
pub(crate) fn check_plain_text(text: &str) -> Result<(), PlainTextError> {
    if text.trim().is_empty() {
        return Err(PlainTextError::Empty);
    }
    if text.chars().count() > LIMIT {
        return Err(PlainTextError::TooLong);
    }
    let disturbs = |c: &char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().find(disturbs).map_or(Ok(()), |c| Err(PlainTextError::Character(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_disturbs_a_line_is_refused() {
        for text in ["ada", "Ada Lovelace <ada@example.org>", "李", &"x".repeat(200)] {
            assert_eq!(check_plain_text(text), Ok(()), "{text}");
        }
        for (text, error) in [
            ("", PlainTextError::Empty),
            (" \t", PlainTextError::Empty),
            (&"x".repeat(201), PlainTextError::TooLong),
            ("a\nb", PlainTextError::Character('\n')),
            ("a\u{1b}[31m", PlainTextError::Character('\u{1b}')),
            ("a\u{202e}b", PlainTextError::Character('\u{202e}')),
            ("a\u{200b}b", PlainTextError::Character('\u{200b}')),
        ] {
            assert_eq!(check_plain_text(text), Err(error), "{text}");
        }
    }
}
