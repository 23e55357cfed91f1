//! The environment of a run, every value with who set it.
//!
//! [`resolve`] takes the environment of our own process, what the elements of a chain declare in `env_config`, and
//! where things are; it gives an [`Environment`], which also has the story of each interpreter: every place that was
//! looked at, in order, and what was there.
//!
//! Nothing is changed while it looks, nothing is read from the process itself, and no interpreter is started to ask
//! what it is. There is one exception: an interpreter of the type `command` is what a command prints. It runs
//! contained, only if the request allows it, and the report says that it ran.
//!
//! A project decides nothing before its operator trusts it: its `.env` files are not read and interpreters inside of
//! it are passed over. No `.env` file decides which code runs; see [`Protection`].
//!
//! Adding a resolver type means one file in `resolvers` and one line of its table.
//!
//! ```
//! use rye_env::{EnvRequest, Origin, Places, ProcessEnvironment, ResolveCommands, resolve};
//! use rye_template::Names;
//!
//! let process: ProcessEnvironment = [("GREETING", "hello")].into_iter().collect();
//! let names = Names::new();
//! let environment = resolve(&EnvRequest {
//!     process: &process,
//!     configs: &[],
//!     tool_env: &[("TEXT", "${GREETING} ${WHO:-world}")],
//!     places: Places { project: None, home: None, user_space: None, names: &names },
//!     commands: ResolveCommands::Leave,
//! })?;
//!
//! let (value, origin) = environment.get_with_origin("TEXT").unwrap();
//! assert_eq!((value.to_str(), origin), (Some("hello world"), &Origin::Tool));
//! # Ok::<(), rye_env::EnvError>(())
//! ```

mod dotenv;
mod environment;
mod error;
mod expand;
mod options;
mod process_environment;
mod regular_file;
mod report;
mod request;
mod resolve;
mod resolvers;
mod search;
mod survey;

pub use dotenv::{
    Assignment, LineError, LineErrorKind, MAX_DOTENV_BYTES, PROJECT_DOTENV_FILES, RefusedLine, dotenv_names,
    parse_dotenv,
};
pub use environment::{Environment, Origin, Variable};
pub use error::{
    DotEnvError, DotEnvErrorKind, EnvError, EnvProblem, InterpreterError, InterpreterErrorKind, OptionError,
    OptionErrorKind, VariableError, VariableErrorKind,
};
pub use expand::MAX_VALUE_BYTES;
pub use process_environment::ProcessEnvironment;
pub use report::{Chosen, ChosenBy, CommandRun, EnvWarning, Finding, InterpreterReport, LookedAt, Place};
pub use request::{DeclaredEnv, EnvRequest, Places, Project, ProjectTrust, ResolveCommands};
pub use resolve::{check_interpreter, resolve, resolve_with};
pub use resolvers::protected_variables::Protection;
pub use survey::{Consulted, Survey, Surveyed};
