//! What was requested, what is watched for it, and how one is told in terms of the other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::error::WatchErrorKind;
use super::request::{Depth, WatchEvent, WatchRequest};

/// The requested paths, with the places that they stand for.
#[derive(Debug)]
pub(super) struct Targets {
    targets: Vec<Target>,
    depth: Depth,
}

#[derive(Debug)]
struct Target {
    requested: PathBuf,
    extent: Extent,
}

/// Where changes concern a target. The paths are free of links, as those of the notifications are.
#[derive(Debug)]
enum Extent {
    /// The name of a file, and what it leads to if it is a link.
    File { names: BTreeSet<PathBuf> },
    /// Everything below a folder, and the folder.
    Folder(PathBuf),
}

impl Targets {
    pub(super) fn of(request: &WatchRequest) -> Result<Self, WatchErrorKind> {
        if request.paths.is_empty() {
            return Err(WatchErrorKind::NothingToWatch);
        }
        let targets = request.paths.iter().map(|path| Target::of(path)).collect::<Result<_, _>>()?;
        Ok(Self { targets, depth: request.depth })
    }

    /// The folders to be watched, those whose subfolders count too last: a folder is watched as the last request
    /// for it says.
    ///
    /// For a file it is the folder that is watched. A watch of the file itself would end when an editor puts
    /// another file in its place.
    pub(super) fn folders(&self) -> Vec<(PathBuf, Depth)> {
        let mut shallow = BTreeSet::new();
        let mut deep = BTreeSet::new();
        for target in &self.targets {
            match (&target.extent, self.depth) {
                (Extent::File { names }, _) => {
                    shallow.extend(names.iter().filter_map(|name| name.parent()).map(Path::to_owned));
                }
                (Extent::Folder(folder), Depth::Shallow) => _ = shallow.insert(folder.clone()),
                (Extent::Folder(folder), Depth::Recursive) => _ = deep.insert(folder.clone()),
            }
        }
        let shallow = shallow.into_iter().map(|folder| (folder, Depth::Shallow));
        shallow.chain(deep.into_iter().map(|folder| (folder, Depth::Recursive))).collect()
    }

    /// The event with the paths that the caller knows, or nothing if it does not concern the caller.
    pub(super) fn translate(&self, event: WatchEvent) -> Option<WatchEvent> {
        Some(match event {
            WatchEvent::Created(path) => WatchEvent::Created(self.requested(&path)?),
            WatchEvent::Modified(path) => WatchEvent::Modified(self.requested(&path)?),
            WatchEvent::Removed(path) => WatchEvent::Removed(self.requested(&path)?),
            WatchEvent::Renamed { from, to } => match (self.requested(&from), self.requested(&to)) {
                (Some(from), Some(to)) => WatchEvent::Renamed { from, to },
                (Some(from), None) => WatchEvent::Removed(from),
                (None, Some(to)) => WatchEvent::Created(to),
                (None, None) => return None,
            },
            event @ (WatchEvent::Ready | WatchEvent::Overflowed) => event,
        })
    }

    fn requested(&self, path: &Path) -> Option<PathBuf> {
        self.targets.iter().find_map(|target| target.requested(path))
    }
}

impl Target {
    fn of(path: &Path) -> Result<Self, WatchErrorKind> {
        let failed = |source| WatchErrorKind::path(path, source);
        let real = path.canonicalize().map_err(failed)?;
        let requested = path.to_owned();
        if real.is_dir() {
            return Ok(Self { requested, extent: Extent::Folder(real) });
        }
        let mut names = BTreeSet::from([real]);
        let absolute = std::path::absolute(path).map_err(failed)?;
        if let (Some(folder), Some(name)) = (absolute.parent(), absolute.file_name()) {
            names.insert(folder.canonicalize().map_err(failed)?.join(name));
        }
        Ok(Self { requested, extent: Extent::File { names } })
    }

    fn requested(&self, path: &Path) -> Option<PathBuf> {
        match &self.extent {
            Extent::File { names } => names.contains(path).then(|| self.requested.clone()),
            Extent::Folder(folder) if path == folder => Some(self.requested.clone()),
            Extent::Folder(folder) => path.strip_prefix(folder).ok().map(|rest| self.requested.join(rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::watch::Until;

    fn targets(paths: &[PathBuf], depth: Depth) -> Result<Targets, WatchErrorKind> {
        Targets::of(&WatchRequest { paths: paths.to_vec(), depth, timeout: None, until: Until::First })
    }

    #[test]
    fn a_link_stands_for_itself_and_for_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("real")).unwrap();
        std::fs::write(root.join("real/file"), "").unwrap();
        let link = root.join("link");
        std::os::unix::fs::symlink("real/file", &link).unwrap();

        let targets = targets(std::slice::from_ref(&link), Depth::Shallow).unwrap();
        let expect = [(root.clone(), Depth::Shallow), (root.join("real"), Depth::Shallow)];
        assert_eq!(targets.folders(), expect);
        for path in [root.join("real/file"), link.clone()] {
            assert_eq!(
                targets.translate(WatchEvent::Modified(path)),
                Some(WatchEvent::Modified(link.clone()))
            );
        }
        assert_eq!(targets.translate(WatchEvent::Modified(root.join("other"))), None);
    }

    #[test]
    fn a_folder_that_is_wanted_deep_is_watched_deep() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let file = root.join("file");
        std::fs::write(&file, "").unwrap();
        let folders = targets(&[root.clone(), file], Depth::Recursive).unwrap().folders();
        assert_eq!(folders, [(root.clone(), Depth::Shallow), (root, Depth::Recursive)]);
    }

    #[test]
    fn half_of_a_move_is_a_creation_or_a_removal() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (file, other) = (root.join("file"), root.join("other"));
        std::fs::write(&file, "").unwrap();
        let targets = targets(std::slice::from_ref(&file), Depth::Shallow).unwrap();
        let renamed =
            |from: &PathBuf, to: &PathBuf| WatchEvent::Renamed { from: from.clone(), to: to.clone() };
        assert_eq!(targets.translate(renamed(&other, &file)), Some(WatchEvent::Created(file.clone())));
        assert_eq!(targets.translate(renamed(&file, &other)), Some(WatchEvent::Removed(file.clone())));
    }

    #[test]
    fn nothing_and_a_missing_path_are_refused() {
        assert!(matches!(targets(&[], Depth::Shallow), Err(WatchErrorKind::NothingToWatch)));
        let missing = tempfile::tempdir().unwrap().path().join("missing");
        assert!(matches!(
            targets(std::slice::from_ref(&missing), Depth::Shallow),
            Err(WatchErrorKind::NotFound { path }) if path == missing
        ));
    }
}
