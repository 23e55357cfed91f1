//! `rye mcp serve`.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use lillux::interrupt::cancel_on_interrupt;
use rye_engine::EngineSettings;
use rye_mcp::server::{HttpSettings, LogSettings, ServerSettings, serve_http, serve_stdio};

use super::sessions::ServerSessions;
use crate::cli::ServeArgs;
use crate::command_error::CommandError;
use crate::{environment, plan_view};

pub(super) fn serve(settings: EngineSettings, args: &ServeArgs) -> Result<ExitCode, CommandError> {
    // This has to come before any thread.
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::input("signals", &error))?;
    let inline_wait = Duration::try_from_secs_f64(args.inline_wait);
    let inline_wait = inline_wait.map_err(|_| CommandError::seconds(args.inline_wait))?;
    let http = args.http.map(|address| http_settings(&settings, args, address)).transpose()?;
    let sessions = Arc::new(ServerSessions::new(&settings));
    let server = ServerSettings {
        engine: EngineSettings { sessions: Some(sessions), ..settings },
        passphrase: environment::passphrase()?,
        inline_wait,
        plan_view: plan_view::as_json,
        log: LogSettings { level: args.log_level, file: args.log_file.clone() },
    };
    match &http {
        None => serve_stdio(server, &cancel),
        Some(http) => serve_http(server, http, &cancel),
    }
    .map_err(|error| CommandError::serve(&error))?;
    Ok(ExitCode::SUCCESS)
}

fn http_settings(
    settings: &EngineSettings,
    args: &ServeArgs,
    address: std::net::SocketAddr,
) -> Result<HttpSettings, CommandError> {
    let state = settings.state.as_ref().ok_or(rye_engine::EngineError::NoUserSpace)?;
    Ok(HttpSettings {
        address,
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        token_file: state.join("mcp").join("token"),
    })
}
