//! Running a plan, and what surrounds a run: its record, the secrets that it gets, and their masking.
//!
//! - [`runner`] carries out a plan: the one part that acts.
//! - [`workers`] keeps processes ready, so that a run need not start one.
//! - [`sessions`] are connections that are kept, so that a run need not make one.
//! - [`journal`] writes down what ran, and how it ended.
//! - [`open_foreign`] opens a database that may come with a project.
//! - [`secrets`] keeps the secrets of a user sealed, and gives a tool those that it asks for by name.
//! - [`mask`] takes them out of whatever is shown or kept.
//!
//! It refuses to find or verify items: what runs has been decided before. No secret leaves this crate other than in
//! [`SecretValues`](secrets::SecretValues), which do not show themselves.
//!
//! ```
//! use rye_run::mask::Mask;
//! use rye_run::secrets::SecretValues;
//!
//! let mut values = SecretValues::default();
//! values.insert("TOKEN", "correct horse".to_owned().into())?;
//! let mask = Mask::new(&values)?;
//! assert_eq!(mask.mask_text("the token is `correct horse`"), "the token is `***`");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod foreign_database;
pub mod journal;
pub mod mask;
pub mod runner;
pub mod secrets;
pub mod sessions;
pub mod workers;

pub use foreign_database::open_foreign;
