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
        let line_length = end_of_line(rest).map_or(rest.len(), |end| end + 1);
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
        let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        let mut line = 0;
        while let Some(found) = find_name(&self.body[line..]) {
            let at = line + found;
            line += memchr::memrchr(b'\n', &self.body[line..at]).map_or(0, |end| end + 1);
            if self.body[line..at]
                .iter()
                .all(|byte| byte.is_ascii_whitespace() || byte.is_ascii_punctuation())
            {
                let before = lines(self.head) + usize::from(self.seal.is_some());
                return Some(before + lines(&self.body[..at]) + 1);
            }
            // What stands before this one stands before every other one in the same line, too.
            line = at + memchr::memchr(b'\n', &self.body[at..])? + 1;
        }
        None
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
    if find_name(line).is_none() {
        return Ok(None);
    }
    let start = comment.prefix.len() + 1;
    let seal = line.get(start..start + Seal::LENGTH).and_then(|text| str::from_utf8(text).ok());
    let seal: Seal = seal.and_then(|text| text.parse().ok()).ok_or(SignatureLineError::Malformed)?;
    let exact = [Line { seal: &seal, comment }.to_string().as_bytes(), line_end(head, after)].concat();
    if line == exact { Ok(Some(seal)) } else { Err(SignatureLineError::Malformed) }
}

/// The place of what makes a line look like a signature line. Before a long text is searched, the processor is asked what
/// it can do, and in a virtual machine the answer takes longer than to look at every place of a short one.
fn find_name(text: &[u8]) -> Option<usize> {
    const SHORT: usize = 8 * 1024;
    if text.len() < SHORT {
        return text.windows(NAME.len()).position(|window| window[0] == NAME[0] && window == NAME);
    }
    memmem::find(text, NAME)
}

/// Where a line ends, which is never far.
fn end_of_line(text: &[u8]) -> Option<usize> {
    text.iter().position(|byte| *byte == b'\n')
}

/// How many bytes stand before the signature line.
fn head_length(bytes: &[u8], comment: &SignatureComment) -> usize {
    if bytes.starts_with(BYTE_ORDER_MARK) {
        return BYTE_ORDER_MARK.len();
    }
    if comment.after_shebang && bytes.starts_with(SHEBANG) {
        return end_of_line(bytes).map_or(bytes.len(), |end| end + 1);
    }
    0
}

/// The signature line ends as the file's first line does.
fn line_end(head: &[u8], body: &[u8]) -> &'static [u8] {
    let first = if head.ends_with(b"\n") { head } else { body };
    let is_crlf = end_of_line(first).is_some_and(|end| first[..end].ends_with(b"\r"));
    if is_crlf { b"\r\n" } else { b"\n" }
}

#[cfg(test)]
mod tests {
    use super::SignatureLineError::{Malformed, Misplaced, Second};
    use super::*;
    use crate::Statement;
    use lillux::keys::SigningKey;
    use proptest::prelude::*;
    use rye_item::ItemKind;

    fn hash_mark() -> SignatureComment {
        SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true }
    }

    fn angle() -> SignatureComment {
        SignatureComment { prefix: "<!--".to_owned(), suffix: "-->".to_owned(), after_shebang: false }
    }

    fn seal(digest: Digest) -> Seal {
        let statement = Statement::Item { kind: ItemKind::Tool, path: "a.py" };
        Seal::new(
            &statement,
            digest,
            "2026-03-01T10:00:00Z".parse().unwrap(),
            &SigningKey::from_seed(&[1; 32]),
        )
    }

    fn signed(bytes: &[u8], comment: &SignatureComment) -> Vec<u8> {
        let text = SignedText::split(bytes, comment).unwrap();
        text.with_seal(&seal(text.digest()), comment)
    }

    /// Where the line goes and how it ends: `[line]` stands for all of it but its end.
    #[test]
    fn the_line_has_one_place() {
        let check = |bytes: &[u8], comment: &SignatureComment, expect: &[u8]| {
            let text = SignedText::split(bytes, comment).unwrap();
            let seal = seal(text.digest());
            let line = Line { seal: &seal, comment }.to_string();
            let signed = text.with_seal(&seal, comment);
            let shown = String::from_utf8_lossy(&signed).replace(&line, "[line]");
            assert_eq!(shown, String::from_utf8_lossy(expect));
            let again = SignedText::split(&signed, comment).unwrap();
            assert_eq!((again.seal(), again.digest()), (Some(&seal), Digest::of(bytes)));
            assert_eq!(again.with_seal(&seal, comment), signed);
        };
        check(b"", &hash_mark(), b"[line]\n");
        check(b"x", &hash_mark(), b"[line]\nx");
        check(b"x\ny\n", &hash_mark(), b"[line]\nx\ny\n");
        check(b"x\r\ny\r\n", &hash_mark(), b"[line]\r\nx\r\ny\r\n");
        check(b"#!/bin/sh\nx\n", &hash_mark(), b"#!/bin/sh\n[line]\nx\n");
        check(b"#!/bin/sh\r\nx\n", &hash_mark(), b"#!/bin/sh\r\n[line]\r\nx\n");
        check(b"\xef\xbb\xbfx\n", &hash_mark(), b"\xef\xbb\xbf[line]\nx\n");
        check(b"\xef\xbb\xbf", &hash_mark(), b"\xef\xbb\xbf[line]\n");
        check(b"\xef\xbb\xbf#!/bin/sh\n", &hash_mark(), b"\xef\xbb\xbf[line]\n#!/bin/sh\n");
        check(b"#!x\n", &angle(), b"[line]\n#!x\n");
        check(b"# Title\n", &angle(), b"[line]\n# Title\n");
        check(b"\n", &hash_mark(), b"[line]\n\n");
        check(b"\xff\x00\n", &hash_mark(), b"[line]\n\xff\x00\n");
    }

    #[test]
    fn a_shebang_without_an_end_gets_one() {
        let text = SignedText::split(b"#!/bin/sh", &hash_mark()).unwrap();
        assert_eq!(text.completed(), Some(b"#!/bin/sh\n".to_vec()));
        assert_eq!(SignedText::split(b"#!/bin/sh\n", &hash_mark()).unwrap().completed(), None);
        assert_eq!(SignedText::split(b"x", &hash_mark()).unwrap().completed(), None);
    }

    #[test]
    fn what_only_looks_like_a_signature_is_refused() {
        let good = String::from_utf8(signed(b"x\n", &hash_mark())).unwrap();
        let (line, rest) = good.split_once('\n').unwrap();
        let check = |text: String, expect| {
            assert_eq!(SignedText::split(text.as_bytes(), &hash_mark()).map(|_| ()), Err(expect), "{text:?}");
        };
        check(format!("{line}\r\n{rest}"), Malformed);
        check(line.to_owned(), Malformed);
        check(format!("{line} \n{rest}"), Malformed);
        check(format!(" {line}\n{rest}"), Malformed);
        check(format!("#{line}\n{rest}"), Malformed);
        check(format!("{}\n{rest}", line.replace("# ", "#")), Malformed);
        check(format!("{}\n{rest}", line.replace("v1", "v2")), Malformed);
        check("# rye:signed\n".to_owned(), Malformed);
        check(format!("{line}\n{line}\n{rest}"), Second { line: 2 });
        check(format!("{line}\nx = 1\n  // {}\n", &line[2..]), Second { line: 3 });
        check(format!("x\n{line}\n"), Second { line: 2 });
        check(format!("{line}\n#!/bin/sh\n{rest}"), Misplaced);
        check(format!("{line}\n\u{feff}{rest}"), Misplaced);
        check(format!("#!/bin/sh\n{line}\n{line}\n"), Second { line: 3 });
        check(format!("x\nsee rye:signed and rye:signed\n\n  {line}\n"), Second { line: 4 });
    }

    #[test]
    fn a_text_about_signatures_is_not_one() {
        for text in ["x = 'rye:signed:v1:'\n", "see rye:signed:v1:<time>\n"] {
            assert!(SignedText::split(format!("y\n{text}").as_bytes(), &hash_mark()).is_ok(), "{text}");
        }
    }

    /// Whoever looked back to the beginning of the line for each of the names would be here for minutes.
    #[test]
    fn a_line_full_of_names_is_read_once() {
        let bytes = [b"y\nx ".as_slice(), &NAME.repeat(2_000_000)].concat();
        assert!(SignedText::split(&bytes, &hash_mark()).is_ok());
    }

    /// Characters of every general category, put anywhere into the line, make it no signature line.
    #[test]
    fn no_other_character_can_be_in_the_line() {
        let good = signed(b"x = 1\n", &hash_mark());
        let end = memchr::memchr(b'\n', &good).unwrap();
        let classes = "A a \u{1c5} \u{2b0} \u{5d0} \u{300} \u{903} \u{20dd} 7 \u{2160} \u{b2} _ - ( ) \u{ab} \u{bb} ! + $ ^ \u{a6} \u{a0} \
                       \u{2028} \u{2029} \u{0} \u{1} \u{7f} \u{85} \u{ad} \u{200b} \u{200e} \u{200f} \u{202a} \u{202b} \u{202c} \u{202d} \
                       \u{202e} \u{2066} \u{2067} \u{2068} \u{2069} \u{feff} \u{e000} \u{fffe} \u{378} \u{e0001} \u{10ffff} \t \r \u{b} \u{c}";
        for character in classes.chars().chain((0..=0x10_ffff).step_by(997).filter_map(char::from_u32)) {
            let mut encoded = [0; 4];
            let inserted = character.encode_utf8(&mut encoded).as_bytes();
            for at in 0..=end {
                let bytes = [&good[..at], inserted, &good[at..]].concat();
                if let Ok(text) = SignedText::split(&bytes, &hash_mark()) {
                    // A byte order mark in front makes another content of it.
                    let fits = text.seal().is_some_and(|seal| seal.digest() == text.digest());
                    assert!(!fits, "{character:?} at {at}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn signing_changes_nothing_else(bytes: Vec<u8>, shebang: bool, mark: bool, angled: bool) {
            let comment = if angled { angle() } else { hash_mark() };
            let start: &[u8] = match (mark, shebang) {
                (true, _) => b"\xef\xbb\xbf",
                (_, true) => b"#!/bin/x\n",
                _ => b"",
            };
            let bytes = [start, &bytes].concat();
            prop_assume!(!bytes.starts_with(SHEBANG) || bytes.contains(&b'\n'));
            let signed = signed(&bytes, &comment);
            let text = SignedText::split(&signed, &comment).unwrap();
            prop_assert_eq!([text.head, text.body].concat(), bytes);
        }

        #[test]
        fn any_bytes_are_taken_apart(bytes: Vec<u8>) {
            let _ = SignedText::split(&bytes, &hash_mark());
        }
    }
}
