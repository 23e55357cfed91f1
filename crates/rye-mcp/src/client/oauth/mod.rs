//! Logging in at servers that are reached by HTTP, as the authorization part of the protocol asks for it: OAuth 2.1 with
//! PKCE, where the server says who logs people in.
//!
//! A session never logs in by itself, unless it is given a [`UserAgent`]: it uses the [`Login`] that a [`LoginStore`] keeps,
//! renews it with the refresh token, and says what is missing otherwise. [`log_in`] is what a person starts. A token is
//! sent to the server that it was made for, and to nobody else; no redirect is followed, and nothing but a server on this
//! machine is spoken to in the clear.

mod authorization;
mod authorized_client;
mod authorizer;
mod challenge;
mod discovery;
mod error;
mod login;
mod loopback;
mod registration;
mod scopes;
mod secret_text;
mod token_request;
mod web;

pub use authorizer::{OAuth, log_in};
pub use error::OAuthError;
pub use login::{Login, LoginLock, LoginStore, StoreError};
pub use loopback::LoopbackAgent;
pub use registration::GivenClient;
pub use secret_text::SecretText;

pub(super) use authorized_client::AuthorizedClient;
pub(super) use authorizer::Authorizer;

/// Whoever takes an address to the person who logs in, and comes back with the address that the person was sent to.
pub trait UserAgent: std::fmt::Debug + Send + Sync {
    /// Where the person is sent back to.
    fn redirect_uri(&self) -> String;

    /// Shows an address, and returns the one that the person was sent back to, with what is in its query.
    ///
    /// # Errors
    /// If nobody comes back.
    fn visit(&self, address: &str) -> Result<String, OAuthError>;
}
