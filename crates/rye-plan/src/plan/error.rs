//! Why there is no plan.

use rye_env::EnvError;
use rye_item::ItemRef;
use rye_template::RenderError;

use super::copies::CopyError;
use crate::parameters::{ParametersError, SchemaError};
use crate::{ConfigResolveError, ParameterErrors};

/// A chain that holds, and still cannot be run with these parameters here.
#[derive(Debug, thiserror::Error)]
#[error("cannot run {item}")]
pub struct PlanError {
    /// The item that was asked for.
    pub item: ItemRef,
    /// Why not.
    #[source]
    pub kind: Box<PlanErrorKind>,
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanErrorKind {
    /// The parameters are not what the schema says.
    #[error(transparent)]
    Parameters(#[from] ParameterErrors),
    /// The parameters cannot be read.
    #[error(transparent)]
    Unreadable(#[from] ParametersError),
    /// The schema is not one.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Configuration that the tool asks for cannot be given.
    #[error(transparent)]
    ConfigResolve(#[from] ConfigResolveError),
    /// The environment cannot be made.
    #[error(transparent)]
    Environment(#[from] EnvError),
    /// A file that belongs to the tool may not run.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// A template cannot be filled in.
    #[error("the configuration cannot be filled in: {0}")]
    Render(#[from] RenderError),
    /// The configuration has something in it that cannot be.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// A part of the configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// It is not there.
    #[error("the chain's configuration has no `{key}`")]
    Missing {
        /// The key.
        key: &'static str,
    },
    /// It has another type than it must have.
    #[error("`{key}` of the chain's configuration must be {expected}")]
    WrongType {
        /// The key.
        key: String,
        /// What it must be.
        expected: &'static str,
    },
    /// The chain asks for the file that describes a server, and nothing names one.
    #[error("the tool does not say by `server` which item describes its server")]
    NoServer,
    /// A placeholder that the schema knows has no value.
    #[error("`{{{name}}}` is used in the configuration, and there is no value for it")]
    NoValue {
        /// The placeholder.
        name: String,
    },
}
