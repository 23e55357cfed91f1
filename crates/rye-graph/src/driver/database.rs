//! The database of a run: making it, and opening it.

use std::fs::{DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, MAIN_DB};
use rye_run::open_foreign;

use super::GraphJournalErrorKind as Kind;

/// How long other writers are waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// The version of the schema is in the last byte of the database's user version, and these are the others.
const MAGIC: u32 = u32::from_be_bytes(*b"RYG\0");
const VERSION: u32 = 1;

const SCHEMA: &str = "
    CREATE TABLE run (
        header TEXT NOT NULL,
        body TEXT,
        digest TEXT,
        status TEXT NOT NULL,
        ended INTEGER,
        end_body TEXT,
        end_digest TEXT
    ) STRICT;
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        body TEXT,
        digest TEXT,
        effects TEXT,
        crc INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE snapshots (
        seq INTEGER PRIMARY KEY,
        body TEXT,
        digest TEXT,
        timers TEXT NOT NULL,
        crc INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE inbox (
        number INTEGER PRIMARY KEY,
        at INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
";

/// Makes a folder that only its owner can enter, if there is none.
pub(super) fn make_folder(folder: &Path) -> Result<(), Kind> {
    if !folder.is_dir() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(refused)?;
        // Runs are about this machine, and do not belong into a project's history.
        match file_options().create_new(true).open(folder.join(".gitignore")) {
            Ok(mut file) => file.write_all(b"*\n").map_err(refused)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(refused(error)),
        }
    }
    Ok(())
}

/// Makes a database where there is no file yet.
pub(super) fn create(path: &Path) -> Result<Connection, Kind> {
    file_options().create_new(true).open(path).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Kind::Exists,
        _ => refused(error),
    })?;
    let connection = connect(path)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    connection.execute_batch(SETTINGS)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(SCHEMA)?;
    connection.pragma_update(None, "user_version", MAGIC | VERSION)?;
    Ok(connection)
}

/// Opens a database. One that is not ours, or broken, stays as it is.
pub(super) fn open(path: &Path) -> Result<Connection, Kind> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() && metadata.len() == 0 && !has_log(path) => {
            return Err(Kind::NeverBegan);
        }
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(Kind::NotAFile),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Kind::NotFound),
        Err(error) => return Err(refused(error)),
    }
    let connection = connect(path)?;
    let version: i32 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let version = version.cast_unsigned();
    match version ^ MAGIC {
        VERSION => {}
        _ if version == 0 => return Err(Kind::NeverBegan),
        found @ 1..=0xFF => return Err(Kind::Newer { found, known: VERSION }),
        _ => return Err(Kind::Foreign),
    }
    connection.execute_batch(SETTINGS)?;
    Ok(connection)
}

/// Whether the database is whole, as far as it can tell itself.
pub(super) fn check(connection: &Connection) -> Result<(), Kind> {
    let verdict: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(Kind::damaged(verdict)) }
}

/// A commit has reached the disk when it returns.
const SETTINGS: &str = "PRAGMA synchronous = FULL;";

fn connect(path: &Path) -> Result<Connection, Kind> {
    // Links in the path to the folder are fine; the file itself must be none.
    let folder = path.parent().unwrap_or(Path::new(".")).canonicalize()?;
    let connection = open_foreign(&folder.join(path.file_name().unwrap_or_default()), PATIENCE)?;
    if connection.is_readonly(MAIN_DB)? {
        return Err(Kind::NotWritable(io::ErrorKind::PermissionDenied.into()));
    }
    Ok(connection)
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    Path::new(&log).metadata().is_ok_and(|metadata| metadata.len() > 0)
}

/// Files are for their owner alone; what the database puts beside them has the same mode.
pub(super) fn file_options() -> std::fs::OpenOptions {
    let mut options = File::options();
    options.write(true).mode(0o600);
    options
}

fn refused(error: io::Error) -> Kind {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Kind::NotWritable(error),
        _ => Kind::Io(error),
    }
}
