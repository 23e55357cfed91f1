//! Why a run that could have started warm did not.

use std::fmt;

/// Why a run that could have started warm did not.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ColdReason {
    /// No process was ready yet.
    NothingReady,
    /// The helper cannot do this job.
    Declined {
        /// What it says.
        why: String,
    },
    /// The helper answered with nonsense, or ended without an answer.
    Nonsense,
    /// The helper did not answer in time.
    Silent,
    /// The helper cannot be started, or has ended by itself.
    Failed {
        /// What is known about it, if there is anything.
        why: String,
    },
    /// The job cannot be written down: something in it is no text.
    NoText,
    /// A secret is among the variables that the helper would have to be started with.
    SecretAtStart {
        /// The variable.
        variable: String,
    },
    /// It is not known how the helper is started.
    NoHelper,
    /// The run has secrets, which a process of another does not get.
    HasSecrets,
    /// Those who could lend a process cannot be looked for.
    NobodyToAsk {
        /// What is in the way.
        why: String,
    },
    /// Somebody who could lend a process does not.
    NotLent {
        /// Its process id, as far as it is known.
        server: Option<u32>,
        /// What it says, or what is known about it.
        why: String,
    },
}

impl fmt::Display for ColdReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingReady => f.write_str("no process was ready yet"),
            Self::Declined { why } => write!(f, "the helper declined: {why}"),
            Self::Nonsense => f.write_str("the helper ended without an answer, or answered with nonsense"),
            Self::Silent => f.write_str("the helper did not answer in time"),
            Self::Failed { why } if why.is_empty() => f.write_str("the helper has ended, and said nothing"),
            Self::Failed { why } => write!(f, "the helper failed: {why}"),
            Self::NoText => f.write_str("a path, an argument or a variable is no text"),
            Self::SecretAtStart { variable } => {
                write!(f, "`{variable}` is a secret, and the helper would have to be started with it")
            }
            Self::NoHelper => f.write_str("the helper has no place to be started from"),
            Self::HasSecrets => {
                f.write_str("it has secrets, which a process of a running server does not get")
            }
            Self::NobodyToAsk { why } => write!(f, "no running server can be looked for: {why}"),
            Self::NotLent { server: Some(pid), why } => {
                write!(f, "the running server {pid} lends no process: {why}")
            }
            Self::NotLent { server: None, why } => write!(f, "a running server lends no process: {why}"),
        }
    }
}
