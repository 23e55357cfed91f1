//! Records of short runs, on their way into the database.
//!
//! To open a database takes longer than most runs. So a process that writes a single record appends a line to a file
//! beside it, and whoever opens the database next moves the lines into it. Whatever can be done before the run has ended
//! is done while nothing but the program is waited for.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::database::{DATABASE, is_known_version};
use super::row::{EndRow, StartRow};
use super::{Journal, JournalError, JournalErrorKind, RunEnd, RunId, RunStart};

const FILE: &str = "runs.spool";
/// Lines that are no records. Nobody reads them, and nobody throws them away.
const DAMAGED: &str = "runs.damaged";

/// Once there is so much in it, somebody has to open the database.
const APPEND_LIMIT: u64 = 128 * 1024;
/// More than can ever be in it, unless somebody else has written there.
const READ_LIMIT: u64 = 16 * 1024 * 1024;

/// How a run that has ended is written into the database.
pub(super) const RECORD: &str =
    "INSERT INTO runs (id, item, supervisor, chain, request, status, ended, outcome)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (id) DO UPDATE SET chain = ?4, status = ?6, ended = ?7, outcome = ?8 WHERE status IS NULL";

/// The file beside a database, and the run whose record it is to get.
#[derive(Debug)]
pub struct Spool {
    folder: PathBuf,
    file: File,
    id: RunId,
    start: StartRow,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: [u8; 16],
    item: String,
    supervisor: String,
    chain: String,
    request: String,
    status: String,
    ended: i64,
    outcome: String,
}

impl Spool {
    /// Makes ready to write down a run whose begin nobody has written, without opening the database. That is possible only where
    /// there is one, and everything is as usual: otherwise it takes [`Journal::open`].
    #[must_use]
    pub fn open(folder: &Path, start: &RunStart) -> Option<Self> {
        if !has_database(folder) {
            return None;
        }
        let file = open(folder, FILE, File::options().append(true).create(true)).ok()?;
        let row = StartRow::new(start).ok()?;
        Some(Self { folder: folder.to_owned(), file, id: start.id, start: row })
    }

    /// Writes down all of the run. Tells whether that was possible, for something may be other than usual by now.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn append(self, end: &RunEnd) -> Result<bool, JournalError> {
        let folder = self.folder.clone();
        self.append_line(end).map_err(|kind| JournalError::new(&folder, kind))
    }

    fn append_line(mut self, end: &RunEnd) -> Result<bool, JournalErrorKind> {
        if end.stdout.file.is_some() || end.stderr.file.is_some() {
            return Ok(false);
        }
        // Whoever moves the lines has the file for itself.
        self.file.lock_shared()?;
        let found = self.file.metadata()?;
        let is_gone = found.nlink() == 0;
        if !found.is_file() || is_gone || found.len() > APPEND_LIMIT {
            return Ok(false);
        }
        let StartRow { id, item, supervisor, chain, request } = self.start;
        let EndRow { status, ended, outcome } = EndRow::new(end, self.id, &self.folder)?;
        let line = Line { id, item, supervisor, chain, request, status: status.to_owned(), ended, outcome };
        // The line before may have been cut off, so this one has a beginning of its own.
        let mut text = b"\n".to_vec();
        serde_json::to_writer(&mut text, &line).map_err(io::Error::from)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        Ok(true)
    }
}

impl Journal {
    /// Moves what was appended into the database.
    pub(super) fn absorb(&self) -> Result<(), JournalError> {
        if !self.folder().join(FILE).metadata().is_ok_and(|found| found.len() > 0) {
            return Ok(());
        }
        self.with(|connection| absorb(connection, self.folder()))
    }
}

/// Whether there is a database that is ours, as far as its first bytes tell.
fn has_database(folder: &Path) -> bool {
    let Ok(file) = open(folder, DATABASE, File::options().read(true)) else { return false };
    let mut header = [0; 64];
    let version = |header: &[u8; 64]| i32::from_be_bytes([header[60], header[61], header[62], header[63]]);
    file.read_exact_at(&mut header, 0).is_ok()
        && header.starts_with(b"SQLite format 3\0")
        && is_known_version(version(&header))
}

fn absorb(connection: &Connection, folder: &Path) -> Result<(), JournalErrorKind> {
    let file = match open(folder, FILE, File::options().read(true).append(true)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?,
    };
    if !file.metadata()?.is_file() {
        return Ok(());
    }
    file.lock()?;
    let mut bytes = Vec::new();
    (&file).take(READ_LIMIT).read_to_end(&mut bytes)?;
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let mut damaged = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let is_in =
            serde_json::from_slice::<Line>(line).is_ok_and(|line| insert(&transaction, &line).is_ok());
        if !is_in {
            damaged.extend_from_slice(line);
            damaged.push(b'\n');
        }
    }
    if !damaged.is_empty() {
        open(folder, DAMAGED, File::options().append(true).create(true))?.write_all(&damaged)?;
    }
    transaction.commit()?;
    // If we do not get here, the next one finds the same lines, and that the runs have ended already.
    Ok(file.set_len(0)?)
}

fn insert(transaction: &Transaction<'_>, line: &Line) -> rusqlite::Result<usize> {
    let Line { id, item, supervisor, chain, request, status, ended, outcome } = line;
    transaction.execute(RECORD, params![id, item, supervisor, chain, request, status, ended, outcome])
}

/// Opens a file of the folder, for the owner alone, and follows no link.
fn open(folder: &Path, name: &str, options: &mut std::fs::OpenOptions) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    options.mode(0o600).custom_flags(flags.bits().cast_signed()).open(folder.join(name))
}
