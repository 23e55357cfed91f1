//! What an index keeps of each item beside its words.

use rye_item::FileFacts;
use serde::{Deserialize, Serialize};

use crate::item::Claim;

/// What is remembered of an item, so that its file is read again only if it may have changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// What the file was like when it was read; nothing for what is inside the program.
    pub(crate) facts: Option<Facts>,
    pub(crate) summary: Summary,
}

/// The facts of a file, and whether they can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    pub(crate) file: FileFacts,
    /// Whether the file had been left alone for long enough that a later change shows in its times. A file that
    /// was just written may be written again within the same tick of the file system's clock.
    pub(crate) settled: bool,
}

/// What a result shows without reading the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub(crate) extension: String,
    pub(crate) description: Option<String>,
    pub(crate) signer: Claim,
    /// The first error in the item's metadata.
    pub(crate) problem: Option<String>,
}

impl Record {
    const FACTS: usize = 57;

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::FACTS + 64);
        match &self.facts {
            None => bytes.resize(Self::FACTS, 0),
            Some(facts) => {
                bytes.push(if facts.settled { 2 } else { 1 });
                bytes.extend(facts.file.size.to_le_bytes());
                bytes.extend(facts.file.modified.to_le_bytes());
                bytes.extend(facts.file.changed.to_le_bytes());
                bytes.extend(facts.file.inode.to_le_bytes());
                bytes.extend(facts.file.links.to_le_bytes());
            }
        }
        // A summary is plain data, which always has a JSON form.
        bytes.extend(serde_json::to_vec(&self.summary).unwrap_or_default());
        bytes
    }

    /// The facts alone, which is all that a refresh needs.
    pub(crate) fn facts(bytes: &[u8]) -> Option<Facts> {
        let settled = match bytes.first()? {
            1 => false,
            2 => true,
            _ => return None,
        };
        let size = u64::from_le_bytes(bytes.get(1..9)?.try_into().ok()?);
        let modified = i128::from_le_bytes(bytes.get(9..25)?.try_into().ok()?);
        let changed = i128::from_le_bytes(bytes.get(25..41)?.try_into().ok()?);
        let inode = u64::from_le_bytes(bytes.get(41..49)?.try_into().ok()?);
        let links = u64::from_le_bytes(bytes.get(49..57)?.try_into().ok()?);
        Some(Facts { file: FileFacts { size, modified, changed, inode, links }, settled })
    }

    /// The summary alone, which is all that a result needs.
    pub(crate) fn summary(bytes: &[u8]) -> Option<Summary> {
        serde_json::from_slice(bytes.get(Self::FACTS..)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip() {
        let file = FileFacts { size: 7, modified: -5, changed: i128::MAX, inode: u64::MAX, links: 2 };
        let summary = Summary {
            extension: "py".into(),
            description: Some("ü".into()),
            signer: Claim::Key("ab".into()),
            problem: None,
        };
        for facts in [None, Some(Facts { file, settled: true }), Some(Facts { file, settled: false })] {
            let record = Record { facts, summary: summary.clone() };
            let bytes = record.encode();
            assert_eq!(Record::facts(&bytes), facts);
            assert_eq!(Record::summary(&bytes), Some(summary.clone()));
        }
        assert_eq!((Record::facts(b""), Record::summary(b"")), (None, None));
    }
}
