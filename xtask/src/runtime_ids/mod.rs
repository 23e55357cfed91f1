//! The check that no crate of the engine names a runtime.
//!
//! Runtimes are files of the bundle. A crate that compares with one of their ids, or with the name of an
//! interpreter, has made a special case of what should be data.

mod bundle;
mod check;
mod names;
mod source;
mod table;

pub(crate) use check::check_workspace;
