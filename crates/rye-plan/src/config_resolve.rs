//! Configuration that is kept in files of the spaces.

use std::io;
use std::path::PathBuf;

use rye_item::{ReadError, Space, Spaces};
use rye_metadata::{ExtractErrorKind, read_data_file};
use serde_json::{Map, Value};

use crate::config::merge;

/// The parameter that holds what was found.
pub(crate) const PARAMETER: &str = "resolved_config";

/// Configuration that a tool asks for and that cannot be given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigResolveError {
    /// What the tool says is not understood.
    #[error("`config_resolve` {problem}")]
    Declaration {
        /// What is wrong.
        problem: &'static str,
    },
    /// The file cannot be opened.
    #[error("cannot open the configuration `{}`", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is not what its name says.
    #[error("the configuration `{}` cannot be read", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ExtractErrorKind,
    },
}

/// One file to look for, and what to do if several spaces have it.
struct Wanted<'a> {
    path: &'a str,
    name: &'a str,
    mode: Mode,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Those of lower spaces first, each changed by the next: system, user, project.
    DeepMerge,
    /// The one of the nearest space alone.
    FirstMatch,
}

/// Finds what a tool asks for: `{path: a/b.yaml, mode: deep_merge}` gives that configuration, and a list of such gives each
/// under its name, which is `name` or else that of the file.
///
/// The project's files count only if it is trusted. What is nowhere is empty.
pub(crate) fn resolve(
    declared: &Value,
    spaces: &Spaces,
    with_project: bool,
) -> Result<Value, ConfigResolveError> {
    match declared {
        Value::Array(several) => {
            let mut found = Map::new();
            for declared in several {
                let wanted = Wanted::read(declared)?;
                found.insert(wanted.name.to_owned(), wanted.find(spaces, with_project)?);
            }
            Ok(Value::Object(found))
        }
        one => Wanted::read(one)?.find(spaces, with_project),
    }
}

impl<'a> Wanted<'a> {
    fn read(declared: &'a Value) -> Result<Self, ConfigResolveError> {
        let wrong = |problem| ConfigResolveError::Declaration { problem };
        let path = match declared {
            Value::String(path) => Some(path.as_str()),
            other => other.get("path").and_then(Value::as_str),
        };
        let path = path.ok_or_else(|| wrong("needs a `path` below `.ai/config`"))?;
        if path.is_empty() || path.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(wrong("has a `path` that leads out of `.ai/config`"));
        }
        let mode = match declared.get("mode").map(Value::as_str) {
            None | Some(Some("deep_merge")) => Mode::DeepMerge,
            Some(Some("first_match")) => Mode::FirstMatch,
            Some(_) => return Err(wrong("has a `mode` that is neither `deep_merge` nor `first_match`")),
        };
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
        Ok(Self { path, name: declared.get("name").and_then(Value::as_str).unwrap_or(stem), mode })
    }

    fn find(&self, spaces: &Spaces, with_project: bool) -> Result<Value, ConfigResolveError> {
        let mut found: Option<Value> = None;
        for space in [Space::Project, Space::User, Space::System] {
            if space == Space::Project && !with_project {
                continue;
            }
            let Some(root) = spaces.get(space) else { continue };
            let path = root.path().join("config").join(self.path);
            let opened = root.open_config(self.path);
            let opened = opened.map_err(|source| ConfigResolveError::Open { path: path.clone(), source })?;
            let Some(file) = opened else { continue };
            let bytes = file.read()?;
            let value = match read_data_file(self.path, bytes.as_slice()) {
                Some(Ok(value)) => value,
                Some(Err(source)) => return Err(ConfigResolveError::Syntax { path, source }),
                None => {
                    let problem = "has a `path` that is neither YAML nor JSON nor TOML";
                    return Err(ConfigResolveError::Declaration { problem });
                }
            };
            // What was found before is nearer, and has the last word.
            found = Some(match (found, value) {
                (Some(Value::Object(nearer)), Value::Object(mut base)) => {
                    merge(&mut base, &nearer);
                    Value::Object(base)
                }
                (Some(nearer), _) => nearer,
                (None, value) => value,
            });
            if self.mode == Mode::FirstMatch {
                break;
            }
        }
        Ok(found.unwrap_or_else(|| Value::Object(Map::new())))
    }
}
