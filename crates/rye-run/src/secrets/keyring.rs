//! The keyring of the desktop, through the program that libsecret has for it.
//!
//! A library for D-Bus would be larger than all that is here together, and would run in a process that has better things
//! to keep apart. The program is contained like any other, and the key goes through its standard streams only.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::time::Duration;

use lillux::envelope::{EnvelopeIdentity, Recipient};
use lillux::process::{Ending, RunError, RunErrorKind, RunRequest, run};
use lillux::{Overflow, StreamLimit};
use rye_env::ProcessEnvironment;
use secrecy::ExposeSecret;
use zeroize::{Zeroize, Zeroizing};

/// What speaks to whoever offers the Secret Service of freedesktop.org: GNOME Keyring, `KWallet` and others.
const PROGRAM: &str = "secret-tool";
/// What tells where a session is.
const SESSION: &str = "DBUS_SESSION_BUS_ADDRESS";
/// What the program needs to find the session, and nothing else.
const VARIABLES: [&str; 5] = [SESSION, "XDG_RUNTIME_DIR", "DISPLAY", "PATH", "HOME"];
/// What a person sees in a list of all that the keyring has.
const LABEL: &str = "--label=Key of the secrets of RYE";

/// The keyring of the session that an environment belongs to.
///
/// Each key is kept under its public half. So a key is never put in the place of another, and what is found under a name
/// can be checked.
#[derive(Debug, Clone)]
pub(super) struct DesktopKeyring {
    environment: ProcessEnvironment,
    pub(super) patience: Duration,
}

/// Why a key cannot be kept in the keyring, or had from it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyringError {
    /// There is no session that could have a keyring.
    #[error("there is no desktop session here: {SESSION} is not set")]
    NoSession,
    /// What speaks to the keyring is not installed.
    #[error("`{PROGRAM}`, which speaks to it, is missing")]
    NoProgram(#[source] Box<RunError>),
    /// What speaks to the keyring does not start.
    #[error("`{PROGRAM}`, which speaks to it, does not work")]
    Run(#[source] Box<RunError>),
    /// The keyring has no such key, or does not show it.
    #[error("it has no such key, or is locked")]
    NotFound,
    /// What speaks to the keyring gave up.
    #[error("`{PROGRAM} {action}` failed: {}", said.as_deref().unwrap_or("it does not say why"))]
    Failed {
        /// What was to be done.
        action: KeyringAction,
        /// What the program wrote.
        said: Option<String>,
    },
    /// Nothing came back in time.
    #[error("`{PROGRAM} {action}` has not answered within {} seconds", limit.as_secs_f32())]
    NoAnswer {
        /// What was to be done.
        action: KeyringAction,
        /// How long it had.
        limit: Duration,
    },
    /// Something came back that is not the key.
    #[error("what `{PROGRAM}` gives is not this key")]
    NotTheKey,
}

/// What is done with the keyring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyringAction {
    /// Keep a key.
    Store,
    /// Give a key.
    Lookup,
    /// Forget a key.
    Clear,
}

impl DesktopKeyring {
    /// How long an answer may take. Somebody may be asked for the password of the keyring meanwhile.
    const PATIENCE: Duration = Duration::from_mins(1);

    pub(super) fn new(environment: &ProcessEnvironment) -> Self {
        Self { environment: environment.clone(), patience: Self::PATIENCE }
    }

    /// Keeps a key, and makes sure that it can be had again.
    pub(super) fn keep(&self, identity: &EnvelopeIdentity) -> Result<(), KeyringError> {
        let recipient = identity.to_recipient();
        let secret = identity.to_secret_text();
        self.call(KeyringAction::Store, &recipient, secret.expose_secret().as_bytes())?;
        self.get(&recipient).map(|_| ())
    }

    /// The key that belongs to a public half.
    pub(super) fn get(&self, recipient: &Recipient) -> Result<EnvelopeIdentity, KeyringError> {
        let answer = self.call(KeyringAction::Lookup, recipient, &[])?;
        let text = str::from_utf8(&answer).map_err(|_| KeyringError::NotTheKey)?;
        let identity: EnvelopeIdentity = text.trim().parse().map_err(|_| KeyringError::NotTheKey)?;
        if identity.to_recipient() == *recipient { Ok(identity) } else { Err(KeyringError::NotTheKey) }
    }

    /// Forgets a key. One that is not there is forgotten already.
    pub(super) fn forget(&self, recipient: &Recipient) -> Result<(), KeyringError> {
        match self.call(KeyringAction::Clear, recipient, &[]) {
            Ok(_) | Err(KeyringError::NotFound) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn call(
        &self,
        action: KeyringAction,
        recipient: &Recipient,
        input: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, KeyringError> {
        // Without an address the library would look for a session elsewhere, or start one.
        if self.environment.get(SESSION).is_none_or(OsStr::is_empty) {
            return Err(KeyringError::NoSession);
        }
        let mut request = self.request(action, recipient).stdin(input);
        let outcome = run(&request);
        request.stdin.zeroize();
        let outcome = outcome.map_err(|error| match error.kind() {
            RunErrorKind::ProgramNotFound { .. } | RunErrorKind::NoSearchPath => {
                KeyringError::NoProgram(error.into())
            }
            _ => KeyringError::Run(error.into()),
        })?;
        let answer = Zeroizing::new(outcome.stdout.bytes);
        let said = shown(&outcome.stderr.bytes);
        match outcome.ending {
            Ending::Exited { code: 0 } => Ok(answer),
            Ending::TimedOut { limit, .. } => Err(KeyringError::NoAnswer { action, limit }),
            // It says nothing about what is not there; all else it explains.
            Ending::Exited { code: 1 } if said.is_none() && action != KeyringAction::Store => {
                Err(KeyringError::NotFound)
            }
            Ending::OutputLimit { .. } => {
                Err(KeyringError::Failed { action, said: Some("it writes too much".to_owned()) })
            }
            _ => Err(KeyringError::Failed { action, said }),
        }
    }

    fn request(&self, action: KeyringAction, recipient: &Recipient) -> RunRequest {
        const LONGEST: usize = 4096;
        let variable = |name| Some((OsString::from(name), self.environment.get(name)?.to_owned()));
        let label = (action == KeyringAction::Store).then_some(LABEL);
        RunRequest::new(PROGRAM)
            .args([action.name()])
            .args(label)
            .args(["application", "rye", "recipient"])
            .args([recipient.to_string()])
            .envs(VARIABLES.into_iter().filter_map(variable))
            .env("LC_ALL", "C.UTF-8")
            .cwd("/")
            .timeout(self.patience)
            .grace(Duration::from_millis(200))
            .output_limit(StreamLimit { memory: LONGEST, overflow: Overflow::Stop })
    }
}

impl KeyringAction {
    fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Lookup => "lookup",
            Self::Clear => "clear",
        }
    }
}

impl fmt::Display for KeyringAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a program wrote about its trouble, as far as it can be shown: a line at most, and never a key.
fn shown(errors: &[u8]) -> Option<String> {
    const LONGEST: usize = 200;
    let text = String::from_utf8_lossy(errors);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.strip_prefix(PROGRAM).and_then(|line| line.strip_prefix(": ")).unwrap_or(line);
    if text.to_ascii_uppercase().contains("AGE-SECRET-KEY") {
        return Some("what it says has a key in it".to_owned());
    }
    Some(line.chars().filter(|char| !char.is_control()).take(LONGEST).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_what_a_program_says_is_shown_and_no_key() {
        let check = |said: &str, expect: Option<&str>| assert_eq!(shown(said.as_bytes()).as_deref(), expect);
        check("", None);
        check(" \n\n", None);
        check("\nsecret-tool: no such thing\nmore", Some("no such thing"));
        check("\u{1b}[31mred", Some("[31mred"));
        check(&"a".repeat(300), Some(&"a".repeat(200)));
        check("no\nage-secret-key-1abc", Some("what it says has a key in it"));
    }
}
