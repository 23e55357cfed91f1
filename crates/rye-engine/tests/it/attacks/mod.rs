//! What somebody does who can write to a project, and what does not come of it.
//!
//! Each attack has something that would leave a marker file if it ran. A test asserts the code of the refusal, or that
//! the signed tool ran as ever, and that there is no marker.

mod development;
mod environment;
mod extractors;
mod ground;
mod keys;
mod links;
mod locks;
mod manifests;
mod memory;
mod moved;
mod parameters;
mod planted;
mod races;
mod shadowing;
mod signature_line;
mod snapshots;
mod tamper;
