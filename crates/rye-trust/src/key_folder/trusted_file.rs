//! The file of a trusted key.

use std::ffi::OsStr;
use std::path::Path;

use lillux::clock::Timestamp;
use lillux::keys::KeyId;
use lillux::stored_file::StoredFolder;
use serde::{Deserialize, Serialize};

use super::error::{KeyFileProblem, KeyFolderError};
use crate::public_key_file::{decode_key, encode_key, from_toml};
use crate::{KeyOrigin, TrustedKey};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustedFile {
    owner: String,
    public_key: String,
    trusted_at: Timestamp,
}

/// The name of a key's file.
pub(super) fn name(key: KeyId) -> String {
    format!("{key}.toml")
}

pub(super) fn encode(key: &TrustedKey) -> Result<String, toml::ser::Error> {
    toml::to_string(&TrustedFile {
        owner: key.owner.clone(),
        public_key: encode_key(&key.key),
        trusted_at: key.trusted_at,
    })
}

/// Reads one key of the folder of trusted ones.
pub(super) fn read(folder: &StoredFolder, path: &Path, name: &OsStr) -> Result<TrustedKey, KeyFolderError> {
    let path = path.join(name);
    let is_name = |name: &str| name.strip_suffix(".toml").is_some_and(|id| id.parse::<KeyId>().is_ok());
    if !name.to_str().is_some_and(is_name) {
        return Err(KeyFolderError::file(&path)(KeyFileProblem::Name));
    }
    let bytes = folder.read(name).map_err(KeyFolderError::stored(&path))?;
    let key = parse(&bytes).map_err(KeyFolderError::file(&path))?;
    let expected = self::name(key.key.id());
    if name != expected.as_str() {
        let expected = path.with_file_name(expected);
        return Err(KeyFolderError::file(&path)(KeyFileProblem::OtherName { expected }));
    }
    Ok(key)
}

fn parse(bytes: &[u8]) -> Result<TrustedKey, KeyFileProblem> {
    let text = str::from_utf8(bytes).map_err(|_| KeyFileProblem::NotText)?;
    let file: TrustedFile = from_toml(text).map_err(KeyFileProblem::Syntax)?;
    let key = decode_key(&file.public_key).map_err(KeyFileProblem::PublicKey)?;
    Ok(TrustedKey { key, owner: file.owner, trusted_at: file.trusted_at, origin: KeyOrigin::User })
}
