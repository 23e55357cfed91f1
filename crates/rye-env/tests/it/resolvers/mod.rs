//! Each resolver type on real folders.

mod binaries;
mod command;
mod environments;
mod packages;
mod shims;
mod version_managers;
mod wrong_options;
