//! What surrounds a run: its record, and the secrets that it gets.
//!
//! - [`journal`] writes down what ran, and how it ended.
//! - [`secrets`] keeps the secrets of a user sealed, and gives a tool those that it asks for by name.
//!
//! It refuses to find or verify items: what runs has been decided before. No secret leaves this crate other than in
//! [`SecretValues`](secrets::SecretValues), which do not show themselves.

pub mod journal;
pub mod secrets;
