//! What came of a plan.

use std::path::PathBuf;
use std::time::Duration;

use lillux::Digest;
use lillux::process::{Channel, Mechanism, Remains};
use serde_json::value::RawValue;

use crate::workers::ColdReason;

/// What came of a run. Secrets are masked everywhere in it.
#[derive(Debug)]
pub struct Outcome {
    /// Why it did not succeed, if it did not.
    pub failure: Option<Failure>,
    /// The exit code of the program, if it has one.
    pub exit_code: Option<i32>,
    /// The answer: standard output, or the body of a response.
    pub output: Stream,
    /// Standard error.
    pub errors: Stream,
    /// Status and headers of a response.
    pub http: Option<HttpAnswer>,
    /// How long it took.
    pub duration: Duration,
    /// What kept the processes together, if there were any.
    pub containment: Option<Mechanism>,
    /// How it started.
    pub start: Start,
    /// What is left of its processes. Whoever drops it waits for them. If it was one of our own that was ready, it is buried by
    /// its pool ([`WorkerPool::bury`](crate::workers::WorkerPool::bury)), which then has another one made.
    pub remains: Option<Remains>,
}

/// How a run started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// With everything that it needed being made for it, as there was nothing else in question.
    Cold,
    /// The same, although it could have been otherwise.
    ColdInstead(ColdReason),
    /// In a process that was ready.
    Warm,
    /// In a process that another one had ready.
    Borrowed {
        /// The process id of who lent it.
        server: u32,
    },
}

/// Why a run did not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The program said so by its exit code.
    Exit {
        /// The code.
        code: i32,
    },
    /// A signal ended the program.
    Signal {
        /// Its number.
        signal: i32,
    },
    /// Its time was up.
    TimedOut {
        /// How long it had.
        limit: Duration,
    },
    /// The caller did not want it any more.
    Cancelled,
    /// It wrote more than it may.
    OutputLimit {
        /// Where.
        channel: Channel,
    },
    /// The server said so by its status.
    Status {
        /// The status.
        status: u16,
    },
}

/// What was written to one place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stream {
    /// All of it, or its head if it was too long.
    pub bytes: Vec<u8>,
    /// How many bytes there were in all.
    pub total: u64,
    /// Where all of it is, if it was too long.
    pub file: Option<(PathBuf, Digest)>,
}

/// What a response says beside its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpAnswer {
    /// The status.
    pub status: u16,
    /// Where it came from in the end.
    pub url: String,
    /// The headers.
    pub headers: Vec<(String, String)>,
}

/// What a program has printed, as a value.
#[derive(Debug, Clone)]
pub enum OutputData {
    /// Nothing at all.
    Nothing,
    /// JSON, as it was printed.
    Json(Box<RawValue>),
    /// Something else. What is no text in it has been replaced.
    Text(String),
}

impl Outcome {
    /// Whether it did what it was meant to do.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.failure.is_none()
    }

    /// The last lines that were written to standard error, without colours and the like.
    #[must_use]
    pub fn errors_tail(&self) -> String {
        const MOST: usize = 8 * 1024;
        let bytes = &self.errors.bytes;
        let start = bytes.len().saturating_sub(MOST);
        let tail = String::from_utf8_lossy(&bytes[start..]).into_owned();
        match tail.find('\n') {
            Some(end) if start > 0 => tail[end + 1..].to_owned(),
            _ => tail,
        }
    }
}

impl Stream {
    /// Whether `bytes` is not all that there was.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }

    /// What was written, as a value.
    #[must_use]
    pub fn data(&self) -> OutputData {
        let text = String::from_utf8_lossy(&self.bytes);
        if text.trim().is_empty() {
            return OutputData::Nothing;
        }
        // What is cut off is no JSON, even if it looks like it.
        if !self.is_cut()
            && let Ok(json) = serde_json::from_str::<Box<RawValue>>(text.trim())
        {
            return OutputData::Json(json);
        }
        OutputData::Text(text.into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(text: &str) -> Stream {
        Stream { bytes: text.into(), total: text.len() as u64, file: None }
    }

    #[test]
    fn what_is_json_stays_as_it_was_printed() {
        let check = |printed: &str, expect: &str| match stream(printed).data() {
            OutputData::Json(json) => assert_eq!(json.get(), expect),
            other => panic!("{printed}: {other:?}"),
        };
        check("42\n", "42");
        check(" {\"a\": 1.00}\n\n", "{\"a\": 1.00}");
        check("123456789012345678901234567890", "123456789012345678901234567890");
        check("\"text\"", "\"text\"");
        check("[]", "[]");
        assert!(matches!(stream("hello\n").data(), OutputData::Text(text) if text == "hello\n"));
        assert!(matches!(stream("{1}").data(), OutputData::Text(_)));
        assert!(matches!(stream(" \n").data(), OutputData::Nothing));
        let cut = Stream { total: 100, ..stream("42") };
        assert!(matches!(cut.data(), OutputData::Text(_)));
    }
}
