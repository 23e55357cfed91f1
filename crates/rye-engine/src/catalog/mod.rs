//! What is in the spaces, kept ready for searching.
//!
//! A catalog is never trusted to be up to date: before each search it is compared with the files, or, in a process
//! that lives long enough to watch them, with what the kernel says has happened since.

mod index_file;
mod passed_over;
mod record;
mod refresh;
mod space_catalog;

pub(crate) use record::Record;
pub(crate) use refresh::is_tool;
pub(crate) use space_catalog::{CatalogKey, Catalogs, CurrentCatalog};

/// A catalog that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// There are more items than an index can hold.
    #[error("there are too many items to search")]
    TooLarge(#[from] rye_search::IndexTooLarge),
    /// The index that was just made is not one.
    #[error("the index that was just made cannot be used")]
    Broken(#[from] rye_search::OpenIndexError),
    /// There was nothing before, and nothing was made.
    #[error("no index was made")]
    Unbuilt,
}
