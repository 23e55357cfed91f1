//! An item that has been read: its bytes, what they say, and what is wrong with them.

use std::path::PathBuf;

use lillux::Digest;
use rye_item::{ItemBytes, ItemRef, Located, ReadError, Space};
use rye_metadata::{
    ExtractError, ExtractErrorKind, Extraction, ItemPath, Metadata, Position, Problem, Severity,
};

use crate::EngineError;
use crate::extractors::ExtractorSet;

/// An item with everything that can be known of it without running anything.
#[derive(Debug)]
pub struct Item {
    /// Its name.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// Its file.
    pub path: PathBuf,
    /// The file's extension.
    pub extension: String,
    /// Its content.
    pub bytes: ItemBytes,
    /// What it says about itself; empty if that cannot be read.
    pub metadata: Metadata,
    /// What is wrong with what it says.
    pub problems: Vec<Problem>,
    /// Who has signed it.
    pub signer: Signer,
}

/// Who has signed an item, as far as the file itself tells.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case", tag = "state", content = "key")]
pub enum Signer {
    /// It is part of the program.
    Bundle,
    /// It carries a signature line of this key. Whether that is true has not been checked.
    Claimed(String),
    /// It carries no signature line.
    Nobody,
}

impl Item {
    pub(crate) fn read(located: Located, extractors: &ExtractorSet) -> Result<Self, ReadError> {
        let Located { item, space, extension, file } = located;
        let path = file.path().to_owned();
        let embedded = file.is_embedded();
        let bytes = file.read()?;
        let (metadata, problems) = describe(&item, space, &extension, bytes.as_slice(), extractors);
        let signer = if embedded { Signer::Bundle } else { Signer::claimed(bytes.as_slice()) };
        Ok(Self { item, space, path, extension, bytes, metadata, problems, signer })
    }

    /// An error that says that it has no such part.
    #[must_use]
    pub fn no_such_part(&self, part: &'static str) -> EngineError {
        EngineError::NoSuchPart { kind: self.item.kind, id: self.item.id.clone(), part }
    }

    /// The digest of its content.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.bytes.digest()
    }
}

/// What a file says about itself, and what is wrong with that.
pub(crate) fn describe(
    item: &ItemRef,
    space: Space,
    extension: &str,
    bytes: &[u8],
    extractors: &ExtractorSet,
) -> (Metadata, Vec<Problem>) {
    let path = format!("{}.{extension}", item.id);
    let Some(extractor) = extractors.get(space, extension) else { return (Metadata::default(), Vec::new()) };
    match extractor.extract(ItemPath::new(&path), bytes) {
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

impl Signer {
    const MARK: &'static [u8] = b"rye:signed:v1:";

    /// Looks for a signature line where there may be one: first, or right after a shebang.
    pub(crate) fn claimed(bytes: &[u8]) -> Self {
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
        Self::Claimed(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_stands_in_the_first_line_or_after_the_shebang() {
        let check = |text: &str, expect| assert_eq!(Signer::claimed(text.as_bytes()), expect, "{text}");
        let claimed = || Signer::Claimed("abc123".into());
        check("# rye:signed:v1:2026-01-01T00:00:00Z:aa:bb:abc123\nx", claimed());
        check("#!/bin/sh\n# rye:signed:v1:t:aa:bb:abc123", claimed());
        check("<!-- rye:signed:v1:t:aa:bb:abc123 -->\n", claimed());
        check("\n# rye:signed:v1:t:aa:bb:abc123", Signer::Nobody);
        check("", Signer::Nobody);
    }
}
