//! A byte stream of unknown length, kept within a bound of memory.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::digest::{Digest, Hasher};

/// How much of a stream is kept in memory, and what becomes of the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamLimit {
    /// The most bytes that are held in memory.
    pub memory: usize,
    /// What becomes of a stream that is longer.
    pub overflow: Overflow,
}

/// What becomes of a stream that is longer than its limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overflow {
    /// The head is kept, the rest is counted and dropped.
    Truncate,
    /// The whole stream goes to a new file in this folder; the head is kept in memory too.
    Spool(PathBuf),
    /// Whoever produces the stream is stopped.
    Stop,
}

/// What was kept of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Capture {
    /// The stream, or its head if it was longer than its limit.
    pub bytes: Vec<u8>,
    /// How many bytes there were in all.
    pub total: u64,
    /// Where the whole stream is, if it went to a file.
    pub spool: Option<Spooled>,
}

/// A whole stream in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spooled {
    /// The file.
    pub path: PathBuf,
    /// The digest of all its bytes.
    pub digest: Digest,
}

/// The spool file cannot be made or written.
#[derive(Debug, thiserror::Error)]
#[error("cannot spool output to `{path}`")]
pub struct CaptureError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// Receives a stream piece by piece and turns it into a [`Capture`].
#[derive(Debug)]
pub struct Collector {
    limit: StreamLimit,
    bytes: Vec<u8>,
    total: u64,
    spool: Option<SpoolFile>,
}

/// Whether a stream may go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It may.
    Left,
    /// It was too long, and whoever produces it is to be stopped.
    Exceeded,
}

#[derive(Debug)]
struct SpoolFile {
    path: PathBuf,
    file: File,
    hasher: Hasher,
}

impl StreamLimit {
    /// Keeps up to `memory` bytes and drops the rest.
    #[must_use]
    pub fn truncate(memory: usize) -> Self {
        Self { memory, overflow: Overflow::Truncate }
    }
}

impl Capture {
    /// Whether bytes of the stream are neither in memory nor in a file.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        self.spool.is_none() && self.total > self.bytes.len() as u64
    }
}

impl Collector {
    /// Nothing yet.
    #[must_use]
    pub fn new(limit: StreamLimit) -> Self {
        Self { limit, bytes: Vec::new(), total: 0, spool: None }
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// If it has to go to a file that cannot be made or written.
    pub fn push(&mut self, chunk: &[u8]) -> Result<Room, CaptureError> {
        let room = self.limit.memory - self.bytes.len();
        if chunk.len() > room
            && self.spool.is_none()
            && let Overflow::Spool(folder) = &self.limit.overflow
        {
            self.spool = Some(SpoolFile::create(folder, &self.bytes)?);
        }
        self.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
        self.total += chunk.len() as u64;
        if let Some(spool) = &mut self.spool {
            spool.write(chunk)?;
        }
        let exceeded = chunk.len() > room && self.limit.overflow == Overflow::Stop;
        Ok(if exceeded { Room::Exceeded } else { Room::Left })
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// What was kept.
    #[must_use]
    pub fn finish(self) -> Capture {
        let spool = self.spool.map(|spool| Spooled { path: spool.path, digest: spool.hasher.finish() });
        Capture { bytes: self.bytes, total: self.total, spool }
    }
}

impl SpoolFile {
    fn create(folder: &Path, head: &[u8]) -> Result<Self, CaptureError> {
        let failed = |source| CaptureError { path: folder.to_owned(), source };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let (file, path) = new_file(folder).map_err(failed)?;
        let mut spool = Self { path, file, hasher: Hasher::default() };
        spool.write(head)?;
        Ok(spool)
    }

    fn write(&mut self, chunk: &[u8]) -> Result<(), CaptureError> {
        self.hasher.update(chunk);
        self.file.write_all(chunk).map_err(|source| CaptureError { path: self.path.clone(), source })
    }
}

/// Makes a file that was not there before and that only its owner can read.
fn new_file(folder: &Path) -> io::Result<(File, PathBuf)> {
    use std::os::unix::fs::OpenOptionsExt;
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    loop {
        let name = format!("{}-{}.out", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = folder.join(name);
        match File::options().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collect(limit: StreamLimit, chunks: &[&[u8]]) -> (Capture, Room) {
        let mut collector = Collector::new(limit);
        let mut room = Room::Left;
        for chunk in chunks {
            if collector.push(chunk).unwrap() == Room::Exceeded {
                room = Room::Exceeded;
            }
        }
        (collector.finish(), room)
    }

    #[test]
    fn what_fits_is_whole() {
        let (capture, room) = collect(StreamLimit::truncate(6), &[b"abc", b"def"]);
        assert_eq!((capture.bytes.as_slice(), capture.total, room), (&b"abcdef"[..], 6, Room::Left));
        assert!(!capture.is_truncated());
    }

    #[test]
    fn truncation_is_counted() {
        let (capture, _) = collect(StreamLimit::truncate(4), &[b"abc", b"def"]);
        assert_eq!((capture.bytes.as_slice(), capture.total), (&b"abcd"[..], 6));
        assert!(capture.is_truncated());
    }

    #[test]
    fn a_spool_holds_the_whole_stream() {
        let folder = tempfile::tempdir().unwrap();
        let limit = StreamLimit { memory: 4, overflow: Overflow::Spool(folder.path().to_owned()) };
        let (capture, _) = collect(limit, &[b"abc", b"def", b"ghi"]);
        let spool = capture.spool.clone().unwrap();
        assert_eq!(std::fs::read(spool.path).unwrap(), b"abcdefghi");
        assert_eq!((capture.bytes.as_slice(), spool.digest), (&b"abcd"[..], Digest::of(b"abcdefghi")));
        assert!(!capture.is_truncated());
    }

    #[test]
    fn stop_tells_when_it_is_too_much() {
        let limit = StreamLimit { memory: 4, overflow: Overflow::Stop };
        assert_eq!(collect(limit.clone(), &[b"abcd"]).1, Room::Left);
        assert_eq!(collect(limit, &[b"abcd", b"e"]).1, Room::Exceeded);
    }
}
