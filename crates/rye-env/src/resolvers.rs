//! The ways to find an interpreter. Each is a file, and a line of the table.

mod binary;
mod command;
mod conda_env;
mod homebrew;
mod local_binary;
mod node_modules;
mod pipx;
pub(crate) mod protected_variables;
mod search_words;
pub(crate) mod shim;
mod venv_python;
mod version_manager;

use rye_metadata::metadata::Interpreter;

use crate::error::OptionError;
use crate::options::{Options, nearest};
use crate::search::{Hit, Search};

/// A way to find an interpreter, with its options read.
pub(crate) trait Resolver {
    /// Looks, in order, and stops at the first hit.
    fn find(&self, search: &mut Search<'_>) -> Option<Hit>;
}

/// One resolver type.
pub(crate) struct ResolverType {
    name: &'static str,
    options: &'static [&'static str],
    read: for<'a> fn(&Options<'a>) -> Result<Box<dyn Resolver + 'a>, OptionError>,
}

/// Every resolver type.
const TYPES: &[ResolverType] = &[
    ResolverType { name: "local_binary", options: local_binary::OPTIONS, read: local_binary::read },
    ResolverType { name: "system_binary", options: binary::OPTIONS, read: binary::read },
    ResolverType { name: "binary", options: binary::OPTIONS, read: binary::read },
    ResolverType { name: "command", options: command::OPTIONS, read: command::read },
    ResolverType { name: "venv_python", options: venv_python::OPTIONS, read: venv_python::read },
    ResolverType { name: "node_modules", options: node_modules::OPTIONS, read: node_modules::read },
    ResolverType { name: "version_manager", options: version_manager::OPTIONS, read: version_manager::read },
    ResolverType { name: "conda_env", options: conda_env::OPTIONS, read: conda_env::read },
    ResolverType { name: "pipx", options: pipx::OPTIONS, read: pipx::read },
    ResolverType { name: "homebrew", options: homebrew::OPTIONS, read: homebrew::read },
];

impl ResolverType {
    /// The type that a declaration names.
    pub(crate) fn of(interpreter: &Interpreter) -> Option<&'static Self> {
        TYPES.iter().find(|resolver| resolver.name == interpreter.resolver)
    }

    /// Reads the options of a declaration.
    pub(crate) fn read<'a>(
        &self,
        interpreter: &'a Interpreter,
    ) -> Result<Box<dyn Resolver + 'a>, OptionError> {
        (self.read)(&Options::new(interpreter, self.options)?)
    }
}

/// The names of all resolver types.
pub(crate) fn type_names() -> Vec<&'static str> {
    TYPES.iter().map(|resolver| resolver.name).collect()
}

/// The resolver type that was probably meant.
pub(crate) fn similar_type(name: &str) -> Option<&'static str> {
    nearest(name, &type_names())
}
