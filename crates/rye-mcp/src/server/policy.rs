//! What the operator has decided about calls that need consent: `mcp-policy.yaml` in the user space.
//!
//! ```yaml
//! sign: ask          # ask, allow or refuse
//! destructive: ask
//! ```
//!
//! `ask` is what counts if nothing is said: the person at the client is asked if the client can do that, and the call is
//! refused if it cannot.

use std::io;
use std::path::Path;

use serde::Deserialize;

use super::failure::Failure;

/// The name of the file.
pub(super) const FILE: &str = "mcp-policy.yaml";

/// What the operator has decided.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    /// About signing.
    #[serde(default)]
    pub(super) sign: Rule,
    /// About items that say that they may destroy something, and about copies that replace a file.
    #[serde(default)]
    pub(super) destructive: Rule,
}

/// A decision.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Rule {
    /// Ask whoever is at the client; refuse if nobody can be asked.
    #[default]
    Ask,
    /// Do it.
    Allow,
    /// Do not.
    Refuse,
}

impl Policy {
    /// Reads the policy of a user space. It is read for each call that needs it, so that a change counts at once.
    pub(super) fn read(user_space: &Path) -> Result<Self, Failure> {
        let path = user_space.join(FILE);
        let unusable = |reason: String| {
            let message = format!("the policy in `{}` cannot be used: {reason}", path.display());
            Failure::no_consent(message, "the operator has to correct that file, or to remove it")
        };
        match std::fs::read_to_string(&path) {
            Ok(text) if text.trim().is_empty() => Ok(Self::default()),
            Ok(text) => serde_saphyr::from_str(&text).map_err(|error| unusable(error.to_string())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(unusable(error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Policy::read(folder.path()).unwrap(), Policy::default());
        std::fs::write(folder.path().join(FILE), "sign: allow\n").unwrap();
        let expect = Policy { sign: Rule::Allow, destructive: Rule::Ask };
        assert_eq!(Policy::read(folder.path()).unwrap(), expect);
    }

    #[test]
    fn what_cannot_be_understood_allows_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["sign: yes please\n", "signs: allow\n", "- allow\n"] {
            std::fs::write(folder.path().join(FILE), text).unwrap();
            assert_eq!(Policy::read(folder.path()).unwrap_err().code, "PERMISSION_DENIED", "{text}");
        }
    }
}
