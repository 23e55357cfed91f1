//! Items, their ids and kinds, and the three spaces that hold them.

mod id;
mod kind;
mod space;

pub use id::{InvalidId, InvalidIdKind, ItemId, ItemRef};
pub use kind::{ItemKind, ParseKindError};
pub use lillux::Digest;
pub use space::{ParseSpaceError, Space};
