//! Placeholders in texts and values, filled in one pass.
//!
//! A template has `${VAR}` and `${VAR:-default}` for the variables of an environment, and `{name}` for what the
//! engine and the call provide. [`Template`] says exactly what is a placeholder; everything else is text, because
//! templates hold code and JSON, which are full of braces. A [`Scope`] fills in texts, whole values and lists of
//! arguments.
//!
//! A text is parsed once, before anything is filled in, so nothing that comes out of a variable or a parameter is ever
//! searched for placeholders. Parameters cannot take the place of the engine's own names. Any text is parsed in time
//! and memory proportional to its length, and what it becomes is bounded.
//!
//! State graphs have their own, [`graph`]: `${state.path}` with types and alternatives, and conditions.
//!
//! Nothing here reads an environment or a file: the caller brings all values.
//!
//! ```
//! use rye_template::{ContextName, Names, Scope};
//! use serde_json::json;
//!
//! let mut names = Names::new();
//! names.set_context(ContextName::ToolPath, "/tools/greet");
//! names.set_parameter("who", json!("${HOME} and {tool_path}"));
//! names.set_parameter("tags", json!(["a", 2]));
//! let scope = Scope::new(&names, |name| (name == "LEVEL").then_some("3"));
//!
//! let args = [json!("{tool_path}"), json!("--level=${LEVEL:-1}"), json!("Hello {who}"), json!("{tags}")];
//! assert_eq!(
//!     scope.render_args(&args)?,
//!     ["/tools/greet", "--level=3", "Hello ${HOME} and {tool_path}", "a", "2"]
//! );
//! assert_eq!(scope.render_value(&json!({"all": "{tags}", "code": "{x}"}))?, json!({"all": ["a", 2], "code": "{x}"}));
//! # Ok::<(), rye_template::RenderError>(())
//! ```

mod context_name;
mod error;
pub mod graph;
mod name_value;
mod names;
mod scope;
mod syntax;
mod template;

pub use context_name::ContextName;
pub use error::RenderError;
pub use name_value::NameValue;
pub use names::Names;
pub use scope::{MAX_RENDERED_BYTES, MAX_TEMPLATE_DEPTH, Scope, names_in};
pub use template::{Piece, Template, expand_variables};
