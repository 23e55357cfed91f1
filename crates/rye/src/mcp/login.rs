//! `rye mcp login` and `rye mcp logout`: who the operator is at a server.

use std::ffi::OsStr;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::sync::Arc;

use lillux::CancelToken;
use lillux::interrupt::cancel_on_interrupt;
use lillux::process::{SpawnRequest, find_program, spawn};
use rye_engine::{EngineError, EngineSettings};
use rye_item::{ItemKind, ItemRef, Spaces};
use rye_mcp::client::oauth::{self, GivenClient, Login, LoginStore as _, LoopbackAgent, OAuth, SecretText};
use rye_mcp::client::{Patience, ResolvedServer, ServerConfig};
use rye_run::secrets::{SecretName, SecretStore};
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::connection::with_secrets;
use super::login_store::SealedLogin;
use super::server_folder::ServerFolder;
use super::{add, tool_file};
use crate::cli::{McpLoginArgs, McpLoginOptions, McpLogoutArgs};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

/// What opens an address in the browser of a desktop, where there is one.
const OPENERS: [&str; 2] = ["xdg-open", "open"];
/// What an answer has when nothing was found.
const NOTHING_FOUND: u8 = 1;

pub(super) fn login(
    settings: &EngineSettings,
    args: &McpLoginArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let config = find(settings, &args.name, args.user)?;
    let server = resolved(settings, &args.name, &config)?;
    let login = log_in(settings, &args.name, &server, &args.options, &cancel, output)?;
    if output.is_json() {
        print_json(&json!({
            "name": args.name,
            "issuer": login.issuer(),
            "resource": login.resource(),
            "scopes": login.scopes(),
            "renewable": login.is_renewable(),
        }))?;
    } else {
        let line = format!("logged in at {} for {}\n", login.issuer(), login.resource());
        print_bytes(line.as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn logout(
    settings: &EngineSettings,
    args: &McpLogoutArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let config = find(settings, &args.name, args.user)?;
    let server = resolved(settings, &args.name, &config)?;
    let store = SealedLogin::of(settings, &args.name, &server)?;
    let was_there = match store {
        Some(store) => store.remove()?,
        None => return Err(CommandError::no_login_there(&args.name)),
    };
    if output.is_json() {
        print_json(&json!({ "name": args.name, "removed": was_there }))?;
    } else if was_there {
        print_bytes(format!("logged out of {}\n", args.name).as_bytes())?;
    } else {
        output.note(Tone::Faint, "note", format_args!("nobody was logged in at {}", args.name));
    }
    Ok(ExitCode::from(if was_there { 0 } else { NOTHING_FOUND }))
}

/// Has the operator log in at a server, and keeps the login.
pub(super) fn log_in(
    settings: &EngineSettings,
    name: &str,
    server: &ResolvedServer,
    options: &McpLoginOptions,
    cancel: &CancelToken,
    output: Output,
) -> Result<Login, CommandError> {
    let Some(store) = SealedLogin::of(settings, name, server)? else {
        return Err(CommandError::no_login_there(name));
    };
    let limit = add::seconds(options.login_timeout)?;
    let patience = Patience::endless().timeout(limit).cancel(cancel.clone());
    let environment = settings.environment.clone();
    let is_shown = !options.no_browser && io::stderr().is_terminal();
    let agent = LoopbackAgent::listen(options.port, patience.clone(), move |address| {
        output.note(Tone::Strong, "log in", format_args!("open {address}"));
        if is_shown {
            open_browser(address, &environment);
        }
    });
    let failed = |error| CommandError::login(name, &error);
    let oauth = OAuth::new(Arc::new(store))
        .agent(Arc::new(agent.map_err(failed)?))
        .client(given_client(settings, name, server, options)?)
        .scopes(options.scope.clone());
    oauth::log_in(server, &oauth, &patience).map_err(failed)
}

/// Has the operator log in, unless that has happened.
pub(super) fn make_sure(
    settings: &EngineSettings,
    name: &str,
    config: &ServerConfig,
    options: &McpLoginOptions,
    cancel: &CancelToken,
    output: Output,
) -> Result<(), CommandError> {
    if config.transport().auth().is_none() {
        return Ok(());
    }
    let server = resolved(settings, name, config)?;
    let store = SealedLogin::of(settings, name, &server)?;
    if store.is_some_and(|store| matches!(store.load(), Ok(Some(_)))) {
        return Ok(());
    }
    log_in(settings, name, &server, options, cancel, output).map(drop)
}

/// Forgets the login at a server that is about to be removed.
pub(super) fn forget(settings: &EngineSettings, name: &str, config: &ServerConfig) {
    // A server that cannot be used any more has no login that could be found.
    if let Ok(server) = resolved(settings, name, config)
        && let Ok(Some(store)) = SealedLogin::of(settings, name, &server)
    {
        let _ = store.remove();
    }
}

fn find(settings: &EngineSettings, name: &str, is_user: bool) -> Result<ServerConfig, CommandError> {
    if !is_user && let Some(folder) = ServerFolder::all(settings).into_iter().find(|it| it.has_server(name)) {
        return folder.server(name);
    }
    ServerFolder::of(settings, is_user)?.server(name)
}

fn resolved(
    settings: &EngineSettings,
    name: &str,
    config: &ServerConfig,
) -> Result<ResolvedServer, CommandError> {
    let (variables, _) = with_secrets(settings, name, config)?;
    config.resolve(&variables).map_err(|error| CommandError::server_config(name, &error))
}

/// The client that the operator has registered, with its secret, which is one of the operator's.
fn given_client(
    settings: &EngineSettings,
    name: &str,
    server: &ResolvedServer,
    options: &McpLoginOptions,
) -> Result<Option<GivenClient>, CommandError> {
    let in_file = server.transport.auth().and_then(|auth| auth.client_id.clone());
    let Some(id) = options.client_id.clone().or(in_file) else {
        return match options.client_secret {
            Some(_) => Err(CommandError::client_secret_alone()),
            None => Ok(None),
        };
    };
    let secret =
        options.client_secret.as_ref().map(|secret| client_secret(settings, name, secret)).transpose()?;
    Ok(Some(GivenClient { id, secret, issuer: None }))
}

fn client_secret(settings: &EngineSettings, server: &str, name: &str) -> Result<SecretText, CommandError> {
    let name = SecretName::new(name).map_err(EngineError::from)?;
    let user_space = Spaces::user_path(&settings.spaces).ok_or(EngineError::NoUserSpace)?;
    let id = tool_file::server_id(server).map_err(EngineError::from)?;
    let store = SecretStore::open(&user_space, &settings.environment);
    let item = ItemRef::new(ItemKind::Tool, id);
    let values = store.get(std::slice::from_ref(&name), &item).map_err(EngineError::from)?;
    let value = values.get(name.as_str()).map(|value| value.expose_secret().to_owned());
    Ok(SecretText::new(value.unwrap_or_default()))
}

/// Opens an address in a browser, if that is easy. The operator has seen the address in any case.
fn open_browser(address: &str, environment: &rye_env::ProcessEnvironment) {
    let env: std::collections::BTreeMap<_, _> =
        environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let found = OPENERS.iter().find_map(|name| find_program(OsStr::new(name), None, &env).ok());
    if let Some(program) = found {
        let request =
            SpawnRequest { program: program.into(), args: vec![address.into()], cwd: None, env, log: None };
        let _ = spawn(&request);
    }
}
