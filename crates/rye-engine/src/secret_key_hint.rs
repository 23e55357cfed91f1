//! What to do about a key of the secrets that cannot be used.

use rye_run::secrets::{KeyError, KeyringError};

pub(crate) fn of_error(error: &KeyError) -> Option<String> {
    let text = match error {
        KeyError::Missing { .. } => {
            "put it back from a copy; if there is none, remove all secrets with `rye secret remove` and set them again"
        }
        KeyError::None { .. } => "set a secret first",
        KeyError::Keyring { source, record, .. } => match **source {
            KeyringError::NoSession => {
                "run it in the desktop session, or run `rye secret key --move file` there to do without the keyring"
            }
            KeyringError::NoProgram(_) => INSTALL,
            KeyringError::NotFound => {
                return Some(format!(
                    "unlock the keyring; if the key is gone, remove all secrets and `{}`, and set them again",
                    record.display()
                ));
            }
            _ => CHECK,
        },
        KeyError::NotTaken { source } => match **source {
            KeyringError::NoSession => "run it in the desktop session",
            KeyringError::NoProgram(_) => INSTALL,
            _ => CHECK,
        },
        _ => return None,
    };
    Some(text.to_owned())
}

const INSTALL: &str = "install it: the package is called `libsecret-tools` or `libsecret`";
const CHECK: &str = "check that the keyring of the desktop runs and is unlocked";
