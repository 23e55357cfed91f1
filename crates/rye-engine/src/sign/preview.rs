//! What a signing would sign, so that somebody can be asked about it before.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use lillux::Digest;
use lillux::digest::Hasher;
use rye_item::{ItemKind, ReadItem, Space};

use super::{SignRefusal, SignedItem};

/// What a signing would sign. One that is given this signs nothing else.
#[derive(Debug)]
pub struct SignPreview {
    /// What would become of each item, by space, kind and id.
    pub items: Vec<SignedItem>,
    /// The files that would be listed with them and are no such items, by their paths below the folder of their kind. Those
    /// that are listed already, as they are, do not count.
    pub files: Vec<String>,
    contents: BTreeMap<FilePlace, Digest>,
}

/// A file below the folder of a kind.
type FilePlace = (Space, ItemKind, String);

/// What items are looked at for.
#[derive(Debug)]
pub(super) enum Purpose<'a> {
    /// To sign them.
    Sign,
    /// To sign them as they were shown, or not at all.
    SignShown(&'a SignPreview),
    /// To show them.
    Show(Mutex<Seen>),
}

/// What was seen up to now.
#[derive(Debug, Default)]
pub(super) struct Seen {
    files: Vec<String>,
    contents: BTreeMap<FilePlace, Digest>,
}

impl SignPreview {
    /// What tells this from any other: which files there are, and what is in them.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hasher = Hasher::default();
        for ((space, kind, name), digest) in &self.contents {
            hasher.update(format!("{space} {kind} {} {name}", name.len()).as_bytes());
            hasher.update(digest.as_bytes());
        }
        hasher.finish()
    }
}

impl Purpose<'_> {
    /// Whether nothing is to be changed.
    pub(super) fn is_to_show(&self) -> bool {
        matches!(self, Self::Show(_))
    }

    /// Takes notice of an item, which has to be as it was shown, if it was.
    pub(super) fn see_item(&self, file: &ReadItem) -> Result<(), SignRefusal> {
        match self {
            Self::Sign => Ok(()),
            Self::SignShown(_) | Self::Show(_) => {
                let place = (file.space(), file.item().kind, file.file_name());
                self.see(place, file.bytes().digest()).map(drop)
            }
        }
    }

    /// The same for a file that is to be listed, after all items.
    pub(super) fn see_listed(
        &self,
        (space, kind): (Space, ItemKind),
        name: String,
        digest: Digest,
    ) -> Result<(), SignRefusal> {
        let is_first = self.see((space, kind, name.clone()), digest)?;
        if let Self::Show(seen) = self
            && is_first
        {
            seen.lock().unwrap_or_else(PoisonError::into_inner).files.push(name);
        }
        Ok(())
    }

    /// What was seen, if it was to be shown.
    pub(super) fn into_preview(self, items: Vec<SignedItem>) -> SignPreview {
        let seen = match self {
            Self::Show(seen) => seen.into_inner().unwrap_or_else(PoisonError::into_inner),
            Self::Sign | Self::SignShown(_) => Seen::default(),
        };
        SignPreview { items, files: seen.files, contents: seen.contents }
    }

    /// Whether a file is seen for the first time.
    fn see(&self, place: FilePlace, digest: Digest) -> Result<bool, SignRefusal> {
        match self {
            Self::Sign => Ok(true),
            Self::SignShown(preview) if preview.contents.get(&place) == Some(&digest) => Ok(true),
            Self::SignShown(_) => Err(SignRefusal::NotShown { file: place.2 }),
            Self::Show(seen) => {
                let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(seen.contents.insert(place, digest).is_none())
            }
        }
    }
}
