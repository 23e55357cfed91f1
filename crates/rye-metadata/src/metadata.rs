//! What an item says about itself.

mod anchor;
mod annotations;
mod child_constraint;
mod env_config;
mod field_reader;
mod port;
mod secret;
mod server;
mod verify_deps;
mod worker;

use indexmap::IndexMap;
use semver::Version;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::anchor::{Anchor, AnchorMode, AnchorRoot, PathEdit};
pub use self::annotations::Annotations;
pub use self::child_constraint::VersionConstraint;
pub use self::env_config::{EnvConfig, Interpreter};
pub use self::port::Port;
pub use self::secret::Secret;
pub use self::server::ServerRef;
pub use self::verify_deps::{VerifyDeps, VerifyScope};
pub use self::worker::{Worker, WorkerHelper, WorkerMode};

/// The `tool_type` of graphs.
pub const GRAPH_TYPE: &str = "graph";

/// The metadata of one item.
///
/// A field that the file does not have, or that is wrong there (see the problems of the
/// [`Extraction`](crate::Extraction)), is empty. Values that only one other crate can understand stay opaque
/// JSON; maps keep the order in which the file has them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Metadata {
    /// The item's short name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A semantic version, as it is written there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What sort of tool it is: `python`, `runtime`, `primitive`, `graph`, `python_lib` …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_type: Option<String>,
    /// Who executes it.
    #[serde(default, skip_serializing_if = "ExecutorId::is_absent")]
    pub executor_id: ExecutorId,
    /// Where it belongs, usually the tail of its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it does, in a sentence or two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The long text: a docstring, the body of a Markdown file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What the executor is given: command, arguments, timeout, a graph …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<Map<String, Value>>,
    /// The JSON Schema of the parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_schema: Option<Value>,
    /// How configuration of several spaces is combined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config_resolve: Option<Value>,
    /// Interpreters and environment variables.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_config: Option<EnvConfig>,
    /// The folder that dependencies are resolved from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
    /// Which dependencies are verified before a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify_deps: Option<VerifyDeps>,
    /// How processes are kept ready for its runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<Worker>,
    /// What the run may touch. It is kept for whoever reads it, and nothing enforces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<Value>,
    /// Secrets it gets as environment.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<Secret>,
    /// What it takes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<Port>,
    /// What it gives.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Port>,
    /// Which versions of which children it executes.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub child_constraints: IndexMap<String, VersionConstraint>,
    /// The file that runs instead of this one, relative to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Siblings that it needs, by name or glob.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requires: Vec<String>,
    /// Hints for MCP clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Example calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<Value>,
    /// What a graph may execute. In other items it is kept for whoever reads it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Value>,
    /// What runs before and after. It is kept for whoever reads it, and nothing runs it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hooks: Option<Value>,
    /// The MCP server that has the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerRef>,
    /// The tool's name on that server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
}

/// Who executes an item.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum ExecutorId {
    /// The file does not say.
    #[default]
    Absent,
    /// Explicitly nobody: a primitive, which is code in the binary.
    Primitive,
    /// The item with this id.
    Id(String),
}

impl Metadata {
    /// The version, if it is a semantic one.
    #[must_use]
    pub fn semver(&self) -> Option<Version> {
        self.version.as_deref().and_then(|version| Version::parse(version).ok())
    }

    /// Whether others use this file and nobody executes it: a library (`python_lib` and the like), or a server.
    #[must_use]
    pub fn is_library(&self) -> bool {
        self.tool_type.as_deref().is_some_and(|tool_type| tool_type.ends_with("_lib")) || self.is_server()
    }

    /// Whether it describes an MCP server, whose tools are items of their own.
    #[must_use]
    pub fn is_server(&self) -> bool {
        self.tool_type.as_deref() == Some("mcp_server")
    }

    /// Whether it is a graph of other items.
    #[must_use]
    pub fn is_graph(&self) -> bool {
        self.tool_type.as_deref() == Some(GRAPH_TYPE)
    }

    /// The item that describes the server of the tool, as the field or the configuration names it.
    #[must_use]
    pub fn server_id(&self) -> Option<&str> {
        match &self.server {
            Some(ServerRef::Id(id)) => Some(id),
            Some(ServerRef::Inline(_)) => None,
            None => self.config.as_ref()?.get("server")?.as_str(),
        }
    }
}

impl ExecutorId {
    /// The id, if there is one.
    #[must_use]
    pub fn as_id(&self) -> Option<&str> {
        match self {
            Self::Absent | Self::Primitive => None,
            Self::Id(id) => Some(id),
        }
    }

    /// Whether the file does not say who executes it.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl Serialize for ExecutorId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_id().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ExecutorId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::<String>::deserialize(deserializer)?.map_or(Self::Primitive, Self::Id))
    }
}
