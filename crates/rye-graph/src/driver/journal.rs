//! The journal of one run: everything that has happened, in the order in which the walker was told.

use std::fs::File;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};
use serde_json::{Map, Value, json};

use super::effects::Effects;
use super::failpoint::Place;
use super::kept::{Kept, Values};
use super::timers::{Timers, now};
use super::{Failpoint, GraphJournalError, GraphJournalErrorKind as Kind, Message, RunHeader, RunStatus};
use crate::{Event, Finish, Walker};

/// What a run begins with.
#[derive(Debug)]
pub struct Begin {
    /// What it is about.
    pub header: RunHeader,
    /// The parameters of the call.
    pub inputs: Value,
    /// The state that is there from the beginning, for the run of a single node.
    pub state: Map<String, Value>,
}

/// The journal of one run.
#[derive(Debug)]
pub struct RunJournal {
    pub(super) path: PathBuf,
    pub(super) connection: Connection,
    pub(super) values: Values,
    pub(super) header: RunHeader,
    /// The number of the last row, and what all rows up to it come to.
    pub(super) last: (i64, u32),
    pub(super) since_snapshot: Since,
    /// Held for as long as we drive the run.
    pub(super) lock: Option<File>,
    pub(super) failpoint: Option<Failpoint>,
    heard: i64,
}

/// What has come since the last snapshot.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Since {
    pub(super) events: usize,
    pub(super) bytes: usize,
    pub(super) snapshot_bytes: usize,
}

/// An event on its way into the journal.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) event: Kept,
    pub(super) effects: Effects,
}

/// A row of the database costs more than what is in it.
const ROW: usize = 200;
/// There is no snapshot more often than this.
const LEAST: usize = 256;
/// There is one at least that often.
const MOST: usize = 4096;

impl RunJournal {
    pub(super) fn new(path: &Path, connection: Connection, header: RunHeader) -> Self {
        let values = Values::new(path.with_extension("values"));
        Self {
            path: path.to_owned(),
            connection,
            values,
            header,
            last: (-1, 0),
            since_snapshot: Since::default(),
            lock: None,
            failpoint: None,
            heard: 0,
        }
    }

    /// What the run is about.
    #[must_use]
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// The database.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where large values are.
    #[must_use]
    pub fn values_folder(&self) -> &Path {
        self.values.folder()
    }

    /// Makes the process end at a place, to see what is left.
    pub fn fail_at(&mut self, failpoint: Option<Failpoint>) {
        self.failpoint = failpoint;
    }

    /// Writes down what a run begins with, and how it has ended if it needs no step. The transaction that made the database
    /// is still open.
    pub(super) fn begin(
        &mut self,
        begin: &Begin,
        effects: Effects,
        finish: Option<&Finish>,
    ) -> Result<(), Kind> {
        let start = self.values.keep(&json!({ "inputs": begin.inputs, "state": begin.state }))?;
        let header = serde_json::to_string(&begin.header).map_err(|error| Kind::Io(error.into()))?;
        let insert = "INSERT INTO run (header, body, digest, status) VALUES (?1, ?2, ?3, ?4)";
        let status = RunStatus::Running.as_str();
        self.connection.execute(insert, params![header, start.body, start.digest, status])?;
        self.insert(&Row { event: Kept::default(), effects })?;
        if let Some(finish) = finish {
            self.end(finish)?;
        }
        self.pass(Place::InBegin);
        self.connection.execute_batch("COMMIT")?;
        Ok(())
    }

    /// Makes an event ready for the journal, before the walker has it.
    pub(super) fn prepare(&self, event: &Event) -> Result<Kept, GraphJournalError> {
        self.values.keep(event).map_err(|kind| self.failed(kind))
    }

    /// Writes down events, all or none, and how the run has ended if it has. When it returns, they are on the disk.
    pub(super) fn append(
        &mut self,
        rows: &[Row],
        heard: Option<i64>,
        finish: Option<&Finish>,
    ) -> Result<(), GraphJournalError> {
        let (last, since) = (self.last, self.since_snapshot);
        let written = self.append_in_transaction(rows, heard, finish);
        written.map_err(|kind| {
            // If it cannot even be taken back, closing the database does it.
            let _ = self.connection.execute_batch("ROLLBACK");
            (self.last, self.since_snapshot) = (last, since);
            self.failed(kind)
        })
    }

    fn append_in_transaction(
        &mut self,
        rows: &[Row],
        heard: Option<i64>,
        finish: Option<&Finish>,
    ) -> Result<(), Kind> {
        // These are the statements of every step, and to parse them takes longer than to carry them out.
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        for row in rows {
            self.insert(row)?;
        }
        if let Some(number) = heard {
            self.connection.execute("DELETE FROM inbox WHERE number <= ?1", [number])?;
        }
        if let Some(finish) = finish {
            self.end(finish)?;
        }
        self.pass(Place::InCommit);
        self.connection.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }

    fn end(&self, finish: &Finish) -> Result<(), Kind> {
        let kept = self.values.keep(finish)?;
        let update = "UPDATE run SET status = ?1, ended = ?2, end_body = ?3, end_digest = ?4";
        let status = status_of(finish).as_str();
        self.connection.execute(update, params![status, now(), kept.body, kept.digest])?;
        Ok(())
    }

    fn insert(&mut self, row: &Row) -> Result<(), Kind> {
        let effects = match &row.effects {
            effects if effects.is_empty() => None,
            effects => Some(serde_json::to_string(effects).map_err(|error| Kind::Io(error.into()))?),
        };
        let seq = self.last.0 + 1;
        let crc = checksum(self.last.1, seq, &row.event, effects.as_deref());
        let insert =
            "INSERT INTO events (seq, at, body, digest, effects, crc) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let mut statement = self.connection.prepare_cached(insert)?;
        statement.execute(params![seq, now(), row.event.body, row.event.digest, effects, crc])?;
        self.last = (seq, crc);
        self.since_snapshot.events += 1;
        self.since_snapshot.bytes += row.event.bytes + ROW;
        Ok(())
    }

    /// Keeps where the walk is, if it is worth while, so that going on does not take longer and longer.
    pub(super) fn snapshot_if_due(
        &mut self,
        walker: &Walker,
        timers: &Timers,
    ) -> Result<(), GraphJournalError> {
        let Since { events, bytes, snapshot_bytes } = self.since_snapshot;
        if events < LEAST || (bytes < snapshot_bytes && events < MOST) {
            return Ok(());
        }
        self.snapshot(walker, timers).map_err(|kind| {
            let _ = self.connection.execute_batch("ROLLBACK");
            self.failed(kind)
        })
    }

    fn snapshot(&mut self, walker: &Walker, timers: &Timers) -> Result<(), Kind> {
        let kept = self.values.keep(walker.snapshot())?;
        let timers = serde_json::to_string(timers.as_slice()).map_err(|error| Kind::Io(error.into()))?;
        let crc = checksum(self.last.1, self.last.0, &kept, Some(&timers));
        self.connection.execute_batch("BEGIN IMMEDIATE; DELETE FROM snapshots")?;
        let insert = "INSERT INTO snapshots (seq, body, digest, timers, crc) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.execute(insert, params![self.last.0, kept.body, kept.digest, timers, crc])?;
        self.pass(Place::InSnapshot);
        self.connection.execute_batch("COMMIT")?;
        self.pass(Place::AfterSnapshot);
        self.since_snapshot = Since { events: 0, bytes: 0, snapshot_bytes: kept.bytes };
        Ok(())
    }

    /// Writes down how the run stands while nobody drives it.
    pub(super) fn set_status(&mut self, status: RunStatus) -> Result<(), GraphJournalError> {
        let update = "UPDATE run SET status = ?1 WHERE status <> ?1";
        let updated = self.connection.execute(update, [status.as_str()]);
        updated.map(|_| ()).map_err(|error| self.failed(error))
    }

    /// Ends a run that cannot be walked any more, because its graph is gone or has changed. Its rows stay as they are.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn abandon(mut self, reason: &str) -> Result<(), GraphJournalError> {
        let finish = Finish::Cancelled { reason: reason.to_owned() };
        self.append(&[], Some(i64::MAX), Some(&finish))
    }

    /// Leaves a message for whoever drives the run.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn leave_message(&self, message: &Message) -> Result<(), GraphJournalError> {
        let body = serde_json::to_string(message).map_err(|error| self.failed(Kind::Io(error.into())))?;
        let insert = "INSERT INTO inbox (at, body) VALUES (?1, ?2)";
        self.connection.execute(insert, params![now(), body]).map_err(|error| self.failed(error))?;
        Ok(())
    }

    /// Whether others may have written something since this was last asked. It costs next to nothing.
    pub(super) fn has_news(&mut self) -> Result<bool, GraphJournalError> {
        let version = self
            .connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get::<_, i64>(0)))
            .map_err(|error| self.failed(error))?;
        Ok(std::mem::replace(&mut self.heard, version) != version)
    }

    /// The messages that nobody has taken note of yet, and the number of the last one.
    pub(super) fn messages(&self) -> Result<(Vec<Message>, Option<i64>), GraphJournalError> {
        let mut messages = Vec::new();
        let mut last = None;
        let mut read = || -> Result<(), Kind> {
            let mut statement = self.connection.prepare("SELECT number, body FROM inbox ORDER BY number")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                last = Some(row.get(0)?);
                let body: String = row.get(1)?;
                // What cannot be understood is nobody's message, and goes away with the others.
                messages.extend(serde_json::from_str::<Message>(&body).ok());
            }
            Ok(())
        };
        read().map_err(|kind| self.failed(kind))?;
        Ok((messages, last))
    }

    pub(super) fn pass(&self, place: Place) {
        Failpoint::pass(self.failpoint.as_ref(), place);
    }

    pub(super) fn failed(&self, kind: impl Into<Kind>) -> GraphJournalError {
        GraphJournalError::new(&self.path, kind)
    }
}

pub(super) fn status_of(finish: &Finish) -> RunStatus {
    match finish {
        Finish::Completed { .. } => RunStatus::Completed,
        Finish::Failed { .. } => RunStatus::Failed,
        Finish::Cancelled { .. } => RunStatus::Cancelled,
    }
}

/// What a row comes to, together with all before it: a row that was changed, left out or added does not fit.
pub(super) fn checksum(before: u32, seq: i64, kept: &Kept, more: Option<&str>) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(before);
    hasher.update(&seq.to_le_bytes());
    for part in [kept.body.as_deref(), kept.digest.as_deref(), more] {
        hasher.update(part.unwrap_or_default().as_bytes());
        hasher.update(&[0]);
    }
    hasher.finalize()
}
