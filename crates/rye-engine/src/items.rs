//! Items as chains are made of them: found, read, verified and understood.

use std::sync::Arc;

use rye_item::{ItemRef, Located, ReadItem, Space};
use rye_metadata::SignatureComment;
use rye_plan::{Element, ElementSource, FindError};
use rye_trust::{SignatureForm, Verified, Verifier, VerifyError};

use crate::engine::Call;
use crate::extractors::Entry;
use crate::metadata_store::Described;

/// What turns names into elements of chains.
pub(crate) struct Items<'a> {
    pub(crate) call: &'a Call,
    pub(crate) verifier: Verifier<'a>,
}

/// How extractors themselves are signed.
pub(crate) fn extractor_comment() -> SignatureComment {
    SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true }
}

impl Items<'_> {
    /// Looks at an item that was found.
    pub(crate) fn look_at(&self, located: Located) -> Result<Element, FindError> {
        let extensions = self.call.extractors.extensions();
        let shadows = self.call.spaces.shadowed(&located, extensions).unwrap_or_default();
        let shadows = shadows.iter().map(|hidden| hidden.space).collect();
        Ok(self.understand(located.read()?, shadows))
    }

    /// Looks at an item that may be about to change, so that what it says is not worth remembering, and that is asked
    /// for in its own space, so that it does not matter what it hides.
    pub(crate) fn look_at_alone(&self, located: Located) -> Result<Element, FindError> {
        let file = located.read()?;
        let described = self.call.describe_anew(&file);
        Ok(self.element_of(file, described, Vec::new()))
    }

    /// Verifies an item and the extractor that says what it means.
    pub(crate) fn verify(&self, file: &ReadItem) -> Result<Verified, Arc<VerifyError>> {
        let entry = self.call.extractors.get(file.space(), file.extension());
        let comment = entry.and_then(Entry::signature);
        self.verifier.verify(file, self.form(file, comment)).map_err(Arc::from)
    }

    /// How a file is signed: by a line of its own, or else by a manifest.
    fn form<'f>(&'f self, file: &ReadItem, comment: Option<&'f SignatureComment>) -> SignatureForm<'f> {
        match (comment, self.call.spaces.get(file.space())) {
            (Some(comment), _) => SignatureForm::Line(comment),
            (None, Some(root)) => SignatureForm::Manifest(root),
            (None, None) => SignatureForm::None,
        }
    }

    /// Verifies an item that was read, and finds out what it says.
    pub(crate) fn understand(&self, file: ReadItem, shadows: Vec<Space>) -> Element {
        let described = (*self.call.describe(&file)).clone();
        self.element_of(file, described, shadows)
    }

    fn element_of(&self, file: ReadItem, described: Described, shadows: Vec<Space>) -> Element {
        let entry = self.call.extractors.get(file.space(), file.extension());
        let Described { metadata, problems } = described;
        let trust = self.verify(&file);
        let extractor = match entry {
            Some(entry) => self
                .verifier
                .verify(&entry.file, SignatureForm::Line(&extractor_comment()))
                .map_err(Arc::from),
            None => trust.clone(),
        };
        let has_code = entry.is_none_or(Entry::has_code);
        Element { file, metadata, has_code, problems, trust, extractor, shadows }
    }
}

impl ElementSource for Items<'_> {
    fn element(&self, item: &ItemRef, from: Space) -> Result<Element, FindError> {
        self.look_at(self.call.locate(item, from)?)
    }

    fn spaces_with(&self, item: &ItemRef) -> Vec<Space> {
        let extensions = self.call.extractors.extensions();
        let has = |space: &Space| {
            self.call
                .spaces
                .get(*space)
                .is_some_and(|root| matches!(root.locate(item, extensions), Ok(Some(_))))
        };
        Space::ALL.into_iter().filter(has).collect()
    }
}
