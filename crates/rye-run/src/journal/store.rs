//! Writing and reading records.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lillux::process::{ProcessHandle, ProcessStatus};
use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::database::{self, make_folder};
use super::row::{self, COLUMNS, EndRow, StartRow};
use super::spool::RECORD;
use super::{
    JournalError, JournalErrorKind, RunEnd, RunFilter, RunId, RunIdPrefix, RunRecord, RunStart, RunState,
    RunStatus, output_folder,
};

/// The record of runs of one folder. Threads can share it, and processes can open it at once.
#[derive(Debug)]
pub struct Journal {
    folder: PathBuf,
    connection: Mutex<Connection>,
}

impl Journal {
    /// Opens the journal in `folder`, and makes both if need be.
    ///
    /// # Errors
    /// If the folder cannot be written, or what is there as a database is broken, of another program, or of a later
    /// version. Such a file is left as it is.
    pub fn open(folder: &Path) -> Result<Self, JournalError> {
        let open = || {
            let folder = make_folder(folder)?;
            let connection = Mutex::new(database::open(&folder)?);
            Ok(Self { folder, connection })
        };
        let journal = open().map_err(|kind: JournalErrorKind| JournalError::new(folder, kind))?;
        journal.absorb()?;
        Ok(journal)
    }

    /// Opens the journal in the first of `folders` that can be written.
    ///
    /// # Errors
    /// If none can be written, or as [`open`](Self::open) for the first that can. Nothing is passed over but what
    /// cannot be written: otherwise records would be in several places, and nobody would hear why.
    pub fn open_first(folders: &[PathBuf]) -> Result<Self, JournalError> {
        let mut last = JournalError::new(Path::new(""), JournalErrorKind::NoFolder);
        for folder in folders {
            match Self::open(folder) {
                Err(error) if matches!(error.kind(), JournalErrorKind::NotWritable(_)) => last = error,
                opened => return opened,
            }
        }
        Err(last)
    }

    /// The folder that holds the records and the output of runs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder for files with the output of a run. It is made by whoever has such output, and removed with the
    /// record.
    #[must_use]
    pub fn output_folder(&self, id: RunId) -> PathBuf {
        output_folder::output_folder(&self.folder, id)
    }

    /// Writes down that a run has begun. Once in many runs this takes some milliseconds.
    ///
    /// # Errors
    /// If there is such a run already, or the database refuses.
    pub fn begin(&self, start: &RunStart) -> Result<(), JournalError> {
        self.tidy(start.id.started());
        self.with(|connection| {
            let StartRow { id, item, supervisor, chain, request } = StartRow::new(start)?;
            let sql = "INSERT INTO runs (id, item, supervisor, chain, request) VALUES (?1, ?2, ?3, ?4, ?5)";
            match connection.execute(sql, params![id, item, supervisor, chain, request]) {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                    Err(JournalErrorKind::RunExists { id: start.id })
                }
                written => Ok(written.map(drop)?),
            }
        })
    }

    /// Writes down how a run that has begun ended. What was written first stays.
    ///
    /// # Errors
    /// If there is no such run, it has ended already, its output is elsewhere, or the database refuses.
    pub fn finish(&self, id: RunId, end: &RunEnd) -> Result<(), JournalError> {
        self.with(|connection| {
            let EndRow { status, ended, outcome } = EndRow::new(end, id, &self.folder)?;
            let sql =
                "UPDATE runs SET status = ?2, ended = ?3, outcome = ?4 WHERE id = ?1 AND status IS NULL";
            if connection.execute(sql, params![id.to_bytes(), status, ended, outcome])? == 1 {
                return Ok(());
            }
            let sql = "SELECT 1 FROM runs WHERE id = ?1";
            match connection.query_row(sql, [id.to_bytes()], |_| Ok(())).optional()? {
                Some(()) => Err(JournalErrorKind::AlreadyEnded { id }),
                None => Err(JournalErrorKind::RunNotFound { id }),
            }
        })
    }

    /// Writes down all of a run that has ended, whether or not its begin was written. Of what was planned at its begin
    /// and what ran, the latter stays.
    ///
    /// # Errors
    /// If it has ended already, its output is elsewhere, or the database refuses.
    pub fn record(&self, start: &RunStart, end: &RunEnd) -> Result<(), JournalError> {
        self.tidy(start.id.started());
        self.with(|connection| {
            let StartRow { id, item, supervisor, chain, request } = StartRow::new(start)?;
            let EndRow { status, ended, outcome } = EndRow::new(end, start.id, &self.folder)?;
            let values = params![id, item, supervisor, chain, request, status, ended, outcome];
            match connection.execute(RECORD, values)? {
                0 => Err(JournalErrorKind::AlreadyEnded { id: start.id }),
                _ => Ok(()),
            }
        })
    }

    /// All that is known of a run.
    ///
    /// # Errors
    /// If there is no such run, or its record cannot be read.
    pub fn get(&self, id: RunId) -> Result<RunRecord, JournalError> {
        let record = self.read_with_end(id)?;
        if record.state != RunState::Running || is_alive(&record.start.supervisor) {
            return Ok(record);
        }
        // The supervisor may have written down the end just before its own.
        let record = self.read_with_end(id)?;
        let state = if record.state == RunState::Running { RunState::Lost } else { record.state };
        Ok(RunRecord { state, ..record })
    }

    /// The first `limit` runs whose names begin so.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn with_prefix(&self, prefix: &RunIdPrefix, limit: usize) -> Result<Vec<RunId>, JournalError> {
        let (first, last) = prefix.range();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.with(|connection| {
            let sql = "SELECT id FROM runs WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3";
            let mut statement = connection.prepare(sql)?;
            let read = |row: &rusqlite::Row<'_>| row.get(0).map(RunId::from_bytes);
            let ids = statement.query_map(params![first.to_bytes(), last.to_bytes(), limit], read)?;
            Ok(ids.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The runs that a filter lets through, newest first.
    ///
    /// # Errors
    /// If a record cannot be read.
    pub fn list(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, JournalError> {
        let mut records = self.with(|connection| self.select(connection, filter))?;
        for record in records.iter_mut().filter(|record| record.state == RunState::Lost) {
            // Now that the view of the database is a later one, the end may be in it after all.
            *record = self.get(record.id())?;
        }
        records.retain(|record| filter.status.is_none_or(|status| record.status() == status));
        Ok(records)
    }

    fn select(
        &self,
        connection: &Connection,
        filter: &RunFilter,
    ) -> Result<Vec<RunRecord>, JournalErrorKind> {
        let mut statement = connection.prepare(&format!(
            "SELECT {COLUMNS} FROM runs
            WHERE (?1 IS NULL OR item = ?1) AND (?2 IS NULL OR id < ?2)
                AND (?3 IS NULL OR coalesce(status, 'running') = ?3)
            ORDER BY id DESC"
        ))?;
        let item = filter.item.as_ref().map(ToString::to_string);
        let before = filter.before.map(RunId::to_bytes);
        // Which of the runs without an end are lost is not in the database.
        let status = filter.status.map(|status| match status {
            RunStatus::Lost => RunStatus::Running.name(),
            status => status.name(),
        });
        let mut rows = statement.query(params![item, before, status])?;
        let mut alive = HashMap::new();
        let mut records = Vec::new();
        while records.len() < filter.limit
            && let Some(row) = rows.next()?
        {
            let mut record = row::read(row, &self.folder)?;
            if record.state == RunState::Running {
                let supervisor = &record.start.supervisor;
                let alive = *alive.entry(supervisor.clone()).or_insert_with(|| is_alive(supervisor));
                record.state = if alive { RunState::Running } else { RunState::Lost };
            }
            if filter.status.is_none_or(|status| record.status() == status) {
                records.push(record);
            }
        }
        Ok(records)
    }

    /// Reads a record. The end of a run may have been appended since the database was opened.
    fn read_with_end(&self, id: RunId) -> Result<RunRecord, JournalError> {
        let record = self.read(id)?;
        if record.state != RunState::Running {
            return Ok(record);
        }
        self.absorb()?;
        self.read(id)
    }

    fn read(&self, id: RunId) -> Result<RunRecord, JournalError> {
        self.with(|connection| {
            let mut statement = connection.prepare(&format!("SELECT {COLUMNS} FROM runs WHERE id = ?1"))?;
            let mut rows = statement.query([id.to_bytes()])?;
            let row = rows.next()?.ok_or(JournalErrorKind::RunNotFound { id })?;
            row::read(row, &self.folder)
        })
    }

    /// Does something with the connection, and says whose error it was.
    pub(super) fn with<T>(
        &self,
        act: impl FnOnce(&Connection) -> Result<T, JournalErrorKind>,
    ) -> Result<T, JournalError> {
        // A thread that panicked has left no transaction open, so the connection is as good as before.
        let connection: MutexGuard<'_, _> = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        act(&connection).map_err(|kind| JournalError::new(&self.folder, kind))
    }
}

/// Whether a supervisor can still write down how its run ends. One that we may not look at is taken to be able to.
pub(super) fn is_alive(supervisor: &ProcessHandle) -> bool {
    !matches!(lillux::process::status(supervisor), Ok(ProcessStatus::Gone | ProcessStatus::Zombie))
}
