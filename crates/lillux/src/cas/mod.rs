//! A store that keeps bytes by their digest.
//!
//! A store is a folder. Blobs lie in `blobs/ab/cdef…`, JSON values in their canonical form in
//! `objects/ab/cdef…`, and what is being written in `tmp/`. An entry appears under its name by a rename, whole
//! or not at all, and is never changed afterwards, so any number of processes can read and write at once.
//!
//! Nothing that is read is trusted: [`Store::read`] returns bytes only after their digest was checked, and a
//! [`BlobReader`] ends in an error if they were not the right ones.
//!
//! The store does not know who needs an entry. It removes one only when it is told to.
//!
//! ```
//! use lillux::cas::Store;
//!
//! let folder = tempfile::tempdir()?;
//! let store = Store::open(folder.path())?;
//! let stored = store.put_bytes(b"hello")?;
//! assert_eq!(store.read(stored.digest, 1024)?, b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod blob_reader;
mod canonical_json;
mod entry_file;
mod error;
mod listing;
mod section;
mod store;
mod temp_file;
mod verification;
mod writing;

pub use blob_reader::BlobReader;
pub use canonical_json::{CanonicalJson, CanonicalJsonError, CanonicalJsonErrorKind};
pub use error::{CasError, CasErrorKind, CasTask};
pub use listing::Listing;
pub use section::Section;
pub use store::{Disposition, Durability, Store, Stored};
pub use temp_file::Cleaning;
pub use verification::{Damage, DamagedEntry, Verdict, Verification};
