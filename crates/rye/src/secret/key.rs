//! `rye secret key`: where the key is that opens the secrets.

use std::process::ExitCode;

use rye_engine::{EngineError, with_sources};
use rye_run::secrets::{KeyLocation, KeyPlace, NewKey, SecretStore};
use serde_json::{Value, json};

use super::NOTHING_FOUND;
use crate::cli::KeyDestination;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};

pub(super) fn show(store: &SecretStore, output: Output) -> Result<ExitCode, CommandError> {
    let location = store.key().map_err(EngineError::from)?;
    match &location {
        Some(location) if output.is_json() => print_json(&describe(location))?,
        Some(location) => print_bytes(format!("the key is in {}\n", place(location)).as_bytes())?,
        None if output.is_json() => print_json(&json!({ "place": null }))?,
        None => output.note(Tone::Faint, "note", "there is no key yet: it is made with the first secret"),
    }
    Ok(ExitCode::from(if location.is_some() { 0 } else { NOTHING_FOUND }))
}

pub(super) fn move_to(
    store: &SecretStore,
    destination: KeyDestination,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let destination = match destination {
        KeyDestination::Keyring => KeyPlace::Keyring,
        KeyDestination::File => KeyPlace::File,
    };
    let moved = store.move_key(destination).map_err(EngineError::from)?;
    if let Some(error) = &moved.left_behind {
        let text = format!("the keyring of the desktop has a copy still: {}", with_sources(error));
        output.note(Tone::Warning, "warning", text);
    }
    if output.is_json() {
        let mut description = describe(&moved.location);
        description["moved"] = moved.was_elsewhere.into();
        print_json(&description)?;
    } else {
        let word = if moved.was_elsewhere { "now" } else { "already" };
        print_bytes(format!("the key is {word} in {}\n", place(&moved.location)).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says why a key that was made is not in the keyring, if there is one that should have taken it.
pub(super) fn tell_refusal(key: &NewKey, output: Output) {
    if let Some(error) = &key.refused {
        let why = with_sources(error);
        let text = format!(
            "the key is in {}, because the keyring of the desktop does not keep it: {why}",
            place(&key.location)
        );
        output.note(Tone::Warning, "warning", text);
    }
}

fn place(location: &KeyLocation) -> String {
    match location.place {
        KeyPlace::File => format!("`{}`", location.file.display()),
        KeyPlace::Keyring => format!("the keyring of the desktop, as `{}`", location.recipient),
    }
}

fn describe(location: &KeyLocation) -> Value {
    json!({
        "place": match location.place {
            KeyPlace::File => "file",
            KeyPlace::Keyring => "keyring",
        },
        "file": location.file,
        "recipient": location.recipient.to_string(),
    })
}
