//! What a command has found out.

use std::process::ExitCode;

use base64ct::{Base64, Encoding as _};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::stdout::{self, Reader};

/// A JSON object and whether it means yes.
pub(crate) struct Answer {
    /// Nothing if the answer was raw bytes, which have been written.
    body: Option<Value>,
    yes: bool,
}

impl Answer {
    pub(crate) fn yes(body: impl Serialize) -> Result<Self, Failure> {
        Self::new(body, true)
    }

    pub(crate) fn new(body: impl Serialize, yes: bool) -> Result<Self, Failure> {
        Ok(Self {
            body: Some(serde_json::to_value(body).map_err(|error| Failure::io("write JSON", &error.into()))?),
            yes,
        })
    }

    /// The answer was raw bytes, which have been written.
    pub(crate) fn streamed() -> Self {
        Self { body: None, yes: true }
    }

    pub(crate) fn print(self) -> Result<ExitCode, Failure> {
        if let Some(body) = self.body {
            print_line(&body)?;
        }
        Ok(if self.yes { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}

/// Prints a JSON object as a line of its own.
pub(crate) fn print_line(object: &Value) -> Result<Reader, Failure> {
    let mut text = serde_json::to_vec(object).map_err(|error| Failure::io("write JSON", &error.into()))?;
    text.push(b'\n');
    stdout::write(&text)
}

/// Prints what `--help` or `--version` asked for.
pub(crate) fn print_help(help: &clap::Error) -> ExitCode {
    match stdout::write(help.render().to_string().as_bytes()) {
        Ok(_) => ExitCode::SUCCESS,
        Err(failure) => failure.print(),
    }
}

/// Adds bytes to an object: as text if they are UTF-8, else as base64 under another name.
pub(crate) fn put_bytes(object: &mut Map<String, Value>, name: &str, bytes: Vec<u8>) {
    match String::from_utf8(bytes) {
        Ok(text) => object.insert(name.to_owned(), text.into()),
        Err(error) => object.insert(format!("{name}_base64"), Base64::encode_string(error.as_bytes()).into()),
    };
}
