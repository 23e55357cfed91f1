//! Reaching a server for the operator.

use std::path::Path;
use std::time::Duration;

use lillux::CancelToken;
use rye_engine::{EngineError, EngineSettings, with_sources};
use rye_item::{ItemRef, Spaces};
use rye_mcp::client::{
    ClientError, RemoteTool, ServerConfig, ServerIdentity, Session, SessionOptions, Variables,
};
use rye_run::secrets::{SecretName, SecretStore};
use secrecy::ExposeSecret as _;

use super::tool_file;
use crate::command_error::CommandError;

/// What a server says about itself.
#[derive(Debug)]
pub(super) struct Introduction {
    pub(super) identity: Option<ServerIdentity>,
    pub(super) tools: Vec<RemoteTool>,
}

/// How a server is reached for the operator.
#[derive(Debug)]
pub(super) struct Visit<'a> {
    pub(super) settings: &'a EngineSettings,
    pub(super) folder: &'a Path,
    pub(super) timeout: Duration,
    pub(super) cancel: &'a CancelToken,
}

impl Visit<'_> {
    /// Asks a server for its tools.
    pub(super) fn introduce(&self, name: &str, config: &ServerConfig) -> Result<Introduction, CommandError> {
        let mut environment = variables(self.settings);
        self.add_secrets(name, config, &mut environment)?;
        let server =
            config.resolve(&environment).map_err(|error| CommandError::server_config(name, &error))?;
        let options =
            SessionOptions::new(name).timeout(self.timeout).cancel(self.cancel.clone()).folder(self.folder);
        let mut session = Session::open(&server, options)?;
        let identity = session.identity();
        let tools = session.tools()?;
        session.close();
        let doubles = tool_file::doubles(&tools);
        if !doubles.is_empty() {
            return Err(CommandError::double_tools(name, &doubles));
        }
        Ok(Introduction { identity, tools })
    }

    /// Secrets go before variables, as in a run.
    fn add_secrets(
        &self,
        name: &str,
        config: &ServerConfig,
        environment: &mut Variables,
    ) -> Result<(), CommandError> {
        let Some(user_space) = Spaces::user_path(&self.settings.spaces) else { return Ok(()) };
        let store = SecretStore::open(&user_space);
        let known = store.names().map_err(EngineError::from)?;
        let wanted = config.variables();
        let names: Vec<SecretName> =
            known.into_iter().filter(|secret| wanted.contains(secret.as_str())).collect();
        if names.is_empty() {
            return Ok(());
        }
        let id = tool_file::server_id(name).map_err(EngineError::from)?;
        let values =
            store.get(&names, &ItemRef::new(rye_item::ItemKind::Tool, id)).map_err(EngineError::from)?;
        for secret in &names {
            if let Some(value) = values.get(secret.as_str()) {
                environment.insert(secret.as_str().to_owned(), value.expose_secret().to_owned());
            }
        }
        Ok(())
    }
}

/// Our own environment, as far as it is text.
pub(super) fn variables(settings: &EngineSettings) -> Variables {
    let text = |text: &std::ffi::OsStr| text.to_str().map(str::to_owned);
    settings.environment.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
}

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> Self {
        let mut message = with_sources(&error);
        if let Some(noise) = &error.noise {
            message.push_str("\nit wrote to its standard output what is no message: ");
            message.push_str(noise);
        }
        if !error.stderr.is_empty() {
            message.push_str("\nits standard error ends with:\n");
            message.push_str(&error.stderr);
        }
        Self::server(&error.kind, message)
    }
}
