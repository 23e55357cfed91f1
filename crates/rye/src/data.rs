//! `rye data`: what the bundled tools for data do. They call this program for its parsers.

mod document;
mod path_expression;
mod project_file;

use std::io::{self, Read};
use std::process::ExitCode;

use rye_engine::SpaceSettings;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::{DataArgs, DataCommand};
use crate::command_error::CommandError;
use crate::output::print_json;
use document::{Document, Format};

/// What is looked for, as the tool's schema has it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    file: Option<String>,
    text: Option<String>,
    format: Option<Format>,
    #[serde(default = "whole")]
    path: String,
    #[serde(default = "many")]
    limit: usize,
}

fn whole() -> String {
    "$".to_owned()
}

fn many() -> usize {
    1000
}

pub(crate) fn data(settings: &SpaceSettings, args: &DataArgs) -> Result<ExitCode, CommandError> {
    match args.command {
        DataCommand::Query => query(settings),
    }
}

fn query(settings: &SpaceSettings) -> Result<ExitCode, CommandError> {
    let mut sent = Vec::new();
    io::stdin().lock().read_to_end(&mut sent).map_err(|error| CommandError::data("standard input", error))?;
    let query: Query =
        serde_json::from_slice(&sent).map_err(|error| CommandError::data("the parameters", error))?;
    let path = path_expression::parse(&query.path)?;
    let document = document(settings, &query)?;
    let value: Value = document.read()?;
    let found = path.query_located(&value);
    let (mut paths, mut values) = (Vec::new(), Vec::new());
    for node in found.iter().take(query.limit) {
        paths.push(node.location().to_string());
        values.push(node.node());
    }
    print_json(&json!({ "values": values, "paths": paths, "truncated": found.len() > query.limit }))?;
    Ok(ExitCode::SUCCESS)
}

fn document(settings: &SpaceSettings, query: &Query) -> Result<Document, CommandError> {
    match (&query.file, &query.text) {
        (Some(file), None) => {
            let root = settings.project.as_deref().unwrap_or(&settings.start);
            let bytes = project_file::read(root, file)?;
            let format = query.format.or_else(|| Format::of(file));
            let format = format.ok_or_else(|| CommandError::no_format(file))?;
            Ok(Document { name: file.clone(), bytes, format })
        }
        (None, Some(text)) => {
            let format = query.format.ok_or_else(|| CommandError::no_format("text"))?;
            Ok(Document { name: "text".to_owned(), bytes: text.clone().into_bytes(), format })
        }
        _ => Err(CommandError::file_or_text()),
    }
}
