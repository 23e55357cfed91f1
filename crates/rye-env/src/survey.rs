//! What there is before anything is declared: the variables of `.env` files, and interpreters.

use std::path::PathBuf;
use std::sync::Arc;

use rye_metadata::metadata::Interpreter;

use crate::dotenv::{DotEnvFile, read_files};
use crate::error::{EnvProblem, InterpreterError, InterpreterErrorKind};
use crate::report::InterpreterReport;
use crate::request::{DeclaredEnv, EnvRequest};
use crate::resolve::find_interpreter;
use crate::search::Surroundings;

/// What was found outside of the process: `.env` files and interpreters. It depends on no `env` and no `config.env`.
#[derive(Debug)]
pub struct Survey {
    pub(crate) files: Vec<DotEnvFile>,
    /// In declared order.
    pub(crate) interpreters: Vec<InterpreterReport>,
    consulted: Vec<Consulted>,
}

/// What came of a look around.
#[derive(Debug)]
pub struct Surveyed {
    /// What was found.
    pub survey: Arc<Survey>,
    /// What was not, or cannot be used.
    pub problems: Vec<EnvProblem>,
}

/// Something in the file system that an answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Consulted {
    /// What is at a path, if anything, and where links lead from there; not what a file there says.
    Entry(PathBuf),
    /// Which names a folder has in it.
    Names(PathBuf),
    /// What a file says.
    Content(PathBuf),
}

impl Survey {
    /// Reads the `.env` files and looks for all interpreters.
    #[must_use]
    pub fn make(request: &EnvRequest<'_>) -> Surveyed {
        let mut survey = Self { files: Vec::new(), interpreters: Vec::new(), consulted: Vec::new() };
        let mut problems = Vec::new();
        if request.configs.iter().all(|declared| declared.config.include_dotenv) {
            let mut unread = Vec::new();
            survey.files = read_files(&request.places, &mut unread, &mut survey.consulted);
            problems.extend(unread.into_iter().map(EnvProblem::DotEnv));
        }
        let (found, consulted) = {
            let surroundings = Surroundings::new(request, &survey.files);
            let mut found = Vec::new();
            for (index, declared) in request.configs.iter().enumerate() {
                let element: Arc<str> = declared.element.into();
                let wanted = declared.config.interpreters.iter();
                let wanted = wanted.filter(|it| !is_redeclared(it, &request.configs[index + 1..]));
                found.extend(wanted.map(|it| find(&surroundings, &element, declared, it)));
            }
            (found, surroundings.into_consulted())
        };
        survey.consulted.extend(consulted);
        for found in found {
            match found {
                Ok(report) => survey.interpreters.push(report),
                Err(error) => problems.push(EnvProblem::Interpreter(*error)),
            }
        }
        Surveyed { survey: Arc::new(survey), problems }
    }

    /// Everything that it depends on beside the request, unless that may change without a trace in the file system: what
    /// a command prints. What `.env` files say is for every run to read.
    #[must_use]
    pub fn consulted(&self) -> Option<&[Consulted]> {
        let asked_commands = self.interpreters.iter().any(|report| report.command.is_some());
        (!asked_commands && self.files.is_empty()).then_some(&self.consulted)
    }
}

fn find(
    surroundings: &Surroundings<'_>,
    element: &Arc<str>,
    declared: &DeclaredEnv<'_>,
    interpreter: &Interpreter,
) -> Result<InterpreterReport, Box<InterpreterError>> {
    let Interpreter { name, var, .. } = interpreter;
    let other = declared.config.interpreters.iter().find(|other| other.var == *var);
    let found = match other.filter(|other| other.name != *name) {
        Some(other) => Err(InterpreterErrorKind::SameVariable { other: other.name.clone() }),
        None => find_interpreter(surroundings, element, interpreter),
    };
    found.map_err(|kind| {
        let (element, name, var) = (Arc::clone(element), name.clone(), var.clone());
        Box::new(InterpreterError { element, name, var, kind })
    })
}

/// Whether one of the later elements declares an interpreter for the same variable.
fn is_redeclared(interpreter: &Interpreter, later: &[DeclaredEnv<'_>]) -> bool {
    later.iter().any(|declared| declared.config.interpreters.iter().any(|other| other.var == interpreter.var))
}
