//! Catalogs between one process and the next.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lillux::Digest;
use rye_search::Index;

use super::space_catalog::SpaceCatalog;

const LONG: Duration = Duration::from_hours(24 * 30);

/// Where the catalog of one space is kept. It can always be made again, so every failure is only a miss.
#[derive(Debug)]
pub(super) struct IndexFile {
    path: PathBuf,
}

impl IndexFile {
    /// The file for what `key` describes: everything that decides what a catalog contains, but for the files.
    pub(super) fn new(cache: &Path, key: &str) -> Self {
        Self { path: cache.join("index").join(Digest::of(key.as_bytes()).to_string()) }
    }

    /// The catalog that was kept, if it is intact.
    pub(super) fn load(&self) -> Option<SpaceCatalog> {
        let index = Index::open(fs::read(self.path.with_extension("idx")).ok()?).ok()?;
        let passed_over = fs::read(self.path.with_extension("json")).ok();
        let passed_over =
            passed_over.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Some(SpaceCatalog { index, passed_over })
    }

    /// Keeps a catalog. A reader sees an old file or a new one, never a part.
    pub(super) fn save(&self, catalog: &SpaceCatalog) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        prune(folder);
        replace(&self.path.with_extension("idx"), catalog.index.as_bytes())?;
        replace(&self.path.with_extension("json"), &serde_json::to_vec(&catalog.passed_over)?)
    }
}

/// Removes what nobody has renewed for a long time: indexes of projects that are gone or have changed their rules.
fn prune(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let age =
            entry.metadata().and_then(|facts| facts.modified()).ok().and_then(|time| time.elapsed().ok());
        if age.is_some_and(|age| age > LONG) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let draft = path.with_extension(format!("{}-{number}.draft", std::process::id()));
    let written =
        File::options().write(true).create_new(true).open(&draft).and_then(|mut file| file.write_all(bytes));
    let result = written.and_then(|()| fs::rename(&draft, path));
    if result.is_err() {
        let _ = fs::remove_file(&draft);
    }
    result
}
