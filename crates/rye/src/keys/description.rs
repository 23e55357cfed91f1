//! A key, for people and for programs.

use std::path::{Path, PathBuf};

use lillux::clock::Timestamp;
use lillux::keys::{KeyId, PublicKey};
use rye_trust::{KeyStatus, Keyring, OwnKey, Revocation};
use serde_json::{Value, json};

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

/// Everything that is known of a key.
pub(super) struct KeyDescription {
    pub(super) id: KeyId,
    pub(super) owner: Option<String>,
    pub(super) public_key: Option<PublicKey>,
    pub(super) trusted_at: Option<Timestamp>,
    pub(super) file: Option<PathBuf>,
    /// Where the signing key before this one is kept.
    pub(super) kept: Option<PathBuf>,
    revoked: Option<Revocation>,
    signing: Option<Protection>,
}

/// Whether the signing key has a passphrase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Protection {
    Passphrase,
    None,
}

impl KeyDescription {
    pub(super) fn new(id: KeyId, keyring: &Keyring, own: Option<&OwnKey>) -> Self {
        let trusted = keyring.trusted().find(|(key, _)| *key == id).map(|(_, key)| key);
        let own = own.filter(|own| own.key.id() == id);
        let revoked = match keyring.status(id) {
            KeyStatus::Revoked(revocation) => Some(revocation.clone()),
            _ => None,
        };
        let protection =
            |own: &OwnKey| if own.is_protected { Protection::Passphrase } else { Protection::None };
        Self {
            id,
            owner: trusted.map(|key| key.owner.clone()),
            public_key: trusted.map(|key| key.key).or(own.map(|own| own.key)),
            trusted_at: trusted.map(|key| key.trusted_at),
            file: own.map(|own| own.path.clone()),
            kept: None,
            revoked,
            signing: own.map(protection),
        }
    }

    pub(super) fn print(&self, output: Output) -> Result<(), CommandError> {
        if output.is_json() {
            print_json(&self.to_json())
        } else {
            print_bytes(self.to_text(output).as_bytes())
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let status = match (&self.revoked, self.trusted_at) {
            (Some(_), _) => "revoked",
            (None, Some(_)) => "trusted",
            (None, None) => "unknown",
        };
        let mut value = json!({
            "id": self.id,
            "owner": self.owner,
            "status": status,
            "signing": self.signing.is_some(),
            "trusted_at": self.trusted_at,
            "public_key": self.public_key.and_then(|key| key.to_pem().ok()),
            "file": self.file.as_ref().map(path),
        });
        if let Some(revocation) = &self.revoked {
            value["revoked_at"] = json!(revocation.revoked_at);
            value["reason"] = json!(revocation.reason);
        }
        if let Some(protection) = self.signing {
            value["passphrase"] = json!(protection == Protection::Passphrase);
        }
        if let Some(kept) = &self.kept {
            value["kept"] = json!(path(kept));
        }
        value
    }

    fn to_text(&self, output: Output) -> String {
        let mut table = Table::default();
        let mut line =
            |name: &str, text: String| table.row([(Tone::Faint, name.to_owned()), (Tone::Plain, text)]);
        let path = |path: &Path| path.display().to_string();
        line("key", self.id.to_string());
        if let Some(owner) = &self.owner {
            line("owner", owner.clone());
        }
        line("status", self.status());
        if let Some(use_) = self.use_of_it() {
            line("use", use_.to_owned());
        }
        if let Some(file) = &self.file {
            line("file", path(file));
        }
        if let Some(kept) = &self.kept {
            line("kept", path(kept));
        }
        let mut text = table.render(output);
        if let Some(Ok(pem)) = self.public_key.map(|key| key.to_pem()) {
            text.push('\n');
            text.push_str(&pem);
        }
        text
    }

    fn status(&self) -> String {
        match (&self.revoked, self.trusted_at) {
            (Some(Revocation { revoked_at, reason: Some(reason) }), _) => {
                format!("revoked on {revoked_at}: {reason}")
            }
            (Some(Revocation { revoked_at, reason: None }), _) => format!("revoked on {revoked_at}"),
            (None, Some(time)) => format!("trusted since {time}"),
            (None, None) => "not trusted".to_owned(),
        }
    }

    fn tone(&self) -> Tone {
        match (&self.revoked, self.trusted_at) {
            (Some(_), _) => Tone::Bad,
            (None, Some(_)) => Tone::Good,
            (None, None) => Tone::Warning,
        }
    }

    fn use_of_it(&self) -> Option<&'static str> {
        self.signing.map(|protection| match protection {
            Protection::Passphrase => "signing, with a passphrase",
            Protection::None => "signing",
        })
    }
}

/// Keys, one in a line.
pub(super) fn table(keys: &[KeyDescription], output: Output) -> String {
    let mut table = Table::default();
    for key in keys {
        table.row([
            (Tone::Strong, key.id.to_string()),
            (Tone::Plain, key.owner.clone().unwrap_or_default()),
            (key.tone(), key.status()),
            (Tone::Faint, key.use_of_it().unwrap_or_default().to_owned()),
        ]);
    }
    table.render(output)
}
