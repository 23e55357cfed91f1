//! What can go wrong with keys, in words.

use std::io;
use std::path::Path;

use lillux::keys::{KeyId, ParseKeyError, ParseKeyErrorKind};
use rye_engine::with_sources;
use rye_trust::{FindKeyError, KeyFileProblem, KeyFolderError, PublicKeyFileError, shell_word};

use super::CommandError;

impl CommandError {
    fn keys(code: &'static str, message: String, hint: &str) -> Self {
        Self { code, message, hint: Some(hint.to_owned()) }
    }

    pub(crate) fn input(name: &str, error: &io::Error) -> Self {
        Self::keys(
            "IO",
            format!("cannot read {name}: {error}"),
            "see whether it is there, and whether you may read it",
        )
    }

    pub(crate) fn key_too_large(name: &str, limit: u64) -> Self {
        let message = format!("{name} has more than {limit} bytes");
        Self::keys("KEY_INVALID", message, "a key has a few lines; is it the right file?")
    }

    pub(crate) fn no_key_variable() -> Self {
        let hint = "set it to the private key in PEM, all lines of it";
        Self::keys("KEY_NOT_FOUND", "RYE_SIGNING_KEY is not set".to_owned(), hint)
    }

    pub(crate) fn no_public_key(key: KeyId) -> Self {
        let message = format!("the key {key} was revoked and never trusted, so its public key is not known");
        Self::keys("KEY_NOT_FOUND", message, "ask its owner for what `rye keys export` prints")
    }

    pub(crate) fn not_importable(name: &str, error: &ParseKeyError) -> Self {
        let message = format!("cannot import {name}: {}", with_sources(error));
        match error.kind() {
            ParseKeyErrorKind::PassphraseWrong => Self::keys("PASSPHRASE_WRONG", message, AGAIN),
            ParseKeyErrorKind::Label { found, .. } if found == "PUBLIC KEY" => {
                Self::keys("KEY_INVALID", message, "to let a public key count, use `rye keys trust FILE`")
            }
            _ => {
                let hint = "give a private key as `openssl genpkey -algorithm ed25519` prints it, or run `rye keys generate`";
                Self::keys("KEY_INVALID", message, hint)
            }
        }
    }

    pub(crate) fn not_trustworthy(name: &str, error: &PublicKeyFileError) -> Self {
        let message = format!("cannot trust {name}: {}", with_sources(error));
        let hint = match error {
            PublicKeyFileError::PrivateKey => {
                "whoever has it can sign: ask its owner for what `rye keys export` prints"
            }
            _ => "ask its owner for what `rye keys export --toml` prints",
        };
        Self::keys("KEY_INVALID", message, hint)
    }

    pub(crate) fn no_owner(name: &str) -> Self {
        let message = format!("{name} does not say whose key it is");
        Self::keys("PARAMS_INVALID", message, "add `--owner NAME`")
    }

    pub(crate) fn own_key(key: KeyId) -> Self {
        let message = format!("{key} is the signing key: nothing that it has signed would count any more");
        Self::keys("CONFIRMATION_NEEDED", message, "add `--yes` if that is what you want")
    }

    pub(crate) fn untrusted_without_yes(project: &Path) -> Self {
        let message = "nothing was decided, because there is no terminal to ask at".to_owned();
        let hint = format!("if you trust it, run `rye trust {} --yes`", shell_word(project));
        Self { code: "CONFIRMATION_NEEDED", message, hint: Some(hint) }
    }

    pub(crate) fn no_passphrase() -> Self {
        let message = "a passphrase is needed, and there is no terminal to ask for it".to_owned();
        Self::keys("PASSPHRASE_MISSING", message, "set RYE_PASSPHRASE")
    }

    pub(crate) fn passphrase_invalid(reason: &str) -> Self {
        let message = format!("that cannot be the passphrase: {reason}");
        Self::keys("PASSPHRASE_INVALID", message, "run the command again, and give another one")
    }

    pub(crate) fn cancelled() -> Self {
        Self { code: "CANCELLED", message: "nothing was done".to_owned(), hint: None }
    }
}

impl From<KeyFolderError> for CommandError {
    fn from(error: KeyFolderError) -> Self {
        let (code, hint) = match &error {
            _ if error.needs_passphrase() => ("PASSPHRASE_MISSING", Some("set RYE_PASSPHRASE".to_owned())),
            _ if error.has_wrong_passphrase() => ("PASSPHRASE_WRONG", Some(AGAIN.to_owned())),
            KeyFolderError::File { problem, .. } => ("KEYS_UNUSABLE", file_hint(&error, problem)),
            KeyFolderError::NoSigningKey { .. } => {
                ("KEY_NOT_FOUND", Some("run `rye keys generate`, or `rye keys import FILE`".to_owned()))
            }
            KeyFolderError::SigningKeyExists { key } => {
                ("ALREADY_EXISTS", Some(format!("add `--rotate` to keep it aside as `signing-{key}.pem`")))
            }
            KeyFolderError::AlreadyTrusted { .. } => {
                let hint = |command| format!("to give it another owner, run `{command}` first");
                ("ALREADY_EXISTS", error.repair().map(hint))
            }
            KeyFolderError::Revoked { .. } => {
                ("KEY_REVOKED", Some("a revocation is for good: another key is needed".to_owned()))
            }
            KeyFolderError::Text { .. } => {
                ("PARAMS_INVALID", Some("say it in one line that is not empty".to_owned()))
            }
            _ => ("IO", Some("run `rye doctor` to see which folders can be used".to_owned())),
        };
        Self { code, message: with_sources(&error), hint }
    }
}

const AGAIN: &str = "run the command again; where there is no terminal, RYE_PASSPHRASE is taken";

fn file_hint(error: &KeyFolderError, problem: &KeyFileProblem) -> Option<String> {
    match (error.repair(), problem) {
        (Some(command), _) => Some(format!("run `{command}`; until then no key counts")),
        (None, KeyFileProblem::Stored(_)) => None,
        (None, _) => Some("put the file right, or restore it from a backup".to_owned()),
    }
}

impl From<FindKeyError> for CommandError {
    fn from(error: FindKeyError) -> Self {
        let (code, hint) = match &error {
            FindKeyError::Ambiguous { .. } => ("KEY_AMBIGUOUS", "type more of its digits"),
            _ => ("KEY_NOT_FOUND", "run `rye keys list`"),
        };
        Self::keys(code, error.to_string(), hint)
    }
}
