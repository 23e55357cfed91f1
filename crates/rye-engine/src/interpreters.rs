//! Which interpreters the runtimes ask for, and which of them are there.

use rye_env::{DeclaredEnv, EnvError, EnvRequest, Environment, Places, Project, ResolveCommands, resolve};
use rye_item::{ItemKind, ItemRef, Space};
use rye_metadata::Metadata;
use rye_metadata::metadata::Interpreter;
use rye_template::Names;

use crate::engine::Call;
use crate::listing::list;
use crate::trust::Trust;
use crate::{Engine, EngineError};

/// An item that asks for interpreters, and what was found for it.
#[derive(Debug)]
pub struct RuntimeInterpreters {
    /// The item.
    pub item: ItemRef,
    /// Its space.
    pub space: Space,
    /// What it declares.
    pub declared: Vec<Interpreter>,
    /// Its environment with the story of each interpreter, or why there is none.
    pub environment: Result<Environment, EnvError>,
}

impl Engine {
    /// Looks for the interpreters of every item that declares some, and starts nothing.
    ///
    /// # Errors
    /// If a space or the keys cannot be used.
    pub fn interpreters(&self) -> Result<Vec<RuntimeInterpreters>, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let mut found: Vec<RuntimeInterpreters> = Vec::new();
        for (space, item) in list(&call, true, Some(ItemKind::Tool), &|_| true) {
            let root = call.spaces.get(space);
            let located = root.map(|root| root.locate_exactly(&item, call.extractors.extensions()));
            let Some(Ok(Some(located))) = located else { continue };
            let Ok(file) = located.read() else { continue };
            let metadata = &call.describe(&file).metadata;
            let declared = metadata.env_config.as_ref().map(|config| config.interpreters.clone());
            let declared = declared.unwrap_or_default();
            // One that is hidden by another is asked for by nobody.
            if !declared.is_empty() && !found.iter().any(|other| other.item == item) {
                let environment = self.environment_of(&call, &trust, &item, metadata);
                found.push(RuntimeInterpreters { item, space, declared, environment });
            }
        }
        Ok(found)
    }

    fn environment_of(
        &self,
        call: &Call,
        trust: &Trust,
        item: &ItemRef,
        metadata: &Metadata,
    ) -> Result<Environment, EnvError> {
        let user_space = self.user_path();
        let project = call.project_folder().map(|root| Project { root, trust: trust.as_decided() });
        let config = metadata.env_config.iter();
        let configs: Vec<_> =
            config.map(|config| DeclaredEnv { element: item.id.as_str(), config }).collect();
        resolve(&EnvRequest {
            process: &self.settings.environment,
            configs: &configs,
            tool_env: &[],
            places: Places {
                project,
                home: self.settings.spaces.home.as_deref(),
                user_space: user_space.as_deref(),
                names: &Names::new(),
            },
            commands: ResolveCommands::Leave,
        })
    }
}
