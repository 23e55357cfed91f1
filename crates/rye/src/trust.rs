//! Who answers for an item, in words.

use rye_trust::{Signer, Waiver};

/// Who answers for an item, in a few words.
pub(crate) fn signer(signer: &Signer) -> String {
    match signer {
        Signer::Program => "part of the program".to_owned(),
        Signer::Key { key, owner, signed_at } => format!("{owner} (key {key}) on {signed_at}"),
        Signer::Waived { reason: Waiver::Unsigned } => "nobody (development mode)".to_owned(),
        Signer::Waived { reason: Waiver::Outdated } => {
            "nobody: it was changed after it was signed (development mode)".to_owned()
        }
    }
}
