//! Public keys as they are handed from one person to another.

use base64ct::{Base64, Encoding};
use lillux::keys::{ParseKeyError, PublicKey};
use serde::{Deserialize, Serialize};

use crate::plain_text::{PlainTextError, check_plain_text};

/// A public key, and whose it is said to be.
///
/// It is written as PEM, or as TOML with the fields `owner` and `public_key`. The latter is base64 of the 32 bytes; PEM
/// is read there as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKeyFile {
    /// The key.
    pub key: PublicKey,
    /// Whose it is, in the words of whoever has written the file.
    pub owner: Option<String>,
}

/// A text that holds no public key which could be trusted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PublicKeyFileError {
    /// The text is a secret that should never have been handed on.
    #[error("it is a private key")]
    PrivateKey,
    /// The text is neither PEM nor TOML.
    #[error("there is no public key in it: expected PEM, or TOML with `public_key`")]
    NoKey,
    /// It is TOML, and not of the right form.
    #[error(transparent)]
    Syntax(SyntaxError),
    /// `public_key` is neither PEM nor 32 bytes in base64.
    #[error("`public_key` is neither PEM nor base64 of 32 bytes")]
    Encoding,
    /// The key cannot be used.
    #[error(transparent)]
    Key(ParseKeyError),
    /// The owner's name would disturb where it is shown.
    #[error("`owner` cannot be shown")]
    Owner(#[source] PlainTextError),
}

/// A place where a TOML text is wrong.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SyntaxError {
    line: usize,
    message: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    public_key: String,
    /// When somebody else began to trust it, which nobody here cares about.
    #[serde(skip_serializing)]
    #[expect(dead_code, reason = "whoever is trusted already may be handed on as they are kept")]
    trusted_at: Option<String>,
}

impl PublicKeyFile {
    /// Reads a public key in either form.
    ///
    /// # Errors
    /// If there is none, or one that cannot be used; above all if it is a private one.
    pub fn parse(bytes: &[u8]) -> Result<Self, PublicKeyFileError> {
        let text = str::from_utf8(bytes).map_err(|_| PublicKeyFileError::NoKey)?;
        if text.contains("PRIVATE KEY-----") {
            return Err(PublicKeyFileError::PrivateKey);
        }
        if text.lines().any(|line| line.trim_start().starts_with("public_key")) {
            return Self::parse_toml(text);
        }
        if !text.contains("-----BEGIN ") {
            return Err(PublicKeyFileError::NoKey);
        }
        let key = PublicKey::from_pem(text).map_err(PublicKeyFileError::Key)?;
        Ok(Self { key, owner: None })
    }

    fn parse_toml(text: &str) -> Result<Self, PublicKeyFileError> {
        let table: Table = from_toml(text).map_err(PublicKeyFileError::Syntax)?;
        if let Some(owner) = &table.owner {
            check_plain_text(owner).map_err(PublicKeyFileError::Owner)?;
        }
        Ok(Self { key: decode_key(&table.public_key)?, owner: table.owner })
    }

    /// Writes the TOML form.
    ///
    /// # Errors
    /// If the encoder fails, which it has no reason to.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let public_key = encode_key(&self.key);
        toml::to_string(&Table { owner: self.owner.clone(), public_key, trusted_at: None })
    }
}

/// The 32 bytes of a key in base64.
pub(crate) fn encode_key(key: &PublicKey) -> String {
    Base64::encode_string(key.as_bytes())
}

/// The key in a field or a line of text: PEM, or 32 bytes in base64.
pub(crate) fn decode_key(text: &str) -> Result<PublicKey, PublicKeyFileError> {
    if text.contains("-----BEGIN ") {
        return PublicKey::from_pem(text.trim()).map_err(PublicKeyFileError::Key);
    }
    let mut bytes = [0; 32];
    match Base64::decode(text, &mut bytes) {
        Ok(decoded) if decoded.len() == 32 => {}
        _ => return Err(PublicKeyFileError::Encoding),
    }
    PublicKey::from_bytes(&bytes).map_err(PublicKeyFileError::Key)
}

/// Reads TOML, and says in one line what is wrong with it.
pub(crate) fn from_toml<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, SyntaxError> {
    toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        let line = memchr::memchr_iter(b'\n', &text.as_bytes()[..start]).count() + 1;
        SyntaxError { line, message: error.message().to_owned() }
    })
}

#[cfg(test)]
mod tests {
    use lillux::keys::SigningKey;

    use super::*;

    fn key() -> PublicKey {
        SigningKey::from_seed(&[7; 32]).public_key()
    }

    fn check(text: &str, expect: Result<Option<&str>, &str>) {
        let found = PublicKeyFile::parse(text.as_bytes());
        match (found, expect) {
            (Ok(found), Ok(owner)) => {
                assert_eq!((found.key, found.owner.as_deref()), (key(), owner), "{text}");
            }
            (Err(error), Err(message)) => assert_eq!(error.to_string(), message, "{text}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn both_forms_are_read() {
        let pem = key().to_pem().unwrap();
        let base64 = encode_key(&key());
        check(&pem, Ok(None));
        check(&format!("from ada, with greetings\n{pem}\n"), Ok(None));
        check(&format!("public_key = \"{base64}\""), Ok(None));
        check(&format!("# ada's\nowner = \"ada\"\npublic_key = '''\n{pem}'''\n"), Ok(Some("ada")));
        check(
            &format!("owner = \"ada\"\npublic_key = \"{base64}\"\ntrusted_at = \"2026-01-01T00:00:00Z\"\n"),
            Ok(Some("ada")),
        );
    }

    #[test]
    fn what_is_written_is_read() {
        for owner in [None, Some("ada"), Some("\"quoted\" \\ 'name' = é"), Some("'''")] {
            let file = PublicKeyFile { key: key(), owner: owner.map(str::to_owned) };
            assert_eq!(PublicKeyFile::parse(file.to_toml().unwrap().as_bytes()).unwrap(), file);
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let base64 = encode_key(&key());
        let private = SigningKey::from_seed(&[7; 32]).to_pem(None).unwrap();
        check(&private, Err("it is a private key"));
        check(&format!("public_key = '''\n{}'''", *private), Err("it is a private key"));
        check("", Err("there is no public key in it: expected PEM, or TOML with `public_key`"));
        check(&base64, Err("there is no public key in it: expected PEM, or TOML with `public_key`"));
        check("public_key = \"AAAA\"", Err("`public_key` is neither PEM nor base64 of 32 bytes"));
        check(
            &format!("public_key = \" {base64}\""),
            Err("`public_key` is neither PEM nor base64 of 32 bytes"),
        );
        check(
            &format!("\npublic_key = \"{base64}\"\nkey = 1"),
            Err("line 3: unknown field `key`, expected one of `owner`, `public_key`, `trusted_at`"),
        );
        check(&format!("owner = \"a\\u001bb\"\npublic_key = \"{base64}\""), Err("`owner` cannot be shown"));
        check(&format!("public_key = \"{}=\"", "A".repeat(43)), Err("not a usable Ed25519 public key"));
        check(
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
            Err("not a usable Ed25519 public key"),
        );
        assert!(matches!(PublicKeyFile::parse(&[0xFF]), Err(PublicKeyFileError::NoKey)));
    }
}
