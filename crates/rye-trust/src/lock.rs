//! Lock files: the chain of an item, pinned.

use std::fmt;

use lillux::Digest;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use serde::{Deserialize, Serialize};

use crate::{Signer, Verified};

/// The chain of an item as it was when it was locked. Its file is a [`SignedDocument`](crate::SignedDocument).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// The item's kind.
    pub kind: ItemKind,
    /// Its id.
    pub id: ItemId,
    /// Its version; `0.0.0` if it has none.
    pub version: String,
    /// The item, its executor, that one's executor, and so on.
    pub chain: Vec<LockedElement>,
    /// The extractors that say what those files mean.
    pub extractors: Vec<LockedElement>,
    /// What processes run that are kept ready for the chain.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub helpers: Vec<LockedElement>,
    /// What describes the server that has the tool.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<LockedElement>,
    /// The files that run with the item, if there are others than itself.
    pub files: Option<Digest>,
}

/// One item of a locked chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockedElement {
    /// Its id.
    pub id: ItemId,
    /// The space that it came from.
    pub space: Space,
    /// The digest of its content: of all bytes but the signature line.
    pub digest: Digest,
    /// The key that has signed it; none for a part of the program.
    pub key: Option<String>,
}

/// One thing in which a chain is not the one that was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "difference")]
pub enum LockDifference {
    /// The item has another version.
    Version {
        /// The locked one.
        expected: String,
        /// The one that is there.
        found: String,
    },
    /// Another content or another space than the locked one.
    Changed {
        /// What was locked.
        expected: LockedElement,
        /// What is there.
        found: LockedElement,
    },
    /// It was locked and is not there.
    Missing {
        /// What was locked.
        expected: LockedElement,
    },
    /// It is there and was not locked.
    Added {
        /// What is there.
        found: LockedElement,
    },
    /// The files that run with the item are others.
    Files {
        /// The digest of the locked ones.
        expected: Option<Digest>,
        /// The digest of those that are there.
        found: Option<Digest>,
    },
}

impl Lock {
    /// What lock files end with.
    pub const SUFFIX: &'static str = ".lock.json";

    /// The name of the lock file below the folder `locks` of a space.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}@{}{}", self.id, self.version, Self::SUFFIX)
    }

    /// In what a chain differs from this one.
    #[must_use]
    pub fn differences(&self, found: &Self) -> Vec<LockDifference> {
        let mut differences = Vec::new();
        if self.version != found.version {
            let (expected, found) = (self.version.clone(), found.version.clone());
            differences.push(LockDifference::Version { expected, found });
        }
        compare(&self.chain, &found.chain, &mut differences);
        compare(&self.extractors, &found.extractors, &mut differences);
        compare(&self.helpers, &found.helpers, &mut differences);
        compare(&self.servers, &found.servers, &mut differences);
        if self.files != found.files {
            differences.push(LockDifference::Files { expected: self.files, found: found.files });
        }
        differences
    }

    /// The item.
    #[must_use]
    pub fn item(&self) -> ItemRef {
        ItemRef::new(self.kind, self.id.clone())
    }
}

impl From<&Verified> for LockedElement {
    fn from(verified: &Verified) -> Self {
        let key = match verified.signer() {
            Signer::Key { key, .. } => Some(key.to_string()),
            Signer::Program | Signer::Waived { .. } => None,
        };
        let item = verified.item();
        Self { id: item.item().id.clone(), space: item.space(), digest: verified.content(), key }
    }
}

/// Who has signed an element may change: it is the content that is locked.
fn compare(locked: &[LockedElement], found: &[LockedElement], differences: &mut Vec<LockDifference>) {
    for expected in locked {
        match found.iter().find(|found| found.id == expected.id) {
            None => differences.push(LockDifference::Missing { expected: expected.clone() }),
            Some(found) if (found.space, found.digest) != (expected.space, expected.digest) => {
                differences
                    .push(LockDifference::Changed { expected: expected.clone(), found: found.clone() });
            }
            Some(_) => {}
        }
    }
    for found in found.iter().filter(|found| locked.iter().all(|locked| locked.id != found.id)) {
        differences.push(LockDifference::Added { found: found.clone() });
    }
}

impl fmt::Display for LockDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest =
            |digest: &Option<Digest>| digest.map_or("no files".to_owned(), |digest| digest.to_string());
        match self {
            Self::Version { expected, found } => {
                write!(f, "version: expected `{expected}`, found `{found}`")
            }
            Self::Changed { expected, found } => {
                let LockedElement { id, space, digest, .. } = expected;
                write!(f, "`{id}`: expected {digest} ({space}), found {} ({})", found.digest, found.space)
            }
            Self::Missing { expected: LockedElement { id, space, digest, .. } } => {
                write!(f, "`{id}`: expected {digest} ({space}), found nothing")
            }
            Self::Added { found: LockedElement { id, space, digest, .. } } => {
                write!(f, "`{id}`: expected nothing, found {digest} ({space})")
            }
            Self::Files { expected, found } => {
                write!(f, "files: expected {}, found {}", digest(expected), digest(found))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn element(id: &str, content: &str) -> LockedElement {
        LockedElement {
            id: ItemId::new(id).unwrap(),
            space: Space::Project,
            digest: Digest::of(content.as_bytes()),
            key: None,
        }
    }

    fn lock(chain: Vec<LockedElement>) -> Lock {
        let id = ItemId::new("a/tool").unwrap();
        let version = "1.0.0".to_owned();
        let (extractors, helpers, servers) = (Vec::new(), Vec::new(), Vec::new());
        Lock { kind: ItemKind::Tool, id, version, chain, extractors, helpers, servers, files: None }
    }

    #[test]
    fn differences_name_what_was_expected_and_found() {
        let locked = lock(vec![element("a/tool", "x"), element("runtime", "r"), element("old", "o")]);
        assert_eq!(locked.differences(&locked), []);
        let found = Lock {
            version: "1.1.0".to_owned(),
            files: Some(Digest::of(b"f")),
            ..lock(vec![element("a/tool", "y"), element("runtime", "r"), element("new", "n")])
        };
        let kinds: Vec<_> = locked.differences(&found).iter().map(ToString::to_string).collect();
        let starts = [
            "version:",
            "`a/tool`: expected",
            "`old`:",
            "`new`: expected nothing",
            "files: expected no files",
        ];
        assert_eq!(kinds.len(), starts.len());
        for (text, start) in kinds.iter().zip(starts) {
            assert!(text.starts_with(start), "{text}");
        }
    }

    #[test]
    fn a_name_has_id_and_version() {
        assert_eq!(lock(Vec::new()).file_name(), "a/tool@1.0.0.lock.json");
    }
}
