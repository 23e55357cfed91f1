//! cargo-deny: which licences, registries and crates may come in (`deny.toml`).

use crate::cargo_program::CargoProgram;
use crate::error::TaskError;
use crate::workspace::Workspace;

/// Older ones do not read edition 2024 and version 4 of the lock file.
const CARGO_DENY: CargoProgram = CargoProgram { name: "cargo-deny", version: "0.20.2", features: &[] };

/// Builds cargo-deny, unless it is there.
pub(crate) fn install(workspace: &Workspace) -> Result<(), TaskError> {
    CARGO_DENY.install(workspace)
}

/// Judges the dependency graph. Advisories are left to a scheduled run: their database is on the network.
pub(crate) fn check(workspace: &Workspace) -> Result<(), TaskError> {
    install(workspace)?;
    CARGO_DENY
        .invocation(workspace)
        .in_folder(workspace.root())
        .args(["--locked", "--workspace", "--all-features", "check", "--hide-inclusion-graph"])
        .args(["bans", "licenses", "sources"])
        .run()
}
