//! Why there is no environment.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use crate::dotenv::{LineError, MAX_DOTENV_BYTES};
use crate::report::LookedAt;

/// An environment that cannot be made, with everything that stands in the way.
#[derive(Debug, thiserror::Error)]
#[error("cannot make the environment of the run: {}", first_and_count(.problems))]
pub struct EnvError {
    pub(crate) problems: Vec<EnvProblem>,
}

/// One thing that stands in the way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvProblem {
    /// An interpreter.
    #[error(transparent)]
    Interpreter(InterpreterError),
    /// A `.env` file.
    #[error(transparent)]
    DotEnv(DotEnvError),
    /// A variable.
    #[error(transparent)]
    Variable(VariableError),
}

/// An interpreter that cannot be found, or that is declared in a wrong way.
#[derive(Debug, thiserror::Error)]
#[error("cannot find `{name}` of `{element}`, for the variable `{var}`")]
pub struct InterpreterError {
    /// The element that declares it.
    pub element: Arc<str>,
    /// The name of its entry.
    pub name: String,
    /// The variable that would get its path.
    pub var: String,
    /// What stood in the way.
    #[source]
    pub kind: InterpreterErrorKind,
}

/// What stood in the way of an interpreter.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InterpreterErrorKind {
    /// It is nowhere.
    #[error("it is in none of these places:{}", Lines(.looked_at))]
    NotFound {
        /// Every place that was looked at, in order.
        looked_at: Vec<LookedAt>,
    },
    /// Its declaration makes no sense.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Another interpreter of the same element is for the same variable.
    #[error("`{other}` is for the same variable; give each its own `var`")]
    SameVariable {
        /// The other one.
        other: String,
    },
    /// No resolver is called so, and there is no fallback.
    #[error("no resolver type is called `{resolver}`, and there is no fallback; {}", suggestion(*.similar, .known))]
    UnknownResolver {
        /// The type.
        resolver: String,
        /// The one that was probably meant.
        similar: Option<&'static str>,
        /// All that there are.
        known: Vec<&'static str>,
    },
}

/// An option of an interpreter that its resolver type does not take like this.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the option `{option}` of type `{resolver}` is wrong: {kind}")]
pub struct OptionError {
    /// The resolver type.
    pub resolver: String,
    /// The option.
    pub option: String,
    /// What is wrong.
    pub kind: OptionErrorKind,
}

/// What is wrong with an option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OptionErrorKind {
    /// The type has no such option.
    #[error("there is none of that name; {}", suggestion(*.similar, .known))]
    Unknown {
        /// The one that was probably meant.
        similar: Option<&'static str>,
        /// All that there are.
        known: &'static [&'static str],
    },
    /// The value has another type.
    #[error("it has to be {expected}")]
    WrongType {
        /// What it has to be.
        expected: &'static str,
    },
    /// The value is none of those that there are.
    #[error("`{value}` is not known; {}", suggestion(*.similar, .known))]
    NotOneOf {
        /// The value.
        value: String,
        /// The one that was probably meant.
        similar: Option<&'static str>,
        /// All that there are.
        known: &'static [&'static str],
    },
    /// It is needed.
    #[error("it is missing")]
    Missing,
    /// Something that has to be a plain name has a slash in it, or is `.` or `..`.
    #[error("`{value}` is not a plain name")]
    NotAName {
        /// The value.
        value: String,
    },
}

/// A `.env` file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot use `{path}`")]
pub struct DotEnvError {
    /// The file.
    pub path: PathBuf,
    /// Why not.
    #[source]
    pub kind: DotEnvErrorKind,
}

/// Why a `.env` file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DotEnvErrorKind {
    /// It is a folder, a pipe or the like.
    #[error("it is not a regular file")]
    NotAFile,
    /// It is a link to something outside of the project.
    #[error("it is a link that leads out of the project")]
    LeadsOut,
    /// It is too large.
    #[error("it has more than {MAX_DOTENV_BYTES} bytes")]
    TooLarge,
    /// A line cannot be understood.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The file system refused.
    #[error(transparent)]
    Io(io::Error),
}

/// A variable that cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}`, which {declared_by} declares, cannot be a variable: {kind}")]
pub struct VariableError {
    /// The variable.
    pub name: String,
    /// Who declares it, in words.
    pub declared_by: String,
    /// Why not.
    pub kind: VariableErrorKind,
}

/// Why a variable cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VariableErrorKind {
    /// Its name is empty or has a `=` or a NUL in it.
    #[error("its name is empty or has a `=` or a NUL byte in it")]
    Name,
    /// Its value has a NUL in it.
    #[error("its value has a NUL byte in it")]
    Nul,
    /// Its value grew too large.
    #[error("its value would have more than {} bytes", crate::expand::MAX_VALUE_BYTES)]
    TooLarge,
}

impl EnvError {
    /// Everything that stands in the way. There is at least one.
    #[must_use]
    pub fn problems(&self) -> &[EnvProblem] {
        &self.problems
    }
}

struct Lines<'a>(&'a [LookedAt]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|looked_at| write!(f, "\n  {looked_at}"))
    }
}

fn first_and_count(problems: &[EnvProblem]) -> String {
    let first = problems.first().map(with_reasons).unwrap_or_default();
    match problems.len() {
        0 | 1 => first,
        count => format!("{first}, and {} more", count - 1),
    }
}

/// A problem with all that led to it. There are several problems, so none of them can be the source of the error, and what
/// it says would be lost.
fn with_reasons(problem: &EnvProblem) -> String {
    let mut text = problem.to_string();
    let mut reason = std::error::Error::source(problem);
    while let Some(source) = reason {
        text.extend([": ", &source.to_string()]);
        reason = source.source();
    }
    text
}

fn suggestion(similar: Option<&str>, known: &[&str]) -> String {
    match similar {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => format!("known: {}", known.join(", ")),
    }
}
