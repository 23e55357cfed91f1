//! What a call says, read strictly: a misspelt argument is told, and not passed over.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::JsonObject;
use rye_item::{ItemKind, Space};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure::Failure;

/// Reads the arguments of a call.
pub(super) fn read<T: DeserializeOwned>(arguments: Option<JsonObject>) -> Result<T, Failure> {
    let arguments = Value::Object(arguments.unwrap_or_default());
    serde_json::from_value(arguments).map_err(|error| Failure::arguments(format!("wrong arguments: {error}")))
}

/// The arguments of `search`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchArguments {
    pub(super) query: String,
    pub(super) item_type: Option<ItemKind>,
    pub(super) space: Option<Space>,
    pub(super) category: Option<String>,
    pub(super) tag: Option<String>,
    #[serde(default)]
    pub(super) sort: SortArgument,
    #[serde(default = "default_limit")]
    pub(super) limit: usize,
    #[serde(default)]
    pub(super) offset: usize,
    #[serde(default)]
    pub(super) detail: DetailArgument,
    pub(super) project_path: Option<PathBuf>,
}

fn default_limit() -> usize {
    10
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum SortArgument {
    #[default]
    Score,
    Id,
    Name,
    Version,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum DetailArgument {
    #[default]
    Summary,
    Full,
}

/// The arguments of `load`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LoadArguments {
    #[serde(default = "tool")]
    pub(super) item_type: ItemKind,
    pub(super) item_id: String,
    pub(super) source: Option<Space>,
    pub(super) destination: Option<DestinationArgument>,
    #[serde(default)]
    pub(super) overwrite: bool,
    pub(super) project_path: Option<PathBuf>,
}

pub(super) fn tool() -> ItemKind {
    ItemKind::Tool
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DestinationArgument {
    Project,
    User,
}

/// The arguments of `execute`, but for the parameters of the item, which are taken from the message as it was sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ExecuteArguments {
    #[serde(default = "tool")]
    pub(super) item_type: ItemKind,
    #[serde(default)]
    pub(super) action: ActionArgument,
    pub(super) item_id: String,
    pub(super) parameters: Option<JsonObject>,
    pub(super) project_path: Option<PathBuf>,
    #[serde(default)]
    pub(super) dry_run: bool,
    #[serde(default)]
    pub(super) trace: bool,
    #[serde(default, rename = "async")]
    pub(super) is_async: bool,
    pub(super) timeout: Option<f64>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum ActionArgument {
    #[default]
    Run,
    Status,
    Wait,
    Cancel,
}

impl ExecuteArguments {
    /// How long something may take, if it was said.
    pub(super) fn timeout(&self) -> Result<Option<Duration>, Failure> {
        let Some(seconds) = self.timeout else { return Ok(None) };
        let duration = Duration::try_from_secs_f64(seconds).ok().filter(|duration| !duration.is_zero());
        duration.map(Some).ok_or_else(|| Failure::arguments(format!("nothing can take {seconds} seconds")))
    }
}

/// The arguments of `sign`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SignArguments {
    pub(super) item_id: String,
    pub(super) item_type: Option<ItemKind>,
    pub(super) space: Option<DestinationArgument>,
    pub(super) project_path: Option<PathBuf>,
}

/// The arguments of `help`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HelpArguments {
    pub(super) topic: Option<String>,
    pub(super) project_path: Option<PathBuf>,
}
