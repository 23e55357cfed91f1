//! What a call becomes before anything runs.
//!
//! An item and its executors are a [`Chain`], if each of them is verified and fits the next. A chain, with the parameters of
//! a call, is a [`Plan`]: plain data that can be printed, or be carried out by somebody else.
//!
//! [`parameters`] holds what the caller sent, exactly as it was sent, and checks it against the schema of a tool.
//!
//! Nothing here starts anything or opens a connection: a schema that refers to another document is refused.
//!
//! ```
//! use rye_plan::parameters::{Parameters, Schema};
//! use serde_json::json;
//!
//! let schema = Schema::compile(&json!({
//!     "type": "object",
//!     "properties": {"id": {"type": "integer"}, "mode": {"enum": ["fast", "safe"], "default": "safe"}},
//!     "required": ["id"],
//!     "additionalProperties": false,
//! }))?;
//!
//! let sent = Parameters::parse(r#"{"id": 123456789012345678901234567890}"#)?;
//! assert_eq!(sent.check(&schema)?.to_json(), r#"{"id":123456789012345678901234567890,"mode":"safe"}"#);
//!
//! let errors = Parameters::parse(r#"{"id": "7", "mod": "fast"}"#)?.check(&schema).unwrap_err();
//! let lines: Vec<String> = errors.violations.iter().map(ToString::to_string).collect();
//! assert_eq!(lines, ["`/id` must be an integer, not a string", "`/mod` is unknown, did you mean `mode`?"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchor;
mod chain;
mod config;
mod config_resolve;
pub mod parameters;
mod plan;
mod shell_text;
mod variant;

pub use anchor::AnchorPlace;
pub use chain::{
    Chain, ChainDraft, ChainError, ChainIssue, Element, ElementSource, FindError, Link, Primitive,
};
pub use config::ChainConfig;
pub use config_resolve::ConfigResolveError;
pub use parameters::{ParameterErrors, Parameters};
pub use plan::{
    Action, Copies, CopyError, CopyRequest, HttpAuth, HttpBody, HttpPlan, KnownSurvey, Plan, PlanElement,
    PlanError, PlanErrorKind, PlanRequest, ProcessPlan, SettingError, Surroundings, Surveys, ToolCopy,
    VariableNames, WorkerPlan, WorkerStart, Workers,
};
