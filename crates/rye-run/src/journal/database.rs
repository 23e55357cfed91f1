//! The database file: opening it, making it, and keeping it small.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, MAIN_DB, Transaction, TransactionBehavior};

use super::JournalErrorKind;
use crate::open_foreign;

pub(super) const DATABASE: &str = "runs.sqlite3";

/// How long other writers are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// The version of the schema is in the last byte of the database's user version, and these are the others.
const MAGIC: u32 = u32::from_be_bytes(*b"RYE\0");
const VERSION: u32 = 1;

/// How large the write-ahead log may get. Whoever opens the database first reads all of it, and a larger one takes
/// more time there than it saves elsewhere.
const LOG_LIMIT: u64 = 1024 * 1024;

const SCHEMA: &str = "
    CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        id BLOB NOT NULL UNIQUE,
        item TEXT NOT NULL,
        supervisor TEXT NOT NULL,
        chain TEXT NOT NULL,
        request TEXT NOT NULL,
        status TEXT,
        ended INTEGER,
        outcome TEXT
    ) STRICT;
";

/// What each connection sets. The log is not emptied by whoever happens to write, but by [`empty_log`].
const SETTINGS: &str = "
    PRAGMA synchronous = NORMAL;
    PRAGMA wal_autocheckpoint = 0;
";

/// Makes the folder of a journal if need be, and gives its path without links.
pub(super) fn make_folder(folder: &Path) -> Result<PathBuf, JournalErrorKind> {
    match folder.canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        found => return found.map_err(refused),
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(refused)?;
    Ok(folder.canonicalize()?)
}

/// Opens the database of a folder, and makes it if there is none. One that is not ours, or broken, stays as it is.
pub(super) fn open(folder: &Path) -> Result<Connection, JournalErrorKind> {
    let path = folder.join(DATABASE);
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(JournalErrorKind::NotAFile { path }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Records are about this machine, and do not belong into a project's history.
            create_file(&folder.join(".gitignore"), b"*\n")?;
            create_file(&path, b"")?;
        }
        Err(error) => return Err(refused(error)),
    }
    let connection = open_foreign(&path, PATIENCE)?;
    // A process that ends would otherwise wait for the disk more than once.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if connection.is_readonly(MAIN_DB)? {
        return Err(JournalErrorKind::NotWritable(io::ErrorKind::PermissionDenied.into()));
    }
    if !is_made(&connection)? {
        make(&connection)?;
    }
    connection.execute_batch(SETTINGS)?;
    Ok(connection)
}

/// Whether the log is so large that it is time to tidy up.
pub(super) fn is_untidy(folder: &Path) -> bool {
    let log = folder.join(format!("{DATABASE}-wal"));
    log.metadata().is_ok_and(|metadata| metadata.len() > LOG_LIMIT)
}

/// Moves the log into the database, if nobody is reading. That takes some milliseconds.
pub(super) fn empty_log(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::ZERO)?;
    // If others are at work, one of the next runs will find a better moment.
    let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    connection.busy_timeout(PATIENCE)
}

/// A file for the owner alone; what the database puts beside it later has the same mode. One that is there stays.
fn create_file(path: &Path, contents: &[u8]) -> Result<(), JournalErrorKind> {
    let created = File::options().write(true).create_new(true).mode(0o600).open(path);
    match created.and_then(|mut file| file.write_all(contents)) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(refused(error)),
        _ => Ok(()),
    }
}

/// Whether a database with this user version has our schema.
pub(super) fn is_known_version(version: i32) -> bool {
    version.cast_unsigned() == MAGIC | VERSION
}

/// Whether the schema is there, in a version that is known.
fn is_made(connection: &Connection) -> Result<bool, JournalErrorKind> {
    let version: i32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    if is_known_version(version) {
        return Ok(true);
    }
    let version = version.cast_unsigned();
    match version ^ MAGIC {
        _ if version == 0 => Ok(false),
        found @ 1..=0xFF => Err(JournalErrorKind::Newer { found, known: VERSION }),
        _ => Err(JournalErrorKind::Foreign),
    }
}

/// Makes the schema. Several processes may do so at once, and one of them succeeds.
fn make(connection: &Connection) -> Result<(), JournalErrorKind> {
    let end = Instant::now() + PATIENCE;
    loop {
        match try_to_make(connection) {
            // For some locks the database does not wait by itself.
            Err(JournalErrorKind::Busy(_)) if Instant::now() < end => sleep(Duration::from_millis(5)),
            made => return made,
        }
    }
}

fn try_to_make(connection: &Connection) -> Result<(), JournalErrorKind> {
    let count = "SELECT count(*) FROM sqlite_schema";
    let tables: i64 = connection.query_row(count, [], |row| row.get(0))?;
    if tables == 0 {
        connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    if is_made(&transaction)? {
        return Ok(());
    }
    if tables > 0 {
        return Err(JournalErrorKind::Foreign);
    }
    transaction.execute_batch(SCHEMA)?;
    transaction.pragma_update(None, "user_version", MAGIC | VERSION)?;
    transaction.commit()?;
    // Whoever looks at the first bytes of the file sees whose it is. If others are at work, one of them does it later.
    let _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
    Ok(())
}

fn refused(error: io::Error) -> JournalErrorKind {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            JournalErrorKind::NotWritable(error)
        }
        _ => JournalErrorKind::Io(error),
    }
}
