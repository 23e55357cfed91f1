//! New items, which are in nobody's way.

use std::path::PathBuf;

use rye_item::{ItemRef, LocateError, LocateErrorKind, Overwrite, Space};

use crate::{Engine, EngineError, TargetSpace};

/// The file of an item that is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewItem {
    /// What it is called.
    pub item: ItemRef,
    /// The extension of its file.
    pub extension: String,
    /// What is in it.
    pub bytes: Vec<u8>,
}

impl Engine {
    /// Makes items, and returns their files. If one of them is there already, under whatever extension, none is made.
    ///
    /// # Errors
    /// If there is no such space, if an item is there already, or the file system refuses.
    pub fn create(&self, target: TargetSpace, items: &[NewItem]) -> Result<Vec<PathBuf>, EngineError> {
        let call = self.call()?;
        let (space, path) = self.target_path(&call, target)?;
        if let Some(root) = call.spaces.get(space) {
            for NewItem { item, extension, .. } in items {
                let file = root.kind_path(item.kind).join(format!("{}.{extension}", item.id));
                match root.locate_exactly(item, call.extractors.extensions()) {
                    Ok(Some(other)) => {
                        return Err(EngineError::IdTaken { path: other.file.path().to_owned() });
                    }
                    Err(kind @ LocateErrorKind::Ambiguous { .. }) => {
                        return Err(LocateError::new(item.clone(), kind).into());
                    }
                    // A file of an extension that nothing is known about yet.
                    _ if file.symlink_metadata().is_ok() => return Err(EngineError::IdTaken { path: file }),
                    _ => {}
                }
            }
        }
        let store = |new: &NewItem| {
            rye_item::store(space, &path, &new.item, &new.extension, &new.bytes, Overwrite::Refuse)
        };
        Ok(items.iter().map(store).collect::<Result<_, _>>()?)
    }
}

/// The space that a target is.
impl From<TargetSpace> for Space {
    fn from(target: TargetSpace) -> Self {
        match target {
            TargetSpace::Project => Self::Project,
            TargetSpace::User => Self::User,
        }
    }
}
