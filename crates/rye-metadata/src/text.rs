//! Bytes from outside become text that a parser may read.

use std::borrow::Cow;

use crate::{ExtractErrorKind, Position};

/// The largest file whose metadata is read. Larger ones are data, not tools.
pub const MAX_FILE_BYTES: usize = 8 * 1024 * 1024;

/// Valid UTF-8 without NUL, without a byte order mark, with `\n` as its only line end.
///
/// Python, JavaScript and YAML all read `\r\n` inside a multi-line string as `\n`; doing it once here spares
/// every parser and every regular expression the difference.
#[derive(Debug)]
pub(crate) struct Text<'b>(Cow<'b, str>);

/// A place in a [`Text`], in the form in which its parser reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Spot {
    /// Nobody knows.
    #[default]
    Unknown,
    /// A byte offset.
    Offset(usize),
    /// A line and column.
    At(Position),
}

impl<'b> Text<'b> {
    /// Checks `bytes`.
    pub(crate) fn new(bytes: &'b [u8]) -> Result<Self, ExtractErrorKind> {
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ExtractErrorKind::TooLarge { size: bytes.len() });
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let text = str::from_utf8(bytes).map_err(|error| ExtractErrorKind::NotUtf8 {
            position: position_in(&bytes[..error.valid_up_to()]),
        })?;
        if let Some(offset) = text.find('\0') {
            return Err(ExtractErrorKind::Nul { position: position_in(&bytes[..offset]) });
        }
        Ok(Self(if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        }))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The line and column of `spot`.
    pub(crate) fn position(&self, spot: Spot) -> Option<Position> {
        match spot {
            Spot::Unknown => None,
            Spot::At(position) => Some(position),
            Spot::Offset(offset) => {
                let offset = self.0.floor_char_boundary(offset);
                Some(position_in(&self.0.as_bytes()[..offset]))
            }
        }
    }
}

/// The position right after `before`, which need not be valid UTF-8 as a whole.
fn position_in(before: &[u8]) -> Position {
    let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let newlines = before[..line_start].split(|&byte| byte == b'\n').count() - 1;
    // Continuation bytes do not start a character.
    let characters = before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    let number = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
    Position { line: number(newlines), column: number(characters) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], expect: &str) {
        let actual = match Text::new(bytes) {
            Ok(text) => format!("{:?}", text.as_str()),
            Err(error) => error.to_string(),
        };
        assert_eq!(actual, expect);
    }

    #[test]
    fn only_clean_text_passes() {
        check(b"a\n", r#""a\n""#);
        check(b"\xef\xbb\xbfa\r\nb\rc", r#""a\nb\nc""#);
        check(b"a\n\xc3\xa4 \xff", "invalid UTF-8 at 2:3");
        check(b"a\0", "NUL character at 1:2");
        check(&vec![b'a'; MAX_FILE_BYTES + 1], "8388609 bytes, more than the 8388608 that are read");
    }

    #[test]
    fn columns_count_characters() {
        let text = Text::new("äöü = 1\n x".as_bytes()).unwrap();
        let check = |offset, line, column| {
            assert_eq!(text.position(Spot::Offset(offset)), Some(Position { line, column }));
        };
        check(0, 1, 1);
        check(7, 1, 5);
        check(12, 2, 2);
        check(1_000, 2, 3);
    }
}
