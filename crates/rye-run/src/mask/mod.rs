//! Secrets do not show: their bytes are replaced wherever text or output is shown or kept.
//!
//! A tool may print what it was given. Each secret of [`Mask::SHORTEST`] or more bytes is found
//!
//! - as it is,
//! - inside a JSON string, with or without `\u` escapes for what is not ASCII,
//! - in base64, with the standard and the URL alphabet, also in the middle of something longer, such as the
//!   `user:password` of an `Authorization` header; up to a character at either end mixes the secret's bits with its
//!   neighbour's, and stays,
//! - percent-encoded, as in a URL.
//!
//! Shorter secrets would hit ordinary words, and are not masked. Nor is a secret that was changed in any other way:
//! masking stops accidents, not a tool that wants to give a secret away.

mod error;
mod form;
mod marker;
mod masking;
mod span;
mod stream;

pub use error::MaskError;
pub use masking::Mask;
pub use stream::MaskStream;
