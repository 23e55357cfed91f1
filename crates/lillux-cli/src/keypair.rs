//! `lillux keypair`: keys in files.

use std::path::{Path, PathBuf};

use lillux::envelope::{EnvelopeIdentity, Recipient};
use lillux::keys::{Passphrase, PublicKey, SigningKey};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::cli::{KeyKind, KeypairArgs, KeypairCommand};
use crate::code::Code;
use crate::failure::Failure;
use crate::key_file::KeyFile;
use crate::output_file::{Existing, OutputFile, Visibility};

/// Identities are files that other programs read too, and those know no passphrases in them.
#[derive(Debug, thiserror::Error)]
#[error("a passphrase protects signing keys only")]
struct PassphraseForEnvelope;

pub(crate) fn keypair(args: KeypairArgs) -> Result<Answer, Failure> {
    match args.command {
        KeypairCommand::Generate { kind: KeyKind::Signing, out, passphrase } => {
            generate_signing(&out, passphrase.read()?.as_ref())
        }
        KeypairCommand::Generate { kind: KeyKind::Envelope, out, passphrase } => {
            match passphrase.passphrase_file {
                Some(_) => Err(Failure::new(Code::Usage, &PassphraseForEnvelope)),
                None => generate_envelope(&out),
            }
        }
        KeypairCommand::Show { file, passphrase } => show(&file, passphrase.read()?.as_ref()),
    }
}

fn generate_signing(private: &Path, passphrase: Option<&Passphrase>) -> Result<Answer, Failure> {
    let key = SigningKey::generate()?;
    key.create_file(private, passphrase)?;
    let public = public_file(private);
    key.public_key().create_file(&public).inspect_err(|_| give_up(private))?;
    let mut body = describe_signing(&key.public_key())?;
    body.extend(files(private, &public));
    Answer::yes(body)
}

fn generate_envelope(private: &Path) -> Result<Answer, Failure> {
    let identity = EnvelopeIdentity::generate();
    identity.create_file(private)?;
    let public = public_file(private);
    let recipient = identity.to_recipient();
    let written = OutputFile::create(&public, Visibility::Default).and_then(|mut file| {
        file.write(format!("{recipient}\n").as_bytes())?;
        file.publish(Existing::Keep)
    });
    written.inspect_err(|_| give_up(private))?;
    let mut body = describe_envelope(&recipient);
    body.extend(files(private, &public));
    Answer::yes(body)
}

fn show(path: &Path, passphrase: Option<&Passphrase>) -> Result<Answer, Failure> {
    let (mut body, part) = match KeyFile::look(path)? {
        KeyFile::Private => (describe_signing(&SigningKey::load(path, passphrase)?.public_key())?, "private"),
        KeyFile::Public => (describe_signing(&PublicKey::load(path)?)?, "public"),
        KeyFile::Identity => (describe_envelope(&EnvelopeIdentity::load(path)?.to_recipient()), "private"),
        KeyFile::Recipient(recipient) => (describe_envelope(&recipient), "public"),
    };
    body.insert("part".to_owned(), part.into());
    Answer::yes(body)
}

fn describe_signing(key: &PublicKey) -> Result<Map<String, Value>, Failure> {
    let fields =
        [("kind", json!("signing")), ("key_id", json!(key.id())), ("public_key", key.to_pem()?.into())];
    Ok(fields.map(|(name, value)| (name.to_owned(), value)).into_iter().collect())
}

fn describe_envelope(recipient: &Recipient) -> Map<String, Value> {
    let fields = [("kind", "envelope".to_owned()), ("recipient", recipient.to_string())];
    fields.map(|(name, value)| (name.to_owned(), value.into())).into_iter().collect()
}

fn files(private: &Path, public: &Path) -> [(String, Value); 2] {
    let text = |path: &Path| path.to_string_lossy().into();
    [("private_file".to_owned(), text(private)), ("public_file".to_owned(), text(public))]
}

fn public_file(private: &Path) -> PathBuf {
    let mut path = private.as_os_str().to_owned();
    path.push(".pub");
    path.into()
}

/// Removes a private key that was just made, since its public half has no place.
fn give_up(private: &Path) {
    // What is reported is why the public half could not be written.
    let _ = std::fs::remove_file(private);
}
