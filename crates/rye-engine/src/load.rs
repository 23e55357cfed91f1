//! Loading an item: its content and what is known of it.

use std::path::PathBuf;
use std::sync::Arc;

use rye_item::{
    ItemId, ItemKind, ItemRef, LocateError, LocateErrorKind, Located, Overwrite, Space, SpaceRoot,
};
use rye_trust::VerifyError;

use crate::engine::Call;
use crate::item::Item;
use crate::items::Items;
use crate::{Engine, EngineError};

/// Which item to load.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The kind.
    pub kind: ItemKind,
    /// The id, as the caller wrote it.
    pub id: String,
    /// The only space to look in; all, if there is none.
    pub from: Option<Space>,
    /// Where to copy it.
    pub to: Option<CopyTarget>,
}

/// Where an item is copied to. The system space is not one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyTarget {
    /// Project or user.
    pub space: TargetSpace,
    /// What happens to a file that is there already.
    pub overwrite: Overwrite,
}

/// A space that can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSpace {
    /// The project's.
    Project,
    /// The user's.
    User,
}

/// A loaded item.
#[derive(Debug)]
pub struct LoadReport {
    /// The item.
    pub item: Item,
    /// Items of the same id that it hides, nearest first.
    pub shadows: Vec<Copy>,
    /// The item that hides this one, if a lower space was asked for.
    pub shadowed_by: Option<Copy>,
    /// The copy that was made.
    pub copied_to: Option<PathBuf>,
    /// Why the copy would not run, if the item itself would: a list of files that vouches for it, or the program that it
    /// is part of, does not vouch for copies.
    pub copy_refused: Option<Arc<VerifyError>>,
}

/// Another file of the same id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Its space.
    pub space: Space,
    /// Its file.
    pub path: PathBuf,
}

impl Engine {
    /// Loads an item, and copies it to another space if asked.
    ///
    /// # Errors
    /// If it is not there or cannot be read, or cannot be copied.
    pub fn load(&self, request: &LoadRequest) -> Result<LoadReport, EngineError> {
        let call = self.call()?;
        let wanted = ItemRef::new(request.kind, ItemId::new(&*request.id)?);
        let located = match request.from {
            None => call.locate(&wanted, Space::Project)?,
            Some(space) => call.locate_in(&wanted, space)?,
        };
        let hides = |located: Located| Copy { space: located.space, path: located.file.path().to_owned() };
        let shadows = call.spaces.shadowed(&located, call.extractors.extensions());
        let shadows = shadows.map(|lower| lower.into_iter().map(hides).collect()).unwrap_or_default();
        let nearest = call.spaces.locate(&located.item, Space::Project, call.extractors.extensions()).ok();
        let shadowed_by = nearest.filter(|nearest| nearest.space < located.space).map(hides);
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        let mut item = Item::from(items.look_at(located)?);
        if item.file.is_embedded() {
            item.path = self.bundle_path(&item);
        }
        let copied_to = request.to.map(|target| self.copy(&call, &item, target)).transpose()?;
        let copy_refused = match (request.to, &item.trust) {
            (Some(target), Ok(_)) => self.refusal_of_copy(&item, target.space)?,
            _ => None,
        };
        Ok(LoadReport { item, shadows, shadowed_by, copied_to, copy_refused })
    }

    fn refusal_of_copy(
        &self,
        item: &Item,
        target: TargetSpace,
    ) -> Result<Option<Arc<VerifyError>>, EngineError> {
        // The space may not have been there before.
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        Ok(items.look_at(call.locate_in(item.item(), target.into())?)?.trust.err())
    }

    /// Where an item of the bundle is on the disk. Without a place to lay it out, it is nowhere: that is no reason
    /// not to show it.
    fn bundle_path(&self, item: &Item) -> PathBuf {
        match self.bundle_folder() {
            Ok(Some(root)) => root.join(item.item().kind.folder()).join(item.file.file_name()),
            Ok(None) | Err(_) => item.path.clone(),
        }
    }

    fn copy(&self, call: &Call, item: &Item, target: CopyTarget) -> Result<PathBuf, EngineError> {
        let (space, path) = self.target_path(call, target.space)?;
        if let Some(root) = call.spaces.get(space) {
            check_free(root, item, call)?;
        }
        let (bytes, extension) = (item.file.bytes().as_slice(), item.file.extension());
        Ok(rye_item::store(space, &path, item.item(), extension, bytes, target.overwrite)?)
    }
}

impl Engine {
    /// A space that can be written, and where it is.
    pub(crate) fn target_path(
        &self,
        call: &Call,
        target: TargetSpace,
    ) -> Result<(Space, PathBuf), EngineError> {
        let path = match target {
            TargetSpace::User => self.user_path().ok_or(EngineError::NoUserSpace)?,
            TargetSpace::Project => {
                let root = call.spaces.get(Space::Project).map(|root| root.path().to_owned());
                let start = call.spaces.project().path();
                root.ok_or_else(|| EngineError::NoProject { start: start.to_owned() })?
            }
        };
        Ok((target.into(), path))
    }
}

/// A copy beside a file of the same id and another extension would make the id ambiguous, by force or not.
fn check_free(root: &SpaceRoot, item: &Item, call: &Call) -> Result<(), EngineError> {
    match root.locate_exactly(item.item(), call.extractors.extensions()) {
        Ok(Some(other)) if other.extension != item.file.extension() => {
            Err(EngineError::IdTaken { path: other.file.path().to_owned() })
        }
        Err(kind @ LocateErrorKind::Ambiguous { .. }) => {
            Err(LocateError::new(item.item().clone(), kind).into())
        }
        _ => Ok(()),
    }
}
