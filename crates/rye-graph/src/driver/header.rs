//! What is known of a run apart from its course.

use std::fmt;

use rye_item::Digest;
use serde::{Deserialize, Serialize};

/// What a run is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Its id.
    pub id: String,
    /// The graph, such as `tool:demo/graph`.
    pub item: String,
    /// The digest of the graph.
    pub graph: Digest,
    /// When it began, in microseconds since 1970.
    pub started: i64,
    /// The one node that is walked, if it is not the whole graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// By what the same call of the graph is known again, if it is a step of another run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The graphs that this one is a step of, the outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ancestors: Vec<Ancestor>,
}

/// A graph that the run is a step of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ancestor {
    /// The graph.
    pub item: String,
    /// What it may execute, as its file says it. What runs within it may execute nothing else.
    pub permissions: Vec<String>,
    /// The item that its step executes. Only that one is the call that the step's key stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<String>,
}

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunStatus {
    /// It is under way, or was when its process went away.
    Running,
    /// Somebody has to answer a question.
    Waiting,
    /// Somebody has paused it.
    Paused,
    /// It came to its end.
    Completed,
    /// It failed.
    Failed,
    /// Somebody has ended it.
    Cancelled,
}

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunSummary {
    /// What it is about.
    #[serde(flatten)]
    pub header: RunHeader,
    /// How it stands.
    pub status: RunStatus,
    /// Whether a process drives it.
    pub driven: bool,
    /// When it ended, in microseconds since 1970.
    pub ended: Option<i64>,
}

impl RunStatus {
    /// Every status with the word for it.
    pub const ALL: [(&'static str, Self); 6] = [
        ("running", Self::Running),
        ("waiting", Self::Waiting),
        ("paused", Self::Paused),
        ("completed", Self::Completed),
        ("failed", Self::Failed),
        ("cancelled", Self::Cancelled),
    ];

    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.into_iter().find(|(_, status)| *status == self).map_or("", |(word, _)| word)
    }

    /// Whether the run is over.
    #[must_use]
    pub fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(known, _)| *known == word).map(|(_, status)| status)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
