//! What is in the spaces, kept ready for searching.
//!
//! A catalog is never trusted to be up to date: before each search it is compared with the files, or, in a process
//! that lives long enough to watch them, with what the kernel says has happened since.

mod folder_watch;
mod index_file;
mod passed_over;
mod record;
mod refresh;
mod space_catalog;

pub(crate) use record::Record;
pub(crate) use space_catalog::{Catalogs, SpaceCatalog};
