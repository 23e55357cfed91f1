//! Ed25519 keys and signatures, and the PEM files that keys are kept in.
//!
//! Private keys are PKCS#8 version 1, public keys are SPKI: the forms that every other program reads. Only strict
//! verification is offered, a key of small order or in a second spelling is not a key, and a private
//! key file that others could read or replace is not loaded.
//!
//! ```
//! use lillux::keys::SigningKey;
//!
//! let key = SigningKey::generate()?;
//! let signature = key.sign(b"message");
//! key.public_key().verify(b"message", &signature)?;
//! assert!(key.public_key().verify(b"massage", &signature).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod key_file;
mod key_id;
mod passphrase;
mod pem_block;
mod private_pem;
mod public_key;
mod public_pem;
mod signature;
mod signing_key;

pub use error::{EncodeKeyError, GenerateKeyError, KeyRole, ParseKeyError, ParseKeyErrorKind, VerifyError};
pub use key_file::{KeyFileError, KeyFileErrorKind};
pub use key_id::{KeyId, ParseKeyIdError};
pub use passphrase::Passphrase;
pub use public_key::PublicKey;
pub use signature::{ParseSignatureError, Signature};
pub use signing_key::SigningKey;
