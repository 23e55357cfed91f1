//! The line of a file that carries its signature.

use std::fmt;

use lillux::Digest;
use lillux::digest::Hasher;
use memchr::memmem;
use rye_metadata::SignatureComment;

use crate::Seal;

/// A file as its signature line and everything else.
///
/// The line is the first one, after a byte order mark if there is one, or follows the `#!` line where the language has
/// such. Its place and its end are given by the other bytes, so that a content has one signed form and no other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignedText<'a> {
    head: &'a [u8],
    seal: Option<Seal>,
    body: &'a [u8],
}

/// A signature line that is not as it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignatureLineError {
    /// It looks like a signature line and is none.
    #[error("the signature line has not the exact form of one")]
    Malformed,
    /// It is not where it belongs.
    #[error("the signature line is not at its place")]
    Misplaced,
    /// There is more than one.
    #[error("line {line} is another signature line")]
    Second {
        /// The number of the second one, counted from 1.
        line: usize,
    },
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const SHEBANG: &[u8] = b"#!";
/// What makes a line look like a signature line.
const NAME: &[u8] = b"rye:signed";

impl<'a> SignedText<'a> {
    /// Takes a file apart.
    ///
    /// # Errors
    /// If something in it looks like a signature line but is not exactly one at the right place.
    pub fn split(bytes: &'a [u8], comment: &SignatureComment) -> Result<Self, SignatureLineError> {
        let (head, rest) = bytes.split_at(head_length(bytes, comment));
        let line_length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        let (line, after) = rest.split_at(line_length);
        let (seal, body) = match read_line(line, head, after, comment)? {
            Some(seal) => (Some(seal), after),
            None => (None, rest),
        };
        let text = Self { head, seal, body };
        // Without its line, the file must say that the line belongs where it was.
        if seal.is_some() && head.is_empty() && head_length(body, comment) > 0 {
            return Err(SignatureLineError::Misplaced);
        }
        match text.second_line() {
            Some(line) => Err(SignatureLineError::Second { line }),
            None => Ok(text),
        }
    }

    /// The signature, if there is one.
    #[must_use]
    pub fn seal(&self) -> Option<&Seal> {
        self.seal.as_ref()
    }

    /// The digest of all bytes but the signature line.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        hasher.update(self.head);
        hasher.update(self.body);
        hasher.finish()
    }

    /// The same text, able to take a signature line: a `#!` line that is the whole file gets its end.
    #[must_use]
    pub fn completed(&self) -> Option<Vec<u8>> {
        let is_open = self.head.starts_with(SHEBANG) && !self.head.ends_with(b"\n");
        is_open.then(|| [self.head, b"\n"].concat())
    }

    /// The file with this signature instead of the one that it has.
    #[must_use]
    pub fn with_seal(&self, seal: &Seal, comment: &SignatureComment) -> Vec<u8> {
        let line = Line { seal, comment }.to_string();
        [self.head, line.as_bytes(), line_end(self.head, self.body), self.body].concat()
    }

    /// The number of a line in the body that looks like a signature line.
    fn second_line(&self) -> Option<usize> {
        let found = memmem::find_iter(self.body, NAME).find(|&at| {
            let start = memchr::memrchr(b'\n', &self.body[..at]).map_or(0, |end| end + 1);
            self.body[start..at].iter().all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_punctuation())
        })?;
        let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        Some(lines(self.head) + usize::from(self.seal.is_some()) + lines(&self.body[..found]) + 1)
    }
}

/// A signature line without its end.
struct Line<'a> {
    seal: &'a Seal,
    comment: &'a SignatureComment,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.comment.prefix, self.seal)?;
        match self.comment.suffix.as_str() {
            "" => Ok(()),
            suffix => write!(f, " {suffix}"),
        }
    }
}

/// Reads the line at the place of the signature line.
fn read_line(
    line: &[u8],
    head: &[u8],
    after: &[u8],
    comment: &SignatureComment,
) -> Result<Option<Seal>, SignatureLineError> {
    if memmem::find(line, NAME).is_none() {
        return Ok(None);
    }
    let start = comment.prefix.len() + 1;
    let seal = line.get(start..start + Seal::LENGTH).and_then(|text| str::from_utf8(text).ok());
    let seal: Seal = seal.and_then(|text| text.parse().ok()).ok_or(SignatureLineError::Malformed)?;
    let exact = [Line { seal: &seal, comment }.to_string().as_bytes(), line_end(head, after)].concat();
    if line == exact { Ok(Some(seal)) } else { Err(SignatureLineError::Malformed) }
}

/// How many bytes stand before the signature line.
fn head_length(bytes: &[u8], comment: &SignatureComment) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return BYTE_ORDER_MARK.len();
    }
    if comment.after_shebang && bytes.starts_with(SHEBANG) {
        return memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
    }
    0
}

/// The signature line ends as the file's first line does.
fn line_end(head: &[u8], body: &[u8]) -> &'static [u8] {
    let first = if head.ends_with(b"\n") { head } else { body };
    let is_crlf = memchr::memchr(b'\n', first).is_some_and(|end| first[..end].ends_with(b"\r"));
    if is_crlf { b"\r\n" } else { b"\n" }
}
