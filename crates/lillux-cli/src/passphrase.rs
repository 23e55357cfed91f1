//! The passphrase of a private key, from a file.

use std::path::PathBuf;

use lillux::keys::Passphrase;

use crate::cli::PassphraseArgs;
use crate::code::Code;
use crate::failure::Failure;
use crate::input::InputSource;

/// Far more than anybody remembers.
const LIMIT: u64 = 4096;

/// A file that holds no passphrase.
#[derive(Debug, thiserror::Error)]
#[error("there is no passphrase in `{}`: {reason}", path.display())]
struct NoPassphrase {
    path: PathBuf,
    reason: &'static str,
}

impl PassphraseArgs {
    /// The passphrase, if there is a file for it: the one line in it.
    pub(crate) fn read(self) -> Result<Option<Passphrase>, Failure> {
        let Some(path) = self.passphrase_file else { return Ok(None) };
        let bytes = InputSource::File(path.clone()).read_within(LIMIT)?;
        match passphrase(bytes) {
            Ok(passphrase) => Ok(Some(passphrase)),
            Err(reason) => Err(Failure::new(Code::PassphraseInvalid, &NoPassphrase { path, reason })),
        }
    }
}

fn passphrase(bytes: Vec<u8>) -> Result<Passphrase, &'static str> {
    let mut text = String::from_utf8(bytes).map_err(|_| "it is not text")?;
    // Editors end a line whether one wants it or not.
    text.truncate(text.trim_end_matches(['\r', '\n']).len());
    if text.is_empty() {
        return Err("it is empty");
    }
    if text.contains('\n') {
        return Err("it has more than one line");
    }
    Ok(text.into())
}
