//! `rye mcp call`: one call of one tool, which is what the runtimes for MCP do.

use std::io::{self, Read as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use lillux::interrupt::cancel_on_interrupt;
use lillux::process::Channel;
use rye_engine::EngineSettings;
use rye_mcp::client::{Patience, Session};

use super::known_beginning::KnownBeginning;
use super::prepared_call::{CallEvent, CallFiles, PreparedCall};
use super::server_identity::ProgramIdentity;

use super::{add, connection};
use crate::cli::McpCallArgs;
use crate::command_error::CommandError;
use crate::output::print_bytes;

pub(super) fn call(settings: &EngineSettings, args: &McpCallArgs) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::signals(&error))?;
    let mut input = Vec::new();
    io::stdin()
        .lock()
        .read_to_end(&mut input)
        .map_err(|error| CommandError::data("standard input", error))?;
    let files = CallFiles::read(args)?;
    let server = files.resolve(&connection::variables(settings))?;
    let call = PreparedCall::new(&files, args, settings, &server, &input)?;
    let mut patience = Patience::endless().cancel(cancel);
    if let Some(seconds) = args.timeout {
        patience = patience.timeout(add::seconds(seconds)?);
    }
    let env = settings.environment.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let program = ProgramIdentity::of(call.server, call.folder.as_deref(), &env.collect());
    let known = KnownBeginning::of(settings, &files, &program);
    let session = Session::open(call.server, &call.options().beginning(known.get()), &patience)?;
    known.remember(&session);
    let mut printed = Ok(());
    let code = call.carry_out(&session, Duration::ZERO, &patience, &mut |event| match event {
        CallEvent::Written(Channel::Stdout, bytes) => printed = print_bytes(bytes),
        CallEvent::Written(Channel::Stderr, bytes) => {
            // If nobody listens, nothing is lost that matters.
            let _ = io::stderr().write_all(bytes);
        }
        CallEvent::GoesOn => {}
    });
    session.close();
    printed?;
    Ok(ExitCode::from(code?))
}
