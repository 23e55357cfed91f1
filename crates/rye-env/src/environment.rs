//! The environment of a run.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use indexmap::IndexMap;

use crate::dotenv::RefusedLine;
use crate::{InterpreterReport, ProcessEnvironment, Survey};

/// The environment of a run: every value, and who set it.
#[derive(Debug, Clone)]
pub struct Environment {
    process: ProcessEnvironment,
    /// What differs from the process environment, in the order in which it was set first.
    set: IndexMap<OsString, Variable>,
    survey: Arc<Survey>,
    /// All of it, once somebody has asked.
    all: OnceLock<Arc<BTreeMap<OsString, OsString>>>,
}

/// A variable that is not simply passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// What it holds.
    pub value: OsString,
    /// Who set it.
    pub origin: Origin,
}

/// Who set a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// It was in the environment of our own process.
    Process,
    /// A `.env` file.
    DotEnv {
        /// The file.
        path: Arc<Path>,
        /// The line, counted from 1.
        line: usize,
    },
    /// It is the path of an interpreter.
    Interpreter {
        /// The element that declares it.
        element: Arc<str>,
        /// The name of its entry.
        name: Arc<str>,
    },
    /// The `env` of an element's `env_config`.
    Declared {
        /// The element.
        element: Arc<str>,
    },
    /// The tool's own `config.env`.
    Tool,
    /// The `env_paths` of an element's `anchor`.
    Anchor {
        /// The element.
        element: Arc<str>,
    },
}

impl Environment {
    pub(crate) fn new(process: ProcessEnvironment, survey: Arc<Survey>) -> Self {
        Self { process, set: IndexMap::new(), survey, all: OnceLock::new() }
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.get_with_origin(name).map(|(value, _)| value)
    }

    /// The value of a variable, and who set it.
    #[must_use]
    pub fn get_with_origin(&self, name: impl AsRef<OsStr>) -> Option<(&OsStr, &Origin)> {
        let name = name.as_ref();
        match self.set.get(name) {
            Some(variable) => Some((&variable.value, &variable.origin)),
            None => self.process.get(name).map(|value| (value, &Origin::Process)),
        }
    }

    /// Sets a variable, whoever set it before.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>, origin: Origin) {
        self.all.take();
        self.set.insert(name.into(), Variable { value: value.into(), origin });
    }

    /// The variables that are not simply passed on, in the order in which each was set first.
    pub fn changes(&self) -> impl Iterator<Item = (&OsStr, &Variable)> {
        self.set.iter().map(|(name, variable)| (name.as_os_str(), variable))
    }

    /// The environment of our own process, which everything that is not in [`Self::changes`] is from.
    #[must_use]
    pub fn process(&self) -> &ProcessEnvironment {
        &self.process
    }

    /// All variables with their values, as a process gets them. No process can be given a name that is empty or has an
    /// equals sign in it, and one that came in must not keep a program from starting.
    #[must_use]
    pub fn all(&self) -> &Arc<BTreeMap<OsString, OsString>> {
        self.all.get_or_init(|| {
            let own = self.process.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
            let set = self.set.iter().map(|(name, variable)| (name.clone(), variable.value.clone()));
            let is_name = |name: &OsStr| !name.is_empty() && !name.as_encoded_bytes().contains(&b'=');
            Arc::new(own.chain(set).filter(|(name, _)| is_name(name)).collect())
        })
    }

    /// How each interpreter was found, in declared order.
    #[must_use]
    pub fn interpreters(&self) -> &[InterpreterReport] {
        &self.survey.interpreters
    }

    /// The `.env` files that were read, in order of application.
    #[must_use]
    pub fn dotenv_files(&self) -> Vec<&Path> {
        self.survey.files.iter().map(|file| file.path.as_path()).collect()
    }

    /// The lines of those files that were left out.
    #[must_use]
    pub fn refused_lines(&self) -> Vec<&RefusedLine> {
        self.survey.files.iter().flat_map(|file| &file.refused).collect()
    }
}
