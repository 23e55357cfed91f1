//! One item of a chain, before it is known whether it may run.

use std::sync::Arc;

use rye_item::{ItemRef, LocateError, ReadError, ReadItem, Space};
use rye_metadata::{Metadata, Problem, Severity};
use rye_trust::{Verified, VerifyError};

/// An item as it was found: what it says, and whether that counts.
#[derive(Debug, Clone)]
pub struct Element {
    /// The item as it was read.
    pub file: ReadItem,
    /// What it says about itself.
    pub metadata: Arc<Metadata>,
    /// Whether the file has anything in it beside that.
    pub has_code: bool,
    /// What is wrong with what it says.
    pub problems: Vec<Problem>,
    /// The item itself, if it may run.
    pub trust: Result<Verified, Arc<VerifyError>>,
    /// The extractor that says what the file means, if that may be used.
    pub extractor: Result<Verified, Arc<VerifyError>>,
    /// The spaces of items of the same id that it hides.
    pub shadows: Vec<Space>,
}

/// Where elements come from.
pub trait ElementSource {
    /// Finds an item as a space sees it.
    ///
    /// # Errors
    /// If it is not there or cannot be read.
    fn element(&self, item: &ItemRef, from: Space) -> Result<Element, FindError>;

    /// The spaces that have such an item, whoever may see them.
    fn spaces_with(&self, item: &ItemRef) -> Vec<Space>;
}

/// An element that is not there or cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// It is not there, or not for certain.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl Element {
    /// What makes its metadata unusable.
    pub fn errors(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().filter(|problem| problem.severity == Severity::Error)
    }

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

    /// The item and its space, in words.
    pub(super) fn label(&self) -> String {
        format!("`{}` ({})", self.item().id, self.space())
    }
}
