//! Records as rows of the database.

use std::io;
use std::path::Path;
use std::time::Duration;

use lillux::Digest;
use lillux::clock::Timestamp;
use rusqlite::Row;
use rye_item::{ItemId, ItemRef, Space};
use serde::{Deserialize, Serialize};

use super::output_folder::{recorded_name, recorded_path};
use super::{
    ChainEntry, Ending, JournalErrorKind, OutputFile, ResultPreview, RunEnd, RunId, RunRecord, RunStart,
    RunState, StreamRecord,
};

/// What [`read`] expects, in this order.
pub(super) const COLUMNS: &str = "id, item, supervisor, chain, request, ended, outcome";

/// What is written when a run begins.
#[derive(Debug)]
pub(super) struct StartRow {
    pub(super) id: [u8; 16],
    pub(super) item: String,
    pub(super) supervisor: String,
    pub(super) chain: String,
    pub(super) request: String,
}

/// What is added when it ends.
pub(super) struct EndRow {
    pub(super) status: &'static str,
    pub(super) ended: i64,
    pub(super) outcome: String,
}

#[derive(Serialize, Deserialize)]
struct StoredEntry {
    item: String,
    space: Space,
    digest: Digest,
    signer: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct StoredOutcome {
    duration_us: u64,
    ending: Ending,
    stdout: StoredStream,
    stderr: StoredStream,
    preview: Option<ResultPreview>,
}

#[derive(Serialize, Deserialize)]
struct StoredStream {
    bytes: u64,
    file: Option<StoredFile>,
}

#[derive(Serialize, Deserialize)]
struct StoredFile {
    name: String,
    digest: Digest,
}

impl StartRow {
    pub(super) fn new(start: &RunStart) -> Result<Self, JournalErrorKind> {
        let chain: Vec<_> = start.chain.iter().map(StoredEntry::new).collect();
        Ok(Self {
            id: start.id.to_bytes(),
            item: start.item.to_string(),
            supervisor: start.supervisor.to_string(),
            chain: to_json(&chain)?,
            request: to_json(&start.request)?,
        })
    }
}

impl EndRow {
    pub(super) fn new(end: &RunEnd, id: RunId, journal: &Path) -> Result<Self, JournalErrorKind> {
        let outcome = StoredOutcome {
            duration_us: u64::try_from(end.duration.as_micros()).unwrap_or(u64::MAX),
            ending: end.ending.clone(),
            stdout: StoredStream::new(&end.stdout, id, journal)?,
            stderr: StoredStream::new(&end.stderr, id, journal)?,
            preview: end.preview.clone(),
        };
        Ok(Self {
            status: end.ending.status().name(),
            ended: end.ended.unix_micros(),
            outcome: to_json(&outcome)?,
        })
    }
}

/// Reads the row of a run. One that has not ended is taken to be running.
pub(super) fn read(row: &Row<'_>, journal: &Path) -> Result<RunRecord, JournalErrorKind> {
    let id = RunId::from_bytes(row.get(0)?);
    let damaged = |what| JournalErrorKind::DamagedRecord { id, what };
    let text = |column| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let chain: Vec<StoredEntry> = serde_json::from_str(text(3)?).map_err(|_| damaged("its chain"))?;
    let start = RunStart {
        id,
        item: item(text(1)?).ok_or_else(|| damaged("its item"))?,
        supervisor: text(2)?.parse().map_err(|_| damaged("its supervisor"))?,
        chain: chain
            .into_iter()
            .map(StoredEntry::read)
            .collect::<Option<_>>()
            .ok_or_else(|| damaged("its chain"))?,
        request: serde_json::from_str(text(4)?).map_err(|_| damaged("its request"))?,
    };
    let Some(ended) = row.get::<_, Option<i64>>(5)? else {
        return Ok(RunRecord { start, state: RunState::Running });
    };
    let outcome: StoredOutcome = serde_json::from_str(text(6)?).map_err(|_| damaged("its outcome"))?;
    let end = RunEnd {
        ended: Timestamp::from_unix_micros(ended).ok_or_else(|| damaged("its end"))?,
        duration: Duration::from_micros(outcome.duration_us),
        ending: outcome.ending,
        stdout: outcome.stdout.read(id, journal).ok_or_else(|| damaged("its output"))?,
        stderr: outcome.stderr.read(id, journal).ok_or_else(|| damaged("its output"))?,
        preview: outcome.preview,
    };
    Ok(RunRecord { start, state: RunState::Ended(Box::new(end)) })
}

impl StoredEntry {
    fn new(entry: &ChainEntry) -> Self {
        let ChainEntry { item, space, digest, signer } = entry;
        Self { item: item.to_string(), space: *space, digest: *digest, signer: signer.clone() }
    }

    fn read(self) -> Option<ChainEntry> {
        let Self { item: name, space, digest, signer } = self;
        Some(ChainEntry { item: item(&name)?, space, digest, signer })
    }
}

impl StoredStream {
    fn new(stream: &StreamRecord, id: RunId, journal: &Path) -> Result<Self, JournalErrorKind> {
        let store = |file: &OutputFile| {
            let name = recorded_name(journal, id, &file.path);
            let foreign = || JournalErrorKind::ForeignOutput { id, path: file.path.clone() };
            Ok(StoredFile { name: name.ok_or_else(foreign)?.to_owned(), digest: file.digest })
        };
        let file = stream.file.as_ref().map(store).transpose();
        file.map(|file| Self { bytes: stream.bytes, file })
    }

    fn read(self, id: RunId, journal: &Path) -> Option<StreamRecord> {
        let file = match self.file {
            Some(file) => {
                let path = recorded_path(journal, id, &file.name)?;
                Some(OutputFile { path, digest: file.digest })
            }
            None => None,
        };
        Some(StreamRecord { bytes: self.bytes, file })
    }
}

fn to_json(value: &impl Serialize) -> Result<String, JournalErrorKind> {
    Ok(serde_json::to_string(value).map_err(io::Error::from)?)
}

fn item(text: &str) -> Option<ItemRef> {
    let (kind, id) = text.split_once(':')?;
    Some(ItemRef::new(kind.parse().ok()?, ItemId::new(id).ok()?))
}
