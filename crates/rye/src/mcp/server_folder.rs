//! Where the files of servers and their tools are.

use std::path::{Path, PathBuf};

use rye_engine::{Engine, EngineError, EngineSettings, SignReport, SignRequest};
use rye_item::{ItemId, ItemKind, ItemRef, Overwrite, Space, Spaces};
use rye_mcp::client::ServerConfig;

use super::tool_file::{self, ImportedTool, NewFile, SERVERS};
use crate::command_error::CommandError;
use crate::signing_key;

/// A space that servers are imported into.
#[derive(Debug, Clone)]
pub(super) struct ServerFolder {
    space: Space,
    /// The `.ai` folder.
    root: PathBuf,
}

/// The file of an imported tool.
#[derive(Debug)]
pub(super) struct ToolOnDisk {
    pub(super) id: ItemId,
    pub(super) path: PathBuf,
    pub(super) tool: ImportedTool,
}

const EXTENSION: &str = "yaml";

impl ServerFolder {
    /// That of the user, or that of the project.
    pub(super) fn of(settings: &EngineSettings, is_user: bool) -> Result<Self, CommandError> {
        if is_user {
            let root = Spaces::user_path(&settings.spaces).ok_or(EngineError::NoUserSpace)?;
            return Ok(Self { space: Space::User, root });
        }
        let project = Engine::new(settings.clone()).project_path()?;
        Ok(Self { space: Space::Project, root: project.join(".ai") })
    }

    /// All that there are.
    pub(super) fn all(settings: &EngineSettings) -> Vec<Self> {
        [false, true].into_iter().filter_map(|is_user| Self::of(settings, is_user).ok()).collect()
    }

    pub(super) fn space(&self) -> Space {
        self.space
    }

    /// The names of the servers, in order.
    pub(super) fn servers(&self) -> Vec<String> {
        let mut names: Vec<_> =
            files(&self.tools().join(SERVERS)).into_iter().map(|(stem, _)| stem).collect();
        names.sort();
        names
    }

    pub(super) fn has_server(&self, name: &str) -> bool {
        self.server_path(name).symlink_metadata().is_ok()
    }

    pub(super) fn server_path(&self, name: &str) -> PathBuf {
        self.tools().join(SERVERS).join(format!("{name}.{EXTENSION}"))
    }

    /// How a server is started or reached.
    pub(super) fn server(&self, name: &str) -> Result<ServerConfig, CommandError> {
        tool_file::server_id(name).map_err(EngineError::from)?;
        let path = self.server_path(name);
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(CommandError::no_such_server(name, self.space, &self.servers()));
            }
            read => read.map_err(|error| CommandError::input(&path.display().to_string(), &error))?,
        };
        ServerConfig::parse(&bytes).map_err(|error| CommandError::server_config(name, &error))
    }

    /// The tools that were imported from a server.
    pub(super) fn tools_of(&self, name: &str) -> Vec<ToolOnDisk> {
        let mut tools: Vec<_> = files(&self.tools().join("mcp").join(name))
            .into_iter()
            .filter_map(|(stem, path)| {
                let tool = ImportedTool::read(&std::fs::read(&path).ok()?)?;
                let id = ItemId::new(format!("mcp/{name}/{stem}")).ok()?;
                tool.is_of(name).then_some(ToolOnDisk { id, path, tool })
            })
            .collect();
        tools.sort_by(|one, other| one.id.cmp(&other.id));
        tools
    }

    /// Writes files, and signs them with the operator's key.
    pub(super) fn write_and_sign(
        &self,
        settings: &EngineSettings,
        files: &[NewFile],
    ) -> Result<SignReport, CommandError> {
        let key = signing_key::open(&settings.spaces)?;
        let engine = Engine::new(settings.clone());
        engine.check_signing_key(&key)?;
        for NewFile { id, text } in files {
            let item = ItemRef::new(ItemKind::Tool, id.clone());
            rye_item::store(self.space, &self.root, &item, EXTENSION, text.as_bytes(), Overwrite::Replace)
                .map_err(EngineError::from)?;
        }
        let request = |file: &NewFile| SignRequest {
            pattern: file.id.as_str().to_owned(),
            kind: Some(ItemKind::Tool),
            space: Some(self.space),
        };
        let requests: Vec<_> = files.iter().map(request).collect();
        Ok(engine.sign_all(&requests, &key, &|_| {})?)
    }

    /// Removes a file. One that is gone already is as good.
    pub(super) fn remove(path: &Path) -> Result<(), CommandError> {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(CommandError::cannot_remove(path, &error))
            }
            _ => Ok(()),
        }
    }

    /// Removes the folder of a server's tools, if there is nothing in it.
    pub(super) fn remove_empty(&self, name: &str) {
        // One that is not empty stays.
        let _ = std::fs::remove_dir(self.tools().join("mcp").join(name));
    }

    fn tools(&self) -> PathBuf {
        self.root.join(ItemKind::Tool.folder())
    }
}

/// The stems and paths of the YAML files in a folder.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name();
        let stem = name.to_str()?.strip_suffix(".yaml")?;
        Some((stem.to_owned(), entry.path()))
    });
    named.collect()
}
