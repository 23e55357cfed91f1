//! What is known about one file.

use lillux::Digest;
use rye_item::FileFacts;

use super::contents::FileContent;
use crate::LeftOutReason;

/// What a survey has found out about a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record<'p> {
    pub(super) path: std::borrow::Cow<'p, str>,
    pub(super) verdict: Verdict,
    pub(super) executable: bool,
    /// What the file was like when it was read.
    pub(super) facts: Option<FileFacts>,
    /// Whether a change since then must have changed the facts.
    pub(super) settled: bool,
}

/// What was decided about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The manifest lists it with this digest.
    Listed(Digest),
    /// It carries a valid signature of its own, or is part of the program.
    Signed(Digest),
    /// The manifest does not list it, and it carries no valid signature.
    Unsigned(Digest),
    /// The manifest lists it with another digest.
    Changed(Digest),
    /// The manifest does not list it, and it cannot carry a signature.
    NotRead,
    /// It is not a file that can be used.
    LeftOut(LeftOutReason),
    /// It is a folder that was listed. The records of what is in it follow.
    Folder,
}

impl Record<'_> {
    /// What it is in a snapshot; nothing if it may not be in one.
    pub(super) fn content(&self) -> Option<FileContent> {
        match self.verdict {
            Verdict::Listed(digest) | Verdict::Signed(digest) => {
                Some(FileContent { digest, executable: self.executable })
            }
            _ => None,
        }
    }

    /// Why it is not in a snapshot.
    pub(super) fn left_out(&self) -> Option<LeftOutReason> {
        match self.verdict {
            Verdict::Listed(_) | Verdict::Signed(_) | Verdict::Folder => None,
            Verdict::Unsigned(_) | Verdict::Changed(_) | Verdict::NotRead => Some(LeftOutReason::NotVerified),
            Verdict::LeftOut(reason) => Some(reason),
        }
    }

    /// Whether the file is still what it was, if these are its facts now.
    pub(super) fn is_same(&self, facts: Option<FileFacts>) -> bool {
        self.settled && facts.is_some() && self.facts == facts
    }
}

const FIXED: usize = 2 + 2 + FACTS + 32;
pub(super) const FACTS: usize = 56;

/// Reasons that may be gone the next time have no code.
const REASONS: [(u8, LeftOutReason); 6] = [
    (16, LeftOutReason::Link),
    (17, LeftOutReason::Special),
    (18, LeftOutReason::NotUnicode),
    (19, LeftOutReason::ControlCharacters),
    (20, LeftOutReason::Excluded),
    (21, LeftOutReason::TooDeep),
];
const PASSING: u8 = 22;

impl<'b> Record<'b> {
    pub(super) fn encode(&self, bytes: &mut Vec<u8>) {
        let (code, digest) = match self.verdict {
            Verdict::Listed(digest) => (1, digest),
            Verdict::Signed(digest) => (2, digest),
            Verdict::Unsigned(digest) => (3, digest),
            Verdict::Changed(digest) => (4, digest),
            Verdict::NotRead => (5, Digest::from([0; 32])),
            Verdict::Folder => (6, Digest::from([0; 32])),
            Verdict::LeftOut(reason) => {
                let known = REASONS.iter().find(|(_, known)| *known == reason);
                (known.map_or(PASSING, |(code, _)| *code), Digest::from([0; 32]))
            }
        };
        let flags =
            u8::from(self.executable) | u8::from(self.settled) << 1 | u8::from(self.facts.is_some()) << 2;
        bytes.extend([code, flags]);
        // Paths are much shorter than that.
        bytes.extend(u16::try_from(self.path.len()).unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend(encode_facts(self.facts));
        bytes.extend(digest.as_bytes());
        bytes.extend(self.path.as_bytes());
    }

    /// Reads the record at the beginning of `bytes`, and takes it off.
    pub(super) fn decode(bytes: &mut &'b [u8]) -> Option<Self> {
        let (fixed, rest) = bytes.split_at_checked(FIXED)?;
        let length = u16::from_le_bytes(fixed[2..4].try_into().ok()?);
        let (path, rest) = rest.split_at_checked(length.into())?;
        let digest: [u8; 32] = fixed[4 + FACTS..].try_into().ok()?;
        let digest = Digest::from(digest);
        let (code, flags) = (fixed[0], fixed[1]);
        let verdict = match code {
            1 => Verdict::Listed(digest),
            2 => Verdict::Signed(digest),
            3 => Verdict::Unsigned(digest),
            4 => Verdict::Changed(digest),
            5 => Verdict::NotRead,
            6 => Verdict::Folder,
            PASSING => Verdict::LeftOut(LeftOutReason::Missing),
            code => Verdict::LeftOut(REASONS.iter().find(|(known, _)| *known == code)?.1),
        };
        *bytes = rest;
        Some(Self {
            path: str::from_utf8(path).ok()?.into(),
            verdict,
            executable: flags & 1 != 0,
            settled: flags & 2 != 0,
            facts: if flags & 4 == 0 { None } else { decode_facts(&fixed[4..4 + FACTS]) },
        })
    }
}

pub(super) fn encode_facts(facts: Option<FileFacts>) -> [u8; FACTS] {
    let mut bytes = [0; FACTS];
    if let Some(facts) = facts {
        bytes[..8].copy_from_slice(&facts.size.to_le_bytes());
        bytes[8..24].copy_from_slice(&facts.modified.to_le_bytes());
        bytes[24..40].copy_from_slice(&facts.changed.to_le_bytes());
        bytes[40..48].copy_from_slice(&facts.inode.to_le_bytes());
        bytes[48..].copy_from_slice(&facts.links.to_le_bytes());
    }
    bytes
}

pub(super) fn decode_facts(bytes: &[u8]) -> Option<FileFacts> {
    Some(FileFacts {
        size: u64::from_le_bytes(bytes.get(..8)?.try_into().ok()?),
        modified: i128::from_le_bytes(bytes.get(8..24)?.try_into().ok()?),
        changed: i128::from_le_bytes(bytes.get(24..40)?.try_into().ok()?),
        inode: u64::from_le_bytes(bytes.get(40..48)?.try_into().ok()?),
        links: u64::from_le_bytes(bytes.get(48..56)?.try_into().ok()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_round_trip() {
        let digest = Digest::of(b"x");
        let facts = FileFacts { size: 1, modified: -2, changed: i128::MAX, inode: 4, links: u64::MAX };
        let verdicts = [
            Verdict::Listed(digest),
            Verdict::Signed(digest),
            Verdict::Unsigned(digest),
            Verdict::Changed(digest),
            Verdict::NotRead,
            Verdict::LeftOut(LeftOutReason::Link),
            Verdict::LeftOut(LeftOutReason::TooDeep),
            Verdict::Folder,
        ];
        let mut bytes = Vec::new();
        let mut records = Vec::new();
        for verdict in verdicts {
            for (executable, settled, facts) in [(true, false, None), (false, true, Some(facts))] {
                records.push(Record { path: "ä/b".into(), verdict, executable, facts, settled });
            }
        }
        for record in &records {
            record.encode(&mut bytes);
        }
        let mut rest = bytes.as_slice();
        let read: Vec<_> = std::iter::from_fn(|| Record::decode(&mut rest)).collect();
        assert_eq!(read, records);
        assert!(rest.is_empty());
        for end in 0..bytes.len() {
            let mut rest = &bytes[..end];
            while Record::decode(&mut rest).is_some() {}
        }
    }
}
