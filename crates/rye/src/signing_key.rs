//! The key that the operator signs with.

use lillux::keys::SigningKey;
use rye_engine::EngineError;
use rye_item::{SpaceSettings, Spaces};
use rye_trust::KeyFolder;

use crate::command_error::CommandError;
use crate::passphrase;

/// The signing key. Its passphrase is asked for if it has one.
pub(crate) fn open(settings: &SpaceSettings) -> Result<SigningKey, CommandError> {
    let folder = KeyFolder::at(&Spaces::user_path(settings).ok_or(EngineError::NoUserSpace)?);
    match folder.signing_key(None) {
        Err(error) if error.needs_passphrase() => {
            let passphrase = passphrase::known("the signing key")?;
            Ok(folder.signing_key(Some(&passphrase))?)
        }
        key => Ok(key?),
    }
}
