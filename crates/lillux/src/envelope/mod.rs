//! Envelopes: bytes, or the variables of an environment, sealed so that only chosen identities can open them.
//!
//! An envelope is an age file with X25519 recipients, in its binary or its text form. It hides and protects
//! what is in it, and says nothing about who sealed it: for that, sign the envelope.
//!
//! ```
//! use lillux::envelope::{EnvelopeForm, EnvelopeIdentity, open, seal};
//! use secrecy::ExposeSecret;
//!
//! let identity = EnvelopeIdentity::generate();
//! let envelope = seal(b"secret", &[identity.to_recipient()], EnvelopeForm::Text)?;
//! assert_eq!(open(&envelope, &identity)?.expose_secret(), b"secret");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod environment;
mod identity;
mod identity_file;
mod open;
mod recipient;
mod seal;

pub use environment::{EnvironmentError, SecretEnvironment};
pub use identity::{EnvelopeIdentity, ParseIdentityError};
pub use identity_file::{IdentityFileError, IdentityFileErrorKind};
pub use open::{OpenError, OpenErrorKind, open, open_environment};
pub use recipient::{ParseRecipientError, Recipient};
pub use seal::{EnvelopeForm, SealError, seal, seal_environment};

/// How long the list of recipients in an envelope may be. Reading it takes time that grows with its square, and
/// an envelope comes from anybody.
const HEADER_LIMIT: usize = 64 * 1024;

/// How many recipients certainly fit into [`HEADER_LIMIT`].
const RECIPIENT_LIMIT: usize = 500;
