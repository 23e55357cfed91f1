//! From an id to a file.

use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::SystemTime;

use rustix::fs::fstat;

use crate::folder::{Folder, OpenError, is_missing, open_file};
use crate::only_files::{FolderState, OnlyFile};
use crate::space_root::Content;
use crate::{
    Bundle, Extensions, ItemFile, ItemId, ItemKind, ItemRef, LocateError, LocateErrorKind, Space, SpaceRoot,
    Spaces, WalkEntry,
};

/// An item whose file is known and open.
#[derive(Debug)]
pub struct Located {
    /// The item, with its whole id even if a bare name was asked for.
    pub item: ItemRef,
    /// The space that holds it.
    pub space: Space,
    /// The file's extension, without its dot.
    pub extension: String,
    /// The file.
    pub file: ItemFile,
}

impl Spaces {
    /// Finds an item as `from` sees it: in that space and those that come after it.
    ///
    /// In each space the id is taken as a path first; a bare name is then looked for anywhere below the kind's
    /// folder.
    ///
    /// # Errors
    /// If there is no such item, several files answer to it, or the way to it is not a plain one.
    pub fn locate(
        &self,
        item: &ItemRef,
        from: Space,
        extensions: &Extensions,
    ) -> Result<Located, LocateError> {
        let failed = |kind| LocateError { item: item.clone(), kind };
        let mut searched = Vec::new();
        for root in from.reachable().filter_map(|space| self.get(space)) {
            if let Some(located) = root.locate(item, extensions).map_err(failed)? {
                return Ok(located);
            }
            searched.push(root.kind_path(item.kind));
        }
        Err(failed(LocateErrorKind::NotFound { searched, similar: Vec::new() }))
    }

    /// Finds the items of the same id that `located` hides.
    ///
    /// # Errors
    /// As for [`locate`](Self::locate).
    pub fn shadowed(&self, located: &Located, extensions: &Extensions) -> Result<Vec<Located>, LocateError> {
        let failed = |kind| LocateError { item: located.item.clone(), kind };
        let lower = located.space.reachable().skip(1).filter_map(|space| self.get(space));
        lower
            .filter_map(|root| root.locate_exactly(&located.item, extensions).map_err(failed).transpose())
            .collect()
    }
}

impl SpaceRoot {
    /// Finds an item in this space alone.
    ///
    /// # Errors
    /// If several files answer to it, or the way to it is not a plain one.
    pub fn locate(
        &self,
        item: &ItemRef,
        extensions: &Extensions,
    ) -> Result<Option<Located>, LocateErrorKind> {
        match self.locate_exactly(item, extensions)? {
            None if item.id.is_bare() => self.locate_stem(item, extensions),
            found => Ok(found),
        }
    }

    /// Finds an item in this space alone by its whole id: even a bare name is taken as a path.
    ///
    /// # Errors
    /// As for [`locate`](Self::locate).
    pub fn locate_exactly(
        &self,
        item: &ItemRef,
        extensions: &Extensions,
    ) -> Result<Option<Located>, LocateErrorKind> {
        let mut found = match &self.content {
            Content::Folder(root) => self.opened(root, item, extensions)?,
            Content::Embedded(bundle) => self.embedded_files(*bundle, item, extensions),
        };
        if found.len() > 1 {
            let candidates = found.iter().map(|located| located.file.path().to_owned()).collect();
            return Err(LocateErrorKind::Ambiguous { space: self.space, candidates });
        }
        Ok(found.pop())
    }

    /// Opens the file of an item that is known to be there with this extension, and whose id no other file has; nothing if
    /// it has gone since.
    ///
    /// # Errors
    /// If the way to it is not a plain one.
    pub fn locate_file(&self, item: &ItemRef, extension: &str) -> Result<Option<Located>, LocateErrorKind> {
        let file = self.open_item(item.kind, &item.id, extension)?;
        Ok(file.map(|file| self.located(item, extension, file)))
    }

    /// Takes the id as the name of a file anywhere below the kind's folder.
    fn locate_stem(
        &self,
        item: &ItemRef,
        extensions: &Extensions,
    ) -> Result<Option<Located>, LocateErrorKind> {
        let mut found: Vec<(ItemId, String)> = Vec::new();
        self.walk(item.kind, "", extensions, &mut |entry: &WalkEntry<'_>| {
            if entry.id.stem() == item.id.as_str() {
                found.push((entry.id.clone(), entry.extension.to_owned()));
            }
        });
        if found.len() > 1 {
            let path =
                |(id, extension): &(ItemId, String)| self.path().join(relative(item.kind, id, extension));
            let mut candidates: Vec<PathBuf> = found.iter().map(path).collect();
            candidates.sort();
            return Err(LocateErrorKind::Ambiguous { space: self.space, candidates });
        }
        let Some((id, extension)) = found.pop() else { return Ok(None) };
        self.locate_file(&ItemRef::new(item.kind, id), &extension)
    }

    /// The files of a bundle that have an id. They are beside each other there.
    fn embedded_files(&self, bundle: Bundle, item: &ItemRef, extensions: &Extensions) -> Vec<Located> {
        let stem = format!("{}/{}.", item.kind.folder(), item.id);
        let mut found = Vec::new();
        for file in bundle.below(&stem) {
            let extension = &file.path[stem.len()..];
            if extensions.of(self.space, item.kind).any(|known| known == extension) {
                found.push(self.located(
                    item,
                    extension,
                    ItemFile::embedded(self.path().join(file.path), file),
                ));
            }
        }
        found
    }

    /// The files of a folder that have an id, open.
    fn opened(
        &self,
        root: &Folder,
        item: &ItemRef,
        extensions: &Extensions,
    ) -> Result<Vec<Located>, LocateErrorKind> {
        if let Some(file) = self.only_file(root, item, extensions) {
            return Ok(vec![file]);
        }
        let mut found = Vec::new();
        let below = parent(item);
        let folder = match root.pass_folder(&below) {
            Ok(folder) => Some(folder),
            Err(OpenError::Missing) => return Ok(found),
            // What cannot be opened is told about together with the file.
            Err(_) => None,
        };
        let looked = SystemTime::now();
        let state = folder.as_ref().and_then(|folder| fstat(folder).ok());
        let mut name = format!("{}.", item.id.stem());
        let stem = name.len();
        for extension in extensions.of(self.space, item.kind) {
            name.truncate(stem);
            name.push_str(extension);
            // To ask is cheaper than to try, and most are not there.
            let file = match &folder {
                Some(folder) if is_missing(folder.as_fd(), &name) => continue,
                Some(folder) => match open_file(folder.as_fd(), &name) {
                    Ok(file) => Some(ItemFile::opened(self.path().join(&below).join(&name), file)),
                    Err(error) => cannot_open(error, || self.path().join(&below).join(&name))?,
                },
                None => self.open_item(item.kind, &item.id, extension)?,
            };
            found.extend(file.map(|file| self.located(item, extension, file)));
        }
        if let (Some(state), [only]) = (state, found.as_slice()) {
            let only = OnlyFile { folder: FolderState::of(&state), extension: only.extension.clone() };
            extensions.only_files.remember(self.space, item, only, looked);
        }
        Ok(found)
    }

    /// The file of an id of which it is known that there is no other one.
    fn only_file(&self, root: &Folder, item: &ItemRef, extensions: &Extensions) -> Option<Located> {
        let only = extensions.only_files.get(self.space, item)?;
        if FolderState::of(&root.look_at(&parent(item))?) != only.folder {
            return None;
        }
        let below = relative(item.kind, &item.id, &only.extension);
        let file = root.open_file(&below).ok()?;
        Some(self.located(item, &only.extension, ItemFile::opened(self.path().join(below), file)))
    }

    fn located(&self, item: &ItemRef, extension: &str, file: ItemFile) -> Located {
        Located { item: item.clone(), space: self.space, extension: extension.to_owned(), file }
    }

    fn open_item(
        &self,
        kind: ItemKind,
        id: &ItemId,
        extension: &str,
    ) -> Result<Option<ItemFile>, LocateErrorKind> {
        let below = relative(kind, id, extension);
        match self.open(&below) {
            Ok(file) => Ok(Some(file)),
            Err(error) => cannot_open(error, || self.path().join(&below)),
        }
    }
}

fn cannot_open(
    error: OpenError,
    path: impl FnOnce() -> PathBuf,
) -> Result<Option<ItemFile>, LocateErrorKind> {
    match error {
        OpenError::Missing => Ok(None),
        OpenError::Link => Err(LocateErrorKind::Link { path: path() }),
        OpenError::NotAFile => Err(LocateErrorKind::NotAFile { path: path() }),
        OpenError::Io(source) => Err(LocateErrorKind::Open { path: path(), source }),
    }
}

/// The path of an item's folder below `.ai`.
fn parent(item: &ItemRef) -> String {
    match item.id.parent() {
        Some(parent) => format!("{}/{parent}", item.kind.folder()),
        None => item.kind.folder().to_owned(),
    }
}

/// The path of an item below `.ai`.
fn relative(kind: ItemKind, id: &ItemId, extension: &str) -> String {
    format!("{}/{id}.{extension}", kind.folder())
}
