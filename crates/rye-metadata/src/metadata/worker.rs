//! How a run of a runtime can start warm.

use serde::{Deserialize, Serialize};

use crate::node::{Node, NodeKind};
use crate::reading::{Fields, Reading};

/// How processes are kept ready for the runs of a runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Worker {
    /// How a process that is ready comes about.
    pub mode: WorkerMode,
    /// How it is started; a session needs nothing that would have to be.
    #[serde(flatten)]
    pub helper: Option<WorkerHelper>,
    /// Names of variables that the helper is started with, because they cannot be changed later. `*` stands for
    /// anything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keyed_by: Vec<String>,
    /// Names among those that can be changed later after all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub except: Vec<String>,
    /// How many processes are kept ready.
    pub spares: u32,
    /// After how many seconds without a run they leave.
    pub idle: u32,
}

/// What a process runs that waits for its job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WorkerHelper {
    /// The id of the file that the process runs until it has a job.
    #[serde(rename = "helper")]
    pub id: String,
    /// The program that runs the helper: a template, as the command of a configuration is.
    pub command: String,
    /// Its arguments, templates too; `{helper_path}` is the helper.
    pub args: Vec<String>,
}

/// How a process comes about that waits for one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerMode {
    /// A server that has warmed up forks it.
    Fork,
    /// It is the helper itself, which is started for each job.
    Oneshot,
    /// There is none: our own program, which a run would start, does the job itself, and keeps connections for that.
    Session,
}

impl WorkerMode {
    const NAMES: [(&'static str, Self); 3] =
        [("fork", Self::Fork), ("oneshot", Self::Oneshot), ("session", Self::Session)];

    /// The name that files use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fork => "fork",
            Self::Oneshot => "oneshot",
            Self::Session => "session",
        }
    }
}

impl Worker {
    /// More than this is never kept ready, nor for longer.
    const MOST_SPARES: u32 = 64;
    const LONGEST_IDLE: u32 = 24 * 3600;

    pub(super) fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        const KNOWN: [&str; 8] =
            ["mode", "helper", "command", "args", "keyed_by", "except", "spares", "idle"];
        const OF_SESSIONS: [&str; 2] = ["mode", "idle"];
        let is_session = node.get("mode").is_some_and(
            |mode| matches!(&mode.kind, NodeKind::Text(word) if word == WorkerMode::Session.as_str()),
        );
        let known = if is_session { &OF_SESSIONS[..] } else { &KNOWN };
        let fields = reading.fields(path, node, known)?;
        let mode = fields
            .required(reading, "mode", |reading, path, node| reading.word(path, node, &WorkerMode::NAMES));
        let helper = (!is_session).then(|| WorkerHelper::read(reading, &fields));
        let keyed_by = fields.read(reading, "keyed_by", Reading::texts);
        let except = fields.read(reading, "except", Reading::texts);
        let spares = fields
            .read(reading, "spares", |reading, path, node| count(reading, path, node, Self::MOST_SPARES));
        let idle = fields
            .read(reading, "idle", |reading, path, node| count(reading, path, node, Self::LONGEST_IDLE));
        Some(Self {
            mode: mode?,
            helper: match helper {
                Some(helper) => Some(helper?),
                None => None,
            },
            keyed_by: keyed_by.unwrap_or_default(),
            except: except.unwrap_or_default(),
            spares: spares.unwrap_or(1),
            idle: idle.unwrap_or(60),
        })
    }
}

impl WorkerHelper {
    fn read(reading: &mut Reading<'_>, fields: &Fields<'_>) -> Option<Self> {
        let id = fields.required(reading, "helper", Reading::filled_text);
        let command = fields.required(reading, "command", Reading::filled_text);
        let args = fields.read(reading, "args", Reading::texts);
        let args = args.unwrap_or_else(|| vec!["{helper_path}".to_owned()]);
        Some(Self { id: id?, command: command?, args })
    }
}

/// A whole number from one to a limit.
fn count(reading: &mut Reading<'_>, path: &str, node: &Node, most: u32) -> Option<u32> {
    let number = match &node.kind {
        NodeKind::Number(number) => number.as_u64().and_then(|number| u32::try_from(number).ok()),
        _ => None,
    };
    let number = number.filter(|number| (1..=most).contains(number));
    if number.is_none() {
        reading.error(path, node.at, format!("must be a whole number from 1 to {most}"));
    }
    number
}
