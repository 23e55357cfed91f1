//! `lillux envelope`: what only its recipients can read.

use std::collections::BTreeMap;

use lillux::envelope::{
    EnvelopeForm, EnvelopeIdentity, Recipient, SecretEnvironment, open as open_bytes, open_environment,
    seal as seal_bytes, seal_environment,
};
use secrecy::ExposeSecret;

use crate::answer::Answer;
use crate::cli::{EnvelopeArgs, EnvelopeCommand, OpenArgs, SealArgs};
use crate::environment_file;
use crate::failure::Failure;
use crate::output_file::Visibility;
use crate::raw_output::RawOutput;

pub(crate) fn envelope(args: EnvelopeArgs) -> Result<Answer, Failure> {
    match args.command {
        EnvelopeCommand::Seal(args) => seal(args),
        EnvelopeCommand::Open(args) => open(args),
    }
}

fn seal(args: SealArgs) -> Result<Answer, Failure> {
    let recipients = args.to.iter().map(|text| text.parse()).collect::<Result<Vec<Recipient>, _>>()?;
    let form = if args.binary { EnvelopeForm::Binary } else { EnvelopeForm::Text };
    let envelope = match args.env_file {
        Some(file) => seal_environment(&environment_file::read(&file)?, &recipients, form)?,
        None => seal_bytes(&args.file.read()?, &recipients, form)?,
    };
    RawOutput::create(args.output, Visibility::Default)?.put(&envelope)
}

fn open(args: OpenArgs) -> Result<Answer, Failure> {
    let identity = EnvelopeIdentity::load(&args.identity)?;
    let envelope = args.file.read()?;
    if args.env {
        let environment = open_environment(&envelope, &identity)?;
        RawOutput::create(args.output, Visibility::Private)?.put(&json_line(&environment)?)
    } else {
        let contents = open_bytes(&envelope, &identity)?;
        RawOutput::create(args.output, Visibility::Private)?.put(contents.expose_secret())
    }
}

fn json_line(environment: &SecretEnvironment) -> Result<Vec<u8>, Failure> {
    let exposed: BTreeMap<_, _> =
        environment.iter().map(|(name, value)| (name, value.expose_secret())).collect();
    let mut line = serde_json::to_vec(&exposed).map_err(|error| Failure::io("write JSON", &error.into()))?;
    line.push(b'\n');
    Ok(line)
}
