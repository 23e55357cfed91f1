//! How a run stands, in a word.

use std::fmt;
use std::str::FromStr;

/// How a run stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// It has not ended, and whoever watches over it lives.
    Running,
    /// It did what it should.
    Succeeded,
    /// It did not.
    Failed,
    /// Its time was over.
    TimedOut,
    /// Somebody stopped it.
    Cancelled,
    /// Whoever watched over it is gone and has left no word of its end.
    Lost,
}

/// A word that is no status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not the status of a run: expected running, succeeded, failed, timed_out, cancelled or lost"
)]
pub struct ParseStatusError {
    text: String,
}

impl RunStatus {
    /// Every status.
    pub const ALL: [Self; 6] =
        [Self::Running, Self::Succeeded, Self::Failed, Self::TimedOut, Self::Cancelled, Self::Lost];

    /// The word for this status.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RunStatus {
    type Err = ParseStatusError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| ParseStatusError { text: text.to_owned() })
    }
}
