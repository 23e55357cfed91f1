//! `rye keys`: what the operator signs with, and whose signatures count.

mod description;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use lillux::clock::{Clock, SystemClock};
use lillux::keys::{KeyId, ParseKeyErrorKind, Passphrase, SigningKey};
use rye_engine::EngineError;
use rye_item::{SpaceSettings, Spaces};
use rye_trust::{
    ExistingKey, InstalledKey, KeyFolder, KeyFolderError, KeyIdPrefix, Keyring, NewSigningKey, OwnKey,
    PublicKeyFile,
};
use serde_json::json;

use crate::cli::{ImportSource, KeysArgs, KeysCommand, SigningKeyArgs};
use crate::command_error::CommandError;
use crate::key_input::KeyInput;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::{environment, passphrase};
use description::KeyDescription;

/// What a key's owner is called who did not say.
const NAMELESS: &str = "me";
/// What an answer has when nothing was found.
const NOTHING_FOUND: u8 = 1;

pub(crate) fn keys(
    settings: &SpaceSettings,
    args: &KeysArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let user_space = Spaces::user_path(settings).ok_or(EngineError::NoUserSpace)?;
    let keys = Keys { folder: KeyFolder::at(&user_space), output };
    match &args.command {
        KeysCommand::Generate(args) => keys.generate(args)?,
        KeysCommand::List => return keys.list(),
        KeysCommand::Show { id } => keys.show(id.as_ref())?,
        KeysCommand::Trust { file, owner } => keys.trust(file, owner.as_deref())?,
        KeysCommand::Revoke { id, reason, yes } => keys.revoke(id, reason.as_deref(), *yes)?,
        KeysCommand::Import { source, key } => keys.import(source, key)?,
        KeysCommand::Export { private: true, .. } => keys.export_private()?,
        KeysCommand::Export { id, toml, .. } => keys.export(id.as_ref(), *toml)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Makes a key to sign with, if there is none.
pub(crate) fn generate_first(
    user_space: &Path,
    args: &SigningKeyArgs,
) -> Result<Option<InstalledKey>, CommandError> {
    let folder = KeyFolder::at(user_space);
    if folder.own_key()?.is_some() {
        return Ok(None);
    }
    let passphrase = args.passphrase.then(passphrase::chosen).transpose()?;
    let owner = owner(args);
    Ok(Some(folder.generate(&new_key(args, &owner, passphrase.as_ref()))?))
}

/// The keys of the operator, and how to tell about them.
struct Keys {
    folder: KeyFolder,
    output: Output,
}

impl Keys {
    fn generate(&self, args: &SigningKeyArgs) -> Result<(), CommandError> {
        // Nobody should have to think of a passphrase for a key that is refused afterwards.
        if let (Some(own), false) = (self.folder.own_key()?, args.rotate) {
            return Err(KeyFolderError::SigningKeyExists { key: own.key.id() }.into());
        }
        let passphrase = args.passphrase.then(passphrase::chosen).transpose()?;
        let owner = owner(args);
        let installed = self.folder.generate(&new_key(args, &owner, passphrase.as_ref()))?;
        self.tell_installed(installed)
    }

    fn import(&self, source: &ImportSource, args: &SigningKeyArgs) -> Result<(), CommandError> {
        let input = KeyInput::of_source(source)?;
        let (key, passphrase) = unlock(&input, args)?;
        let owner = owner(args);
        let installed = self.folder.import(&key, &new_key(args, &owner, passphrase.as_ref()))?;
        self.tell_installed(installed)
    }

    fn tell_installed(&self, installed: InstalledKey) -> Result<(), CommandError> {
        let mut description = self.describe(installed.key.id())?;
        description.file = Some(installed.path);
        description.kept = installed.kept;
        description.print(self.output)
    }

    fn list(&self) -> Result<ExitCode, CommandError> {
        let keyring = self.folder.keyring()?;
        let own = self.folder.own_key()?;
        let all: Vec<_> = known_keys(&keyring, own.as_ref())
            .into_iter()
            .map(|key| KeyDescription::new(key, &keyring, own.as_ref()))
            .collect();
        if self.output.is_json() {
            let keys: Vec<_> = all.iter().map(KeyDescription::to_json).collect();
            print_json(&json!({ "folder": self.folder.path().to_string_lossy(), "keys": keys }))?;
        } else {
            print_bytes(description::table(&all, self.output).as_bytes())?;
        }
        if !all.is_empty() {
            return Ok(ExitCode::SUCCESS);
        }
        if !self.output.is_json() {
            let text = format!("there are no keys in `{}`", self.folder.path().display());
            self.output.note(Tone::Warning, "note", text);
            self.output.note(Tone::Good, "hint", "run `rye keys generate`");
        }
        Ok(ExitCode::from(NOTHING_FOUND))
    }

    fn show(&self, id: Option<&KeyIdPrefix>) -> Result<(), CommandError> {
        self.describe(self.find(id)?)?.print(self.output)
    }

    fn trust(&self, file: &Path, owner: Option<&str>) -> Result<(), CommandError> {
        let input = KeyInput::of_file(file)?;
        let found = PublicKeyFile::parse(&input.bytes)
            .map_err(|error| CommandError::not_trustworthy(&input.name, &error))?;
        let owner = owner.or(found.owner.as_deref()).ok_or_else(|| CommandError::no_owner(&input.name))?;
        self.folder.trust(found.key, owner, SystemClock.now())?;
        self.describe(found.key.id())?.print(self.output)
    }

    fn revoke(&self, id: &KeyIdPrefix, reason: Option<&str>, yes: bool) -> Result<(), CommandError> {
        let key = match id.as_whole() {
            Some(key) => key,
            None => self.find(Some(id))?,
        };
        // A signing key that cannot be read must not keep any other from being revoked.
        let is_own = self.folder.own_key().ok().flatten().is_some_and(|own| own.key.id() == key);
        if is_own && !yes {
            return Err(CommandError::own_key(key));
        }
        self.folder.revoke(key, reason, SystemClock.now())?;
        self.describe(key)?.print(self.output)?;
        if is_own && !self.output.is_json() {
            self.output.note(Tone::Good, "hint", "run `rye keys generate --rotate`, and sign again");
        }
        Ok(())
    }

    fn export(&self, id: Option<&KeyIdPrefix>, toml: bool) -> Result<(), CommandError> {
        let description = self.describe(self.find(id)?)?;
        let key = description.public_key.ok_or_else(|| CommandError::no_public_key(description.id))?;
        let owner = description.owner.or_else(environment::user_name);
        if self.output.is_json() {
            let pem = key.to_pem().map_err(KeyFolderError::from)?;
            return print_json(&json!({ "id": key.id(), "owner": owner, "public_key": pem }));
        }
        let text = if toml {
            PublicKeyFile { key, owner }.to_toml().map_err(KeyFolderError::from)?
        } else {
            key.to_pem().map_err(KeyFolderError::from)?
        };
        print_bytes(text.as_bytes())
    }

    fn export_private(&self) -> Result<(), CommandError> {
        let pem = self.folder.private_pem()?;
        if self.output.is_json() {
            return print_json(&json!({ "private_key": String::from_utf8_lossy(&pem) }));
        }
        print_bytes(&pem)
    }

    fn describe(&self, key: KeyId) -> Result<KeyDescription, CommandError> {
        let keyring = self.folder.keyring()?;
        // A signing key that cannot be read is no reason to be silent about another one.
        let own = self.folder.own_key().ok().flatten();
        let mut description = KeyDescription::new(key, &keyring, own.as_ref());
        if description.trusted_at.is_some() {
            description.file.get_or_insert_with(|| self.folder.trusted_path(key));
        }
        Ok(description)
    }

    /// The key that was named, or else the signing key.
    fn find(&self, id: Option<&KeyIdPrefix>) -> Result<KeyId, CommandError> {
        let own = self.folder.own_key();
        let Some(prefix) = id else {
            let folder: PathBuf = self.folder.path().to_owned();
            let own = own?.ok_or(KeyFolderError::NoSigningKey { folder })?;
            return Ok(own.key.id());
        };
        match own {
            Ok(Some(own)) if own.key.id().to_string() == prefix.to_string() => Ok(own.key.id()),
            _ => Ok(self.folder.keyring()?.find(prefix)?),
        }
    }
}

/// All keys that something is known of, the signing key first.
fn known_keys(keyring: &Keyring, own: Option<&OwnKey>) -> Vec<KeyId> {
    let own = own.map(|own| own.key.id());
    let mut others: Vec<KeyId> =
        keyring.trusted().map(|(id, _)| id).chain(keyring.revoked().map(|(id, _)| id)).collect();
    others.sort_unstable();
    others.dedup();
    own.into_iter().chain(others.into_iter().filter(|id| Some(*id) != own)).collect()
}

/// A private key that is to be taken in, and what it is to be protected with: what it came with, or what is asked for.
fn unlock(input: &KeyInput, args: &SigningKeyArgs) -> Result<(SigningKey, Option<Passphrase>), CommandError> {
    let failed = |error| CommandError::not_importable(&input.name, &error);
    match SigningKey::from_pem(input.bytes.as_slice(), None) {
        Err(error) if matches!(error.kind(), ParseKeyErrorKind::PassphraseMissing) => {
            let passphrase = passphrase::known(&input.name)?;
            let key = SigningKey::from_pem(input.bytes.as_slice(), Some(&passphrase)).map_err(failed)?;
            Ok((key, Some(passphrase)))
        }
        key => Ok((key.map_err(failed)?, args.passphrase.then(passphrase::chosen).transpose()?)),
    }
}

fn owner(args: &SigningKeyArgs) -> String {
    args.owner.clone().or_else(environment::user_name).unwrap_or_else(|| NAMELESS.to_owned())
}

fn new_key<'a>(
    args: &SigningKeyArgs,
    owner: &'a str,
    passphrase: Option<&'a Passphrase>,
) -> NewSigningKey<'a> {
    let existing = if args.rotate { ExistingKey::Rotate } else { ExistingKey::Refuse };
    NewSigningKey { owner, passphrase, existing, now: SystemClock.now() }
}
