//! The two systems that do the same job: what each is told, in its own words.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::client::Client;
use super::program::{self, Printed};
use crate::Result;
use crate::execute::rye;

/// How long a call may take that is not known to be slow.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Which system it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    Ours,
    Ryeos,
}

/// Where a program runs, and what it is told about the world.
pub(crate) struct Surroundings {
    pub(crate) folder: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
}

/// A system with a project and a home of its own.
///
/// A signature is a line of the file, and neither accepts the other's, so each has a copy of the same tools.
pub(crate) struct Side {
    system: System,
    surroundings: Surroundings,
}

impl Side {
    /// Makes the folders, and the tools by their paths below `tools`.
    pub(crate) fn new(system: System, folder: &Path, tools: &[(String, String)]) -> Result<Self> {
        let (project, home) = (folder.join("project"), folder.join("home"));
        std::fs::create_dir_all(&home)?;
        for (name, text) in tools {
            let path = project.join(".ai/tools").join(name);
            std::fs::create_dir_all(path.parent().ok_or("a tool is in a folder")?)?;
            std::fs::write(path, text)?;
        }
        let environment = vec![("PATH".into(), path()?), ("HOME".into(), home.into_os_string())];
        Ok(Self { system, surroundings: Surroundings { folder: project, environment } })
    }

    /// Makes a key, and signs the tools below `demo`.
    pub(crate) fn prepare(&self) -> Result<()> {
        match self.system {
            System::Ours => {
                self.run(&rye(&["keys", "generate"])?, PATIENCE)?;
                self.run(&rye(&["trust", "--yes"])?, PATIENCE)?;
            }
            System::Ryeos => {
                // To trust a key for all projects fails in this version, and for one project it works.
                for action in [r#"{"action":"generate"}"#, r#"{"action":"trust","space":"project"}"#] {
                    // All other programs of this group find no parameters on their standard input.
                    let keys = format!("echo '{action}' | rye execute tool:rye/core/keys/keys");
                    self.run(&["/bin/sh", "-c", &keys].map(OsString::from), PATIENCE)?;
                }
            }
        }
        self.sign("demo").map(drop)
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }

    pub(crate) fn tools(&self) -> PathBuf {
        self.surroundings.folder.join(".ai/tools")
    }

    /// Runs a program where the system is.
    pub(crate) fn run(&self, arguments: &[OsString], limit: Duration) -> Result<Printed> {
        program::run(arguments, &self.surroundings, limit)
    }

    /// Signs all tools of a folder by the command line.
    pub(crate) fn sign(&self, folder: &str) -> Result<Duration> {
        let command = match self.system {
            System::Ours => rye(&["sign", &format!("{folder}/*")])?,
            System::Ryeos => ryeos("rye", &["sign", &format!("tool:{folder}/*")]),
        };
        let printed = self.run(&command, Duration::from_mins(5))?;
        let all_signed = match self.system {
            System::Ours => printed.text.contains(", 0 refused"),
            System::Ryeos => super::client::plain(&printed.text).contains(r#""failed":[]"#),
        };
        if all_signed { Ok(printed.elapsed) } else { Err(format!("not signed: {}", printed.text).into()) }
    }

    /// Executes a tool by the command line, and wants a text in what is printed.
    pub(crate) fn execute(&self, id: &str, expect: &str) -> Result<Duration> {
        let command = match self.system {
            System::Ours => rye(&["execute", id, "--params", "-"])?,
            System::Ryeos => ryeos("rye", &["execute", &format!("tool:{id}")]),
        };
        let printed = self.run(&command, PATIENCE)?;
        if super::client::plain(&printed.text).contains(expect) {
            Ok(printed.elapsed)
        } else {
            Err(format!("no `{expect}` in {}", printed.text).into())
        }
    }

    /// Starts the server, and tells how long it took until its first answer.
    pub(crate) fn serve(&self) -> Result<(Client, Duration)> {
        let command = match self.system {
            System::Ours => rye(&["mcp", "serve"])?,
            System::Ryeos => ryeos("ryeos-mcp", &[]),
        };
        Client::start(&command, &self.surroundings, PATIENCE)
    }

    /// What the server is sent to execute a tool.
    pub(crate) fn execution(&self, id: &str) -> String {
        match self.system {
            System::Ours => format!(r#"{{"name":"execute","arguments":{{"item_id":"{id}"}}}}"#),
            System::Ryeos => {
                let arguments = format!(r#""item_id":"tool:{id}",{}"#, self.project());
                format!(r#"{{"name":"execute","arguments":{{{arguments}}}}}"#)
            }
        }
    }

    /// What the server is sent to search for tools.
    pub(crate) fn search(&self, query: &str) -> String {
        match self.system {
            System::Ours => {
                format!(r#"{{"name":"search","arguments":{{"query":"{query}","item_type":"tool"}}}}"#)
            }
            System::Ryeos => {
                let arguments = format!(r#""query":"{query}","scope":"tool",{}"#, self.project());
                format!(r#"{{"name":"fetch","arguments":{{{arguments}}}}}"#)
            }
        }
    }

    fn project(&self) -> String {
        format!(r#""project_path":"{}""#, self.surroundings.folder.display())
    }
}

/// Where `cargo xtask` puts what others have written.
pub(crate) fn deps() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.deps")
}

/// A program of the other system.
fn ryeos(name: &str, arguments: &[&str]) -> Vec<OsString> {
    let program = deps().join("bench/bin").join(name).into_os_string();
    std::iter::once(program).chain(arguments.iter().map(OsString::from)).collect()
}

/// The folders of programs. The other system finds itself only if its environment is the active one, and both sides use
/// the same interpreter this way.
fn path() -> Result<OsString> {
    let own = deps().join("bench/bin");
    let usual =
        std::env::vars_os().find(|(name, _)| name == "PATH").map(|(_, value)| value).unwrap_or_default();
    Ok(std::env::join_paths(std::iter::once(own).chain(std::env::split_paths(&usual)))?)
}
