//! What was too long for an answer, kept so that it can be read as a resource.
//!
//! Output beyond what a run keeps in memory has a file of its own already. What is shorter than that, and still too long
//! for an answer, is kept here.

use std::fs::{DirBuilder, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use lillux::process::Channel;
use rye_engine::Engine;
use rye_run::journal::RunId;

use super::failure::Failure;

/// So many outputs are kept.
const KEPT: usize = 256;
/// The most bytes that one reading gives.
pub(super) const PIECE: u64 = 1024 * 1024;

/// The folder of kept outputs.
#[derive(Debug)]
pub(super) struct Outputs {
    folder: Option<PathBuf>,
}

/// A part of what a run has written.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) bytes: Vec<u8>,
    /// Where the next piece begins, if there is one.
    pub(super) next: Option<u64>,
    /// How long all of it is.
    pub(super) total: u64,
}

impl Outputs {
    pub(super) fn new(state: Option<&Path>) -> Self {
        Self { folder: state.map(|state| state.join("mcp").join("output")) }
    }

    /// Keeps what a run has written. Tells whether there was a place for it.
    pub(super) fn keep(&self, run: RunId, bytes: &[u8]) -> io::Result<bool> {
        let Some(folder) = &self.folder else { return Ok(false) };
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(run.to_string());
        File::options().write(true).create_new(true).mode(0o600).open(&path)?.write_all(bytes)?;
        forget_old(folder);
        Ok(true)
    }

    /// A piece of what a run has written.
    pub(super) fn read(
        &self,
        engine: &Engine,
        run: RunId,
        channel: Channel,
        offset: u64,
    ) -> Result<Option<Piece>, Failure> {
        let kept = self.folder.as_ref().filter(|_| channel == Channel::Stdout);
        let kept = kept.and_then(|folder| File::open(folder.join(run.to_string())).ok());
        let file = match kept {
            Some(file) => Some(file),
            None => engine.open_run_log(run, channel)?,
        };
        Ok(file.map(|file| piece(file, offset)).transpose()?)
    }
}

fn piece(mut file: File, offset: u64) -> io::Result<Piece> {
    let total = file.metadata()?.len();
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.take(PIECE).read_to_end(&mut bytes)?;
    // A character is not torn between two pieces, if it is text at all.
    if let Err(error) = str::from_utf8(&bytes)
        && error.error_len().is_none()
        && error.valid_up_to() > 0
    {
        bytes.truncate(error.valid_up_to());
    }
    let end = offset + bytes.len() as u64;
    Ok(Piece { bytes, next: (end < total).then_some(end), total })
}

/// Names begin with the time, so that the first ones are the oldest.
fn forget_old(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).collect();
    if names.len() > KEPT {
        names.sort();
        for name in &names[..names.len() - KEPT] {
            // Another server may have been quicker.
            let _ = std::fs::remove_file(folder.join(name));
        }
    }
}
