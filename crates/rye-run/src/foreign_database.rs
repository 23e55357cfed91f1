//! Opening a database that may come with a project.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

/// More than any value of ours has, because large ones are kept elsewhere.
const VALUE_LIMIT: i32 = 1024 * 1024;

/// Opens a database for reading and writing, of which nothing is carried out that somebody else has put into it: no trigger,
/// no view, no function that a schema names. Values that are larger than any of ours are not read.
///
/// Others who write are waited for as long as `patience` says. There has to be a file of that name, and no link on the way to
/// it.
///
/// # Errors
/// If there is no such file, or it cannot be opened.
pub fn open_foreign(path: &Path, patience: Duration) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(patience)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE_LIMIT)?;
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOREIGN: &str = "
        CREATE TABLE t (x TEXT);
        CREATE TRIGGER gone AFTER INSERT ON t BEGIN DELETE FROM t; END;
        CREATE VIEW seen AS SELECT x FROM t;
        INSERT INTO t SELECT 'before';
        INSERT INTO t SELECT 'before';
        CREATE TABLE large (x BLOB);
        INSERT INTO large VALUES (zeroblob(2000000));
    ";

    #[test]
    fn nothing_that_a_database_says_is_carried_out() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        let path = folder.join("a.sqlite3");
        Connection::open(&path).unwrap().execute_batch(FOREIGN).unwrap();
        let database = open_foreign(&path, Duration::ZERO).unwrap();
        database.execute_batch("INSERT INTO t VALUES ('after')").unwrap();
        let count = |query: &str| database.query_row(query, [], |row| row.get::<_, i64>(0));
        assert_eq!(count("SELECT count(*) FROM t"), Ok(1), "no trigger");
        count("SELECT count(*) FROM seen").unwrap_err();
        database.query_row("SELECT x FROM large", [], |row| row.get::<_, Vec<u8>>(0)).unwrap_err();
        for change in ["PRAGMA writable_schema = 1", "UPDATE sqlite_schema SET sql = ''"] {
            let _ = database.execute_batch(change);
        }
        assert_eq!(
            count("SELECT count(*) FROM sqlite_schema WHERE sql = ''"),
            Ok(0),
            "no change of the schema"
        );
    }

    #[test]
    fn what_is_no_file_is_not_opened() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().canonicalize().unwrap();
        open_foreign(&folder.join("none"), Duration::ZERO).unwrap_err();
        assert!(!folder.join("none").exists());
        Connection::open(folder.join("there")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        std::os::unix::fs::symlink(folder.join("there"), folder.join("link")).unwrap();
        open_foreign(&folder.join("link"), Duration::ZERO).unwrap_err();
        open_foreign(&folder.join("there"), Duration::ZERO).unwrap();
    }
}
