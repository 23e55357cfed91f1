//! From a chain and its parameters to everything that is needed to run it.

mod action;
mod build;
mod copies;
mod error;
mod filling;
mod http;
mod paths;
mod process;
mod settings;
mod surveys;
mod worker;

pub use action::{Action, HttpAuth, HttpBody, HttpPlan, ProcessPlan};
pub(crate) use build::ChainElements;
pub use build::{PlanRequest, Surroundings};
pub use copies::{Copies, CopyError, CopyRequest, ToolCopy};
pub use error::{PlanError, PlanErrorKind, SettingError};
pub(crate) use filling::KeptFilling;
pub(crate) use paths::ChainAnchor;
pub(crate) use process::{INPUT, reads_parameters};
pub use surveys::{KnownSurvey, Surveys};
pub use worker::{VariableNames, WorkerPlan, WorkerStart, Workers};

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use lillux::Digest;
use rye_env::Environment;
use rye_item::{ItemRef, Space};
use rye_metadata::metadata::Secret;
use rye_trust::Signer;

use crate::{Parameters, Primitive};

/// Everything that is needed to run a chain, and nothing that was not decided.
#[derive(Debug)]
pub struct Plan {
    /// The items of the chain, the one that was asked for first.
    pub chain: Arc<[PlanElement]>,
    /// The extractors that say what those files mean.
    pub extractors: Arc<[PlanElement]>,
    /// The primitive at the end of the chain.
    pub primitive: Primitive,
    /// The parameters with the defaults of the schema.
    pub parameters: Parameters,
    /// What is done.
    pub action: Action,
    /// The environment, every value with who set it.
    pub environment: Arc<Environment>,
    /// How long it may take.
    pub timeout: Duration,
    /// What the tool gets to know, at the last moment.
    pub secrets: Vec<Secret>,
    /// The copy of the tool's files that runs.
    pub copy: Option<ToolCopy>,
    /// What describes the server that has the tool, if there is one.
    pub server: Option<Arc<PlanElement>>,
    /// The copy of that file that is read.
    pub server_copy: Option<ToolCopy>,
    /// How the program can start warm, if its runtime says so.
    pub worker: Option<WorkerPlan>,
    /// Whether the caller addressed the primitive itself, and gets its raw answer.
    pub is_direct: bool,
    /// Whether the item says that it may destroy something.
    pub is_destructive: bool,
    /// Whether the item is a graph, which does what the items do that it names.
    pub is_graph: bool,
}

/// One item of a chain, as records and people see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanElement {
    /// Its name.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// Its version.
    pub version: Option<String>,
    /// Its file.
    pub path: PathBuf,
    /// The digest of its content.
    pub digest: Digest,
    /// Who answers for it.
    pub signer: Signer,
    /// The spaces of items of the same id that it hides.
    pub shadows: Vec<Space>,
}
