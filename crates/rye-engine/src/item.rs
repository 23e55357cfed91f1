//! An item that has been read: its bytes, what they say, and what is wrong with them.

use std::path::PathBuf;
use std::sync::Arc;

use lillux::Digest;
use rye_item::{ItemRef, ReadItem, Space};
use rye_metadata::{
    ExtractError, ExtractErrorKind, Extraction, Extractor, ItemPath, Metadata, Position, Problem, Severity,
};
use rye_plan::Element;
use rye_trust::{Verified, VerifyError};

use crate::EngineError;

/// An item with everything that can be known of it without running anything.
#[derive(Debug)]
pub struct Item {
    /// The file as it was read.
    pub file: ReadItem,
    /// Where it is on the disk.
    pub path: PathBuf,
    /// What it says about itself; empty if that cannot be read.
    pub metadata: Arc<Metadata>,
    /// What is wrong with what it says.
    pub problems: Vec<Problem>,
    /// Who answers for it, or why nobody does.
    pub trust: Result<Verified, Arc<VerifyError>>,
}

/// Who has signed an item, as far as the file itself tells.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "key")]
pub enum Claim {
    /// It is part of the program.
    #[serde(rename = "program")]
    Program,
    /// It carries a signature line of this key. Whether that is true has not been checked.
    #[serde(rename = "claimed")]
    Key(String),
    /// It carries no signature line.
    Nobody,
}

impl Item {
    /// Its name.
    #[must_use]
    pub fn item(&self) -> &ItemRef {
        self.file.item()
    }

    /// Its space.
    #[must_use]
    pub fn space(&self) -> Space {
        self.file.space()
    }

    /// An error that says that it has no such part.
    #[must_use]
    pub fn no_such_part(&self, part: &'static str) -> EngineError {
        EngineError::NoSuchPart { kind: self.item().kind, id: self.item().id.clone(), part }
    }

    /// The digest of its file.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.file.bytes().digest()
    }
}

impl From<Element> for Item {
    fn from(element: Element) -> Self {
        let Element { file, metadata, problems, trust, .. } = element;
        Self { path: file.path().to_owned(), file, metadata, problems, trust }
    }
}

/// What a file says about itself, and what is wrong with that.
pub(crate) fn describe(path: &str, bytes: &[u8], extractor: Option<&Extractor>) -> (Metadata, Vec<Problem>) {
    let Some(extractor) = extractor else { return (Metadata::default(), Vec::new()) };
    match extractor.extract(ItemPath::new(path), bytes) {
        Ok(Extraction { metadata, problems, .. }) => (metadata, problems),
        Err(error) => (Metadata::default(), vec![as_problem(&error)]),
    }
}

/// A file that cannot be read at all has one problem.
fn as_problem(error: &ExtractError) -> Problem {
    Problem {
        severity: Severity::Error,
        field: "file".to_owned(),
        message: format!("cannot be read: {}", error.kind),
        position: position(&error.kind),
    }
}

fn position(kind: &ExtractErrorKind) -> Option<Position> {
    match kind {
        ExtractErrorKind::NotUtf8 { position } | ExtractErrorKind::Nul { position } => Some(*position),
        _ => None,
    }
}

impl Claim {
    const MARK: &'static [u8] = b"rye:signed:v1:";

    /// Looks for a signature line where there may be one: first, or right after a shebang.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let mut lines = bytes.split(|&byte| byte == b'\n').take(2);
        let line = match lines.next() {
            Some(first) if first.starts_with(b"#!") => lines.next(),
            first => first,
        };
        let Some(line) = line else { return Self::Nobody };
        let Some(start) = line.windows(Self::MARK.len()).position(|part| part == Self::MARK) else {
            return Self::Nobody;
        };
        let fields = &line[start..];
        let key = fields.rsplit(|&byte| byte == b':').next().unwrap_or_default();
        let key: String =
            key.iter().take_while(|byte| byte.is_ascii_hexdigit()).map(|&byte| char::from(byte)).collect();
        Self::Key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_stands_in_the_first_line_or_after_the_shebang() {
        let check = |text: &str, expect| assert_eq!(Claim::of(text.as_bytes()), expect, "{text}");
        let claimed = || Claim::Key("abc123".into());
        check("# rye:signed:v1:2026-01-01T00:00:00Z:aa:bb:abc123\nx", claimed());
        check("#!/bin/sh\n# rye:signed:v1:t:aa:bb:abc123", claimed());
        check("<!-- rye:signed:v1:t:aa:bb:abc123 -->\n", claimed());
        check("\n# rye:signed:v1:t:aa:bb:abc123", Claim::Nobody);
        check("", Claim::Nobody);
    }
}
