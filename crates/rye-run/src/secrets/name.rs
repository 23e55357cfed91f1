//! What a secret is called.

use std::fmt;
use std::str::FromStr;

use lillux::Digest;

/// The name of a secret, which is also the variable that a tool finds it in: `[A-Z_][A-Z0-9_]*`.
///
/// Variables that decide which code runs, or that this program sets itself, cannot be secrets.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

/// A text that cannot be the name of a secret.
///
/// Unless it has the form of a name it is not repeated, since it may be a secret that was put in the wrong place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidSecretName {
    /// There is nothing.
    #[error("a secret needs a name")]
    Empty,
    /// It is longer than any name.
    #[error("the name of a secret has at most {} characters", SecretName::MAX_LENGTH)]
    TooLong,
    /// It does not have the form of a name.
    #[error(
        "the name of a secret has capital letters, digits and `_`, and does not begin with a digit; character {position} is something else"
    )]
    Form {
        /// Which character is wrong, counted from 1.
        position: usize,
    },
    /// The variable has a meaning of its own.
    #[error("`{name}` has a meaning of its own for programs, so it cannot be the name of a secret")]
    Reserved {
        /// The name.
        name: String,
    },
}

/// Variables that say where programs, libraries and configuration are found.
const RESERVED: &[&str] = &[
    "ENV",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "HOME",
    "IFS",
    "LOCPATH",
    "PATH",
    "SHELL",
    "TMPDIR",
    "USER_SPACE",
];

/// What the loader of programs and this program's own variables begin with.
const RESERVED_PREFIXES: &[&str] = &["DYLD_", "KIWI_", "LD_", "LILLUX_", "RYE_"];

impl SecretName {
    /// The most characters that a name can have.
    pub const MAX_LENGTH: usize = 128;

    /// Reads a name.
    ///
    /// # Errors
    /// If the text does not have the form of a name, or is reserved.
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSecretName> {
        let name = text.into();
        check(&name)?;
        Ok(Self(name))
    }

    /// What a login of the operator at a server is kept under. No item can ask for it, and no list has it: it begins with
    /// what is reserved for this program.
    #[must_use]
    pub fn of_login(at: Digest) -> Self {
        Self(format!("RYE_LOGIN_{}", at.to_string().to_ascii_uppercase()))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn check(name: &str) -> Result<(), InvalidSecretName> {
    if name.is_empty() {
        return Err(InvalidSecretName::Empty);
    }
    if name.len() > SecretName::MAX_LENGTH {
        return Err(InvalidSecretName::TooLong);
    }
    let fits = |(at, c): (usize, char)| c.is_ascii_uppercase() || c == '_' || (at > 0 && c.is_ascii_digit());
    if let Some(at) = name.chars().enumerate().position(|character| !fits(character)) {
        return Err(InvalidSecretName::Form { position: at + 1 });
    }
    if RESERVED.contains(&name) || RESERVED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)) {
        return Err(InvalidSecretName::Reserved { name: name.to_owned() });
    }
    Ok(())
}

impl FromStr for SecretName {
    type Err = InvalidSecretName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &Result<(), InvalidSecretName>) {
        assert_eq!(SecretName::new(text).map(drop), *expect, "{text:?}");
    }

    #[test]
    fn names_are_those_of_variables() {
        for good in ["A", "_", "API_KEY", "_1", "GITHUB_TOKEN", "PATHS", "OLD_PATH", "LDAP_PASSWORD"] {
            check(good, &Ok(()));
        }
        check("", &Err(InvalidSecretName::Empty));
        check(&"A".repeat(129), &Err(InvalidSecretName::TooLong));
        for (text, position) in
            [("1A", 1), ("a", 1), ("API-KEY", 4), ("A B", 2), ("../X", 1), ("A/B", 2), ("A\0", 2), ("AÄ", 2)]
        {
            check(text, &Err(InvalidSecretName::Form { position }));
        }
        for reserved in ["PATH", "HOME", "IFS", "LD_PRELOAD", "LD_", "RYE_HOME", "KIWI_X", "DYLD_X"] {
            check(reserved, &Err(InvalidSecretName::Reserved { name: reserved.to_owned() }));
        }
    }

    #[test]
    fn nobody_can_ask_for_a_login() {
        let name = SecretName::of_login(Digest::of(b"a server"));
        assert_eq!(name.as_str().len(), "RYE_LOGIN_".len() + 64);
        assert!(matches!(SecretName::new(name.as_str()), Err(InvalidSecretName::Reserved { .. })));
    }

    #[test]
    fn a_secret_in_place_of_its_name_is_not_repeated() {
        let error = SecretName::new("ghp_hunter2hunter2").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"));
    }
}
