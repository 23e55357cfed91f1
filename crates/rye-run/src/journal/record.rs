//! What is known of a run.

use std::path::PathBuf;
use std::time::Duration;

use lillux::clock::Timestamp;
use lillux::process::ProcessHandle;
use lillux::{Capture, Digest};
use rye_item::{ItemRef, Space};

use super::{RunId, RunStatus};

/// All that is known of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRecord {
    /// What was known when it began.
    pub start: RunStart,
    /// What has become of it.
    pub state: RunState,
}

/// What is known of a run when it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStart {
    /// Its name, which also says when it started.
    pub id: RunId,
    /// What runs.
    pub item: ItemRef,
    /// The process that watches over it, and writes down how it ends.
    pub supervisor: ProcessHandle,
    /// The item and its executors, down to the primitive.
    pub chain: Vec<ChainEntry>,
    /// What was asked for.
    pub request: RequestSummary,
}

/// One element of the chain that ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainEntry {
    /// The item.
    pub item: ItemRef,
    /// The space that it was found in.
    pub space: Space,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Who signed it, if anybody.
    pub signer: Option<String>,
}

/// The parameters of a run. Whoever makes a summary has masked them.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct RequestSummary {
    /// How many bytes of JSON the parameters have.
    pub bytes: u64,
    /// The digest of that JSON.
    pub digest: Digest,
    /// The JSON itself, unless it is longer than [`RequestSummary::LIMIT`].
    pub parameters: Option<String>,
}

/// What has become of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunState {
    /// It has not ended.
    Running,
    /// Its supervisor is gone and has left no word of its end.
    Lost,
    /// It has ended.
    Ended(Box<RunEnd>),
}

/// What is known of a run when it has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// When it ended.
    pub ended: Timestamp,
    /// How long it took, by a clock that nobody sets.
    pub duration: Duration,
    /// How it ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: StreamRecord,
    /// Its standard error.
    pub stderr: StreamRecord,
    /// The beginning of its result.
    pub preview: Option<ResultPreview>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Ending {
    /// It did what it should.
    Succeeded {
        /// The exit code, if it was a process.
        exit_code: Option<i32>,
    },
    /// It did not.
    Failed {
        /// The exit code, if it was a process that exited.
        exit_code: Option<i32>,
        /// The stable code of the error, such as `TOOL_FAILED`.
        error: String,
    },
    /// Its time was over.
    TimedOut,
    /// Somebody stopped it.
    Cancelled,
}

/// What a run wrote to one of its streams.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamRecord {
    /// How many bytes.
    pub bytes: u64,
    /// The file that holds all of them, if there is one.
    pub file: Option<OutputFile>,
}

/// Output in a file, in the run's own folder (see [`Journal::output_folder`](super::Journal::output_folder)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputFile {
    /// The file.
    pub path: PathBuf,
    /// The digest of its bytes.
    pub digest: Digest,
}

/// The beginning of a result. Whoever makes a preview has masked it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ResultPreview {
    /// At most [`ResultPreview::LIMIT`] bytes of it.
    pub text: String,
    /// How many bytes the whole has.
    pub bytes: u64,
}

impl RunRecord {
    /// The name of the run.
    #[must_use]
    pub fn id(&self) -> RunId {
        self.start.id
    }

    /// How the run stands.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match &self.state {
            RunState::Running => RunStatus::Running,
            RunState::Lost => RunStatus::Lost,
            RunState::Ended(end) => end.ending.status(),
        }
    }
}

impl RunStart {
    /// When the run started.
    #[must_use]
    pub fn started(&self) -> Timestamp {
        self.id.started()
    }
}

impl RequestSummary {
    /// The most bytes of parameters that are kept.
    pub const LIMIT: usize = 8 * 1024;

    /// What is kept of these parameters, which are JSON and masked.
    #[must_use]
    pub fn of(json: &str) -> Self {
        let parameters = (json.len() <= Self::LIMIT).then(|| json.to_owned());
        Self { bytes: json.len() as u64, digest: Digest::of(json.as_bytes()), parameters }
    }
}

impl ResultPreview {
    /// The most bytes of a result that are kept.
    pub const LIMIT: usize = 2 * 1024;

    /// The beginning of this result, which is masked.
    #[must_use]
    pub fn of(result: &str) -> Self {
        let end = result.floor_char_boundary(Self::LIMIT);
        Self { text: result[..end].to_owned(), bytes: result.len() as u64 }
    }
}

impl Ending {
    /// How a run stands that ended so.
    #[must_use]
    pub fn status(&self) -> RunStatus {
        match self {
            Self::Succeeded { .. } => RunStatus::Succeeded,
            Self::Failed { .. } => RunStatus::Failed,
            Self::TimedOut => RunStatus::TimedOut,
            Self::Cancelled => RunStatus::Cancelled,
        }
    }
}

impl From<&Capture> for StreamRecord {
    fn from(capture: &Capture) -> Self {
        let file = capture.spool.as_ref();
        let file = file.map(|spool| OutputFile { path: spool.path.clone(), digest: spool.digest });
        Self { bytes: capture.total, file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_parameters_are_told_by_their_digest_only() {
        let short = RequestSummary::of("{}");
        assert_eq!((short.bytes, short.parameters.as_deref()), (2, Some("{}")));
        let json = format!("\"{}\"", "x".repeat(RequestSummary::LIMIT));
        let long = RequestSummary::of(&json);
        assert_eq!((long.bytes, long.digest, long.parameters), (8194, Digest::of(json.as_bytes()), None));
    }

    #[test]
    fn a_preview_ends_with_a_whole_character() {
        let result = format!("{}ü", "x".repeat(ResultPreview::LIMIT - 1));
        let preview = ResultPreview::of(&result);
        assert_eq!((preview.text.len(), preview.bytes), (ResultPreview::LIMIT - 1, 2049));
        assert_eq!(ResultPreview::of("42"), ResultPreview { text: "42".to_owned(), bytes: 2 });
    }
}
