//! `rye secret`: what tools are given to prove who they act for.

mod key;

use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::ExitCode;

use rye_engine::{EngineError, EngineSettings};
use rye_item::Spaces;
use rye_run::mask::Mask;
use rye_run::secrets::{SecretName, SecretStore};
use serde_json::json;
use zeroize::Zeroizing;

use crate::cli::{SecretArgs, SecretCommand};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::passphrase;
use crate::table::Table;

/// What an answer has when nothing was found.
const NOTHING_FOUND: u8 = 1;

pub(crate) fn secret(
    settings: &EngineSettings,
    args: &SecretArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let user_space = Spaces::user_path(&settings.spaces).ok_or(EngineError::NoUserSpace)?;
    let store = SecretStore::open(&user_space, &settings.environment);
    match &args.command {
        SecretCommand::Set { misplaced, .. } if !misplaced.is_empty() => Err(CommandError::secret_in_sight()),
        SecretCommand::Set { name, from_file, .. } => {
            set(&store, &read_name(name)?, from_file.as_deref(), output)
        }
        SecretCommand::List => list(&store, output),
        SecretCommand::Remove { name } => remove(&store, &read_name(name)?, output),
        SecretCommand::Key { destination: None } => key::show(&store, output),
        SecretCommand::Key { destination: Some(destination) } => key::move_to(&store, *destination, output),
    }
}

/// Reads a name. What is none may be the secret itself, so it is not for the parser of arguments to complain about.
fn read_name(text: &str) -> Result<SecretName, CommandError> {
    SecretName::new(text).map_err(|error| EngineError::from(error).into())
}

fn set(
    store: &SecretStore,
    name: &SecretName,
    file: Option<&Path>,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let value = value(name, file)?;
    let new_key = store.set(name, &value.as_str().into()).map_err(EngineError::from)?;
    if let Some(new_key) = new_key {
        key::tell_refusal(&new_key, output);
    }
    if value.len() < Mask::SHORTEST {
        let text = format!(
            "a value of less than {} bytes is not masked where a tool prints it: it would hit ordinary words",
            Mask::SHORTEST
        );
        output.note(Tone::Warning, "warning", text);
    }
    if output.is_json() {
        print_json(&json!({ "name": name.as_str(), "set": true }))?;
    } else {
        print_bytes(format!("secret {name} is set\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn list(store: &SecretStore, output: Output) -> Result<ExitCode, CommandError> {
    let names = store.names().map_err(EngineError::from)?;
    if output.is_json() {
        print_json(&json!({ "secrets": names.iter().map(SecretName::as_str).collect::<Vec<_>>() }))?;
    } else if names.is_empty() {
        output.note(Tone::Faint, "note", "no secret is set");
    } else {
        let mut table = Table::default();
        for name in &names {
            table.row([(Tone::Plain, name.to_string())]);
        }
        print_bytes(table.render(output).as_bytes())?;
    }
    Ok(ExitCode::from(if names.is_empty() { NOTHING_FOUND } else { 0 }))
}

fn remove(store: &SecretStore, name: &SecretName, output: Output) -> Result<ExitCode, CommandError> {
    let was_set = store.remove(name).map_err(EngineError::from)?;
    if output.is_json() {
        print_json(&json!({ "name": name.as_str(), "removed": was_set }))?;
    } else if was_set {
        print_bytes(format!("secret {name} is removed\n").as_bytes())?;
    } else {
        output.note(Tone::Faint, "note", format_args!("no secret {name} was set"));
    }
    Ok(ExitCode::from(if was_set { 0 } else { NOTHING_FOUND }))
}

/// The value, without the line break that an editor or `echo` leaves at its end.
fn value(name: &SecretName, file: Option<&Path>) -> Result<Zeroizing<String>, CommandError> {
    let (source, bytes) = match file {
        Some(path) => {
            let source = format!("`{}`", path.display());
            let bytes = File::open(path).and_then(read).map_err(|error| CommandError::input(&source, &error));
            (source, bytes?)
        }
        None if io::stdin().is_terminal() => return passphrase::secret(name.as_str()),
        None => {
            let source = "standard input".to_owned();
            let bytes = read(io::stdin().lock()).map_err(|error| CommandError::input(&source, &error))?;
            (source, bytes)
        }
    };
    let Ok(text) = str::from_utf8(&bytes) else { return Err(CommandError::not_a_text(&source)) };
    let text = text.strip_suffix('\n').unwrap_or(text);
    Ok(Zeroizing::new(text.strip_suffix('\r').unwrap_or(text).to_owned()))
}

/// Reads what may be a value, and a little more so that one which is too long is seen to be.
fn read(input: impl Read) -> io::Result<Zeroizing<Vec<u8>>> {
    const LIMIT: usize = SecretStore::VALUE_LIMIT + 3;
    // The buffer has its final size from the start: one that grows leaves copies of a secret behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LIMIT));
    input.take(LIMIT as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
