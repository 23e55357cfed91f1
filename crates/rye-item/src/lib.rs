//! Items, their ids and kinds, and the three spaces that hold them.
//!
//! An item is a file below `.ai/tools`, `.ai/directives` or `.ai/knowledge`, and its id is its path there without
//! the extension. This crate finds the file for an id, opens it once, and reads it once, so that the bytes whose
//! digest is known are the bytes that everything later works on.
//!
//! It refuses to leave a space: no id can, and no symbolic link is followed. It does not know what a file means,
//! nor whether it can be trusted.
//!
//! ```
//! use rye_item::{ItemId, ItemKind, ItemRef};
//!
//! let item = ItemRef::new(ItemKind::Tool, ItemId::new("rye/core/runtimes/shell")?);
//! assert_eq!((item.to_string().as_str(), item.id.stem()), ("tool:rye/core/runtimes/shell", "shell"));
//! assert!(ItemId::new("../../etc/passwd").is_err());
//! # Ok::<(), rye_item::InvalidId>(())
//! ```

mod bundle;
mod error;
mod extensions;
mod file_entry;
mod files;
mod folder;
mod id;
mod item_file;
mod kind;
mod layout;
mod locate;
mod only_files;
mod read_item;
mod replace;
mod space;
mod space_root;
mod spaces;
mod store;
mod walk;

pub use bundle::{Bundle, BundleFile};
pub use error::{LocateError, LocateErrorKind, SpaceError, SpaceErrorKind};
pub use extensions::Extensions;
pub use file_entry::{FileEntry, FileRules, OpenFolder, PassedOver, VisitFiles};
pub use files::{FilesError, FilesErrorKind, MAX_DEPTH, MAX_ENTRIES};
pub use folder::FolderIdentity;
pub use id::{InvalidId, InvalidIdKind, ItemId, ItemRef};
pub use item_file::{FileStatus, ItemBytes, ItemFile, MAX_ITEM_BYTES, ReadError, ReadErrorKind};
pub use kind::{ItemKind, ParseKindError};
pub use layout::LayoutError;
pub use lillux::Digest;
pub use locate::Located;
pub use read_item::ReadItem;
pub use replace::{ReplaceError, ReplaceErrorKind, Replacements};
pub use space::{ParseSpaceError, Space};
pub use space_root::SpaceRoot;
pub use spaces::{Project, SpaceSettings, Spaces};
pub use store::{Overwrite, StoreError, store};
pub use walk::{FileFacts, Visit, WalkEntry, WalkProblem};
