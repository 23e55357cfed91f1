//! Private copies of a tool and of the verified files beside it.
//!
//! What runs is never the file that somebody can still change, but a copy of the bytes that were verified. Copies are
//! named by what is in them, so a tool that has not changed finds the one that it had before.

mod collect;
mod contents;
mod draft;
mod error;
mod held;
mod index;
mod record;
mod request;
mod requires;
mod scope;
mod store;
mod stored;
mod survey;
mod tree;

pub use collect::{Collected, SNAPSHOT_MAX_AGE};
pub use error::{Found, Mismatch, SnapshotError, SnapshotErrorKind, SnapshotStoreError, StoreRefusal};
pub use request::{Extent, SnapshotLink, SnapshotRequest, SnapshotTool};
pub use requires::RequireError;
pub use store::SnapshotStore;
pub use stored::Snapshot;
