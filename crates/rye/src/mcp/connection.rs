//! Reaching a server for the operator.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lillux::CancelToken;
use rye_engine::{EngineError, EngineSettings, with_sources};
use rye_item::{ItemRef, Spaces};
use rye_mcp::client::oauth::OAuth;
use rye_mcp::client::{
    ClientError, Patience, RemoteTool, ServerConfig, ServerIdentity, Session, SessionOptions, Variables,
};
use rye_run::mask::Mask;
use rye_run::secrets::{SecretName, SecretStore};
use secrecy::ExposeSecret as _;

use super::login_store::SealedLogin;
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
        let (environment, mask) = with_secrets(self.settings, name, config)?;
        let server =
            config.resolve(&environment).map_err(|error| CommandError::server_config(name, &error))?;
        let mut options = SessionOptions::new(name).folder(self.folder);
        if let Some(login) = SealedLogin::of(self.settings, name, &server)? {
            options = options.oauth(OAuth::new(Arc::new(login)));
        }
        let patience = Patience::endless().timeout(self.timeout).cancel(self.cancel.clone());
        let masked = |error: ClientError| CommandError::from(error).masked(&mask);
        let session = Session::open(&server, &options, &patience).map_err(masked)?;
        let identity = session.identity();
        let tools = session.tools(&patience).map_err(masked)?;
        session.close();
        // What a server says about its tools is written to files, which no secret may get into.
        if let Some(tool) = tools.iter().find(|tool| tells(tool, &mask)) {
            return Err(CommandError::told_secret(name, &mask.mask_text(&tool.name)));
        }
        let doubles = tool_file::doubles(&tools);
        if !doubles.is_empty() {
            return Err(CommandError::double_tools(name, &doubles));
        }
        Ok(Introduction { identity, tools })
    }
}

/// The variables that a server's file may name. Secrets go before variables, as in a run.
pub(super) fn with_secrets(
    settings: &EngineSettings,
    name: &str,
    config: &ServerConfig,
) -> Result<(Variables, Mask), CommandError> {
    let mut environment = variables(settings);
    let Some(user_space) = Spaces::user_path(&settings.spaces) else {
        return Ok((environment, Mask::default()));
    };
    let store = SecretStore::open(&user_space, &settings.environment);
    let known = store.names().map_err(EngineError::from)?;
    let wanted = config.variables();
    let names: Vec<SecretName> =
        known.into_iter().filter(|secret| wanted.contains(secret.as_str())).collect();
    if names.is_empty() {
        return Ok((environment, Mask::default()));
    }
    let id = tool_file::server_id(name).map_err(EngineError::from)?;
    let values = store.get(&names, &ItemRef::new(rye_item::ItemKind::Tool, id)).map_err(EngineError::from)?;
    for secret in &names {
        if let Some(value) = values.get(secret.as_str()) {
            environment.insert(secret.as_str().to_owned(), value.expose_secret().to_owned());
        }
    }
    Ok((environment, Mask::new(&values).map_err(EngineError::from)?))
}

/// Whether a secret is in what a server says about a tool.
fn tells(tool: &RemoteTool, mask: &Mask) -> bool {
    let schema = serde_json::Value::Object(tool.input_schema.clone()).to_string();
    let texts = [&tool.name, &tool.description, &schema].into_iter().chain(&tool.title);
    texts.into_iter().any(|text| mask.mask_text(text) != text.as_str())
}

/// Our own environment, as far as it is text.
pub(super) fn variables(settings: &EngineSettings) -> Variables {
    texts(settings.environment.iter())
}

/// Variables, as far as they are text.
pub(super) fn texts<'v>(variables: impl Iterator<Item = (&'v OsStr, &'v OsStr)>) -> Variables {
    let text = |text: &OsStr| text.to_str().map(str::to_owned);
    variables.filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
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
        Self::server(&error.server, &error.kind, message)
    }
}
