//! What is kept of a login.

use std::any::Any;
use std::error::Error;
use std::fmt::Debug;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::registration::RegisteredClient;
use super::secret_text::SecretText;

/// A login: the tokens, for whom they are, and who gave them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Login {
    /// Who logs people in. The client and the refresh token are shown to nobody else.
    pub(super) issuer: String,
    /// What the tokens are for.
    pub(super) resource: String,
    pub(super) token_endpoint: String,
    pub(super) client: RegisteredClient,
    pub(super) access_token: SecretText,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh_token: Option<SecretText>,
    /// When the access token is to be renewed, in seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) renew_at: Option<u64>,
    /// What was asked for.
    #[serde(default)]
    pub(super) scopes: Vec<String>,
}

/// Why a login cannot be kept or read.
pub type StoreError = Box<dyn Error + Send + Sync>;

/// Held by whoever changes a login. It ends when it is dropped.
pub struct LoginLock(#[expect(dead_code, reason = "it is held and not used")] Box<dyn Any + Send>);

/// Where the login at one server is kept.
pub trait LoginStore: Debug + Send + Sync {
    /// The login, if there is one.
    ///
    /// # Errors
    /// If it cannot be read.
    fn load(&self) -> Result<Option<Login>, StoreError>;

    /// Keeps a login in place of the one that is there.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn save(&self, login: &Login) -> Result<(), StoreError>;

    /// Makes sure that nobody else renews the login meanwhile; nothing if somebody else is just doing that.
    ///
    /// # Errors
    /// If nobody could.
    fn try_lock(&self) -> Result<Option<LoginLock>, StoreError>;
}

impl Login {
    /// The login as text, which is a secret.
    ///
    /// # Errors
    /// Never: all of it can be written.
    pub fn to_text(&self) -> Result<Zeroizing<String>, StoreError> {
        Ok(Zeroizing::new(serde_json::to_string(self)?))
    }

    /// Reads what [`Self::to_text`] wrote.
    ///
    /// # Errors
    /// If it is something else. What it is, is not said.
    pub fn from_text(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text).map_err(|_| "what is kept is no login".into())
    }

    /// Who logged the person in.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// What the tokens are for.
    #[must_use]
    pub fn resource(&self) -> &str {
        &self.resource
    }

    /// What was asked for.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether it can be renewed without a person.
    #[must_use]
    pub fn is_renewable(&self) -> bool {
        self.refresh_token.is_some()
    }

    /// The token that is sent to the server.
    #[must_use]
    pub fn access_token(&self) -> &SecretText {
        &self.access_token
    }

    pub(super) fn is_over(&self) -> bool {
        self.renew_at.is_some_and(|moment| now() >= moment)
    }
}

impl LoginLock {
    /// Holds something until it is dropped.
    pub fn new(held: impl Any + Send) -> Self {
        Self(Box::new(held))
    }
}

impl Debug for LoginLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoginLock")
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_secs())
}
