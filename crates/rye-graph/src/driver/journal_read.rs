//! From a journal back to the walk.

use std::sync::Arc;

use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::{Map, Value};

use super::effects::Effects;
use super::journal::{Since, checksum};
use super::kept::Kept;
use super::timers::{DueTimer, Timers};
use super::{
    GraphJournalError, GraphJournalErrorKind as Kind, RunHeader, RunJournal, RunStatus, RunSummary, database,
};
use crate::{Applied, Command, Event, Finish, Graph, RestoreError, StepId, Walker};

/// A run with its walk, as far as its journal goes.
#[derive(Debug)]
pub struct Loaded {
    /// The journal.
    pub journal: RunJournal,
    /// The walk.
    pub walker: Walker,
    pub(super) timers: Timers,
    /// What the walker has said, and nobody has begun to do. It is empty unless the run begins now.
    pub(super) pending: Vec<Command>,
}

/// Something that is on record, and what followed from it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Past {
    /// Its number.
    pub seq: i64,
    /// When it was written down, in milliseconds since 1970.
    pub at: i64,
    /// What has happened; nothing for the beginning of the run.
    #[serde(flatten)]
    pub event: Option<Event>,
    /// The steps that were about to be started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub starts: Vec<StepId>,
}

/// What a run began with, as it is kept.
#[derive(serde::Deserialize)]
struct Start {
    inputs: Value,
    state: Map<String, Value>,
}

impl RunJournal {
    /// Reads what is known of the run.
    pub(super) fn read_header(
        connection: &rusqlite::Connection,
    ) -> Result<(RunHeader, RunStatus, Option<i64>), Kind> {
        let read = |row: &Row<'_>| {
            Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, Option<i64>>(2)?))
        };
        let found = connection.query_row("SELECT header, status, ended FROM run", [], read).optional()?;
        let (header, status, ended) = found.ok_or_else(|| Kind::damaged("it has no header"))?;
        let header =
            serde_json::from_str(&header).map_err(|error| Kind::damaged(format!("header: {error}")))?;
        let status = RunStatus::of_word(&status).ok_or_else(|| Kind::damaged("its status is unknown"))?;
        Ok((header, status, ended.map(|ended| ended.saturating_mul(1000))))
    }

    /// How the run stands. Whether somebody drives it is for the folder to say.
    pub(super) fn summary(&self) -> Result<RunSummary, GraphJournalError> {
        let (header, status, ended) =
            Self::read_header(&self.connection).map_err(|kind| self.failed(kind))?;
        Ok(RunSummary { header, status, driven: false, ended })
    }

    /// How the run stands.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn status(&self) -> Result<RunStatus, GraphJournalError> {
        Ok(self.summary()?.status)
    }

    /// How the run has ended, if it has.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn finish(&self) -> Result<Option<Finish>, GraphJournalError> {
        let read = || -> Result<Option<Finish>, Kind> {
            let kept = self.connection.query_row("SELECT end_body, end_digest FROM run", [], kept)?;
            if kept.body.is_none() && kept.digest.is_none() {
                return Ok(None);
            }
            self.values.read(&kept, "the end of the run").map(Some)
        };
        read().map_err(|kind| self.failed(kind))
    }

    /// What the run was started with.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn inputs(&self) -> Result<Value, GraphJournalError> {
        self.start().map(|start| start.inputs).map_err(|kind| self.failed(kind))
    }

    /// Everything that is on record, one after the other, for as long as `visit` wants more.
    ///
    /// # Errors
    /// If the journal cannot be read.
    pub fn history(&self, visit: &mut dyn FnMut(Past) -> bool) -> Result<(), GraphJournalError> {
        let mut read = || -> Result<(), Kind> {
            let mut statement =
                self.connection.prepare("SELECT body, digest, seq, at, effects FROM events ORDER BY seq")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let (seq, at, effects): (i64, i64, Option<String>) = (row.get(2)?, row.get(3)?, row.get(4)?);
                let what = format!("row {seq}");
                let event = if seq == 0 { None } else { Some(self.values.read(&kept(row)?, &what)?) };
                let effects: Effects = match effects {
                    Some(text) => serde_json::from_str(&text)
                        .map_err(|error| Kind::damaged(format!("{what}: {error}")))?,
                    None => Effects::default(),
                };
                if !visit(Past { seq, at, event, starts: effects.starts }) {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(|kind| self.failed(kind))
    }

    fn start(&self) -> Result<Start, Kind> {
        let kept = self.connection.query_row("SELECT body, digest FROM run", [], kept)?;
        self.values.read(&kept, "what the run began with")
    }

    /// Comes to where the walk was, by a snapshot and the events after it.
    ///
    /// # Errors
    /// If the graph is not the one that was walked, or the journal is damaged.
    pub fn load(mut self, graph: &Arc<Graph>) -> Result<Loaded, GraphJournalError> {
        match self.replay(graph) {
            Ok((walker, timers)) => Ok(Loaded { journal: self, walker, timers, pending: Vec::new() }),
            Err(kind) => Err(self.failed(kind)),
        }
    }

    fn replay(&mut self, graph: &Arc<Graph>) -> Result<(Walker, Timers), Kind> {
        database::check(&self.connection)?;
        if self.header.graph != graph.digest() {
            return Err(Kind::Graph(RestoreError::OtherGraph));
        }
        // A snapshot only saves work: without one, or with one that is damaged, the events alone lead there.
        let (mut walker, mut timers, from) = match self.walk_of_snapshot(graph)? {
            Some(restored) => restored,
            None => (self.walk_anew(graph)?, Timers::default(), None),
        };
        let mut statement = self
            .connection
            .prepare("SELECT seq, body, digest, effects, crc FROM events WHERE seq >= ?1 ORDER BY seq")?;
        let mut rows = statement.query(params![from.unwrap_or(0)])?;
        let (mut last, mut since) = ((-1_i64, 0_u32), self.since_snapshot);
        while let Some(row) = rows.next()? {
            let seq: i64 = row.get(0)?;
            let kept = Kept { body: row.get(1)?, digest: row.get(2)?, bytes: 0 };
            let (effects, crc): (Option<String>, u32) = (row.get(3)?, row.get(4)?);
            if from == Some(seq) {
                last = (seq, crc);
                continue;
            }
            if seq != last.0 + 1 || crc != checksum(last.1, seq, &kept, effects.as_deref()) {
                return Err(Kind::damaged(format!("row {seq} is not as it was written")));
            }
            last = (seq, crc);
            since.events += 1;
            since.bytes += kept.body.as_ref().map_or(super::INLINE_LIMIT, String::len);
            let effects: Effects = match effects.as_deref().map(serde_json::from_str).transpose() {
                Ok(effects) => effects.unwrap_or_default(),
                Err(error) => return Err(Kind::damaged(format!("row {seq}: {error}"))),
            };
            if seq > 0 {
                let event: Event = self.values.read(&kept, &format!("row {seq}"))?;
                if walker.apply(event) == Applied::Ignored {
                    return Err(Kind::damaged(format!("row {seq} does not follow from those before it")));
                }
            }
            let commands = walker.commands();
            if Effects::starts_of(&commands) != effects.starts {
                return Err(Kind::damaged(format!("row {seq} does not lead to the steps that it names")));
            }
            timers.follow(&commands, &effects.timers);
        }
        drop(rows);
        drop(statement);
        if last.0 < 0 {
            return Err(Kind::damaged("it has no rows"));
        }
        (self.last, self.since_snapshot) = (last, since);
        Ok((walker, timers))
    }

    fn walk_anew(&self, graph: &Arc<Graph>) -> Result<Walker, Kind> {
        let Start { inputs, state } = self.start()?;
        match &self.header.node {
            None => Ok(Walker::new(Arc::clone(graph), inputs)),
            Some(node) => Walker::for_single_node(Arc::clone(graph), node, inputs, state)
                .ok_or_else(|| Kind::damaged("it is about a node that there is not")),
        }
    }

    /// The walk as the last snapshot has it, and the number of the row that it was made after.
    fn walk_of_snapshot(
        &mut self,
        graph: &Arc<Graph>,
    ) -> Result<Option<(Walker, Timers, Option<i64>)>, Kind> {
        let query = "SELECT s.body, s.digest, s.seq, s.timers, s.crc, e.crc FROM snapshots s
            JOIN events e ON e.seq = s.seq ORDER BY s.seq DESC LIMIT 1";
        let read = |row: &Row<'_>| {
            let more: (i64, String, u32, u32) = (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?);
            Ok((kept(row)?, more))
        };
        let Some((kept, (seq, timers, crc, before))) =
            self.connection.query_row(query, [], read).optional()?
        else {
            return Ok(None);
        };
        if crc != checksum(before, seq, &kept, Some(&timers)) {
            return Ok(None);
        }
        let Ok(snapshot) = self.values.read(&kept, "snapshot") else { return Ok(None) };
        let Ok(timers) = serde_json::from_str::<Vec<DueTimer>>(&timers) else { return Ok(None) };
        let Ok(walker) = Walker::restore(Arc::clone(graph), snapshot) else { return Ok(None) };
        self.since_snapshot = Since { snapshot_bytes: kept.bytes, ..Since::default() };
        Ok(Some((walker, Timers::new(timers), Some(seq))))
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let (body, digest): (Option<String>, Option<String>) = (row.get(0)?, row.get(1)?);
    let bytes = body.as_ref().map_or(super::INLINE_LIMIT, String::len);
    Ok(Kept { body, digest, bytes })
}
