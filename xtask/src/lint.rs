//! What can be judged without running a test.

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::parts::Parts;
use crate::workspace::Workspace;
use crate::{layers, runtime_ids};

/// Format, the two checks on the layers, and clippy, which takes longest and therefore comes last.
pub(crate) fn all(workspace: &Workspace, parts: &mut Parts) -> Result<(), TaskError> {
    parts.run("format", || Invocation::cargo(workspace).args(["fmt", "--all", "--check"]).run())?;
    parts.run("dependency direction", || layers::check_workspace(workspace))?;
    parts.run("runtime ids", || runtime_ids::check_workspace(workspace))?;
    parts.run("clippy", || {
        Invocation::cargo(workspace)
            .args(["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"])
            .run()
    })
}

/// The documentation of our own crates; a broken link is an error.
pub(crate) fn doc(workspace: &Workspace) -> Result<(), TaskError> {
    Invocation::cargo(workspace)
        .env("RUSTDOCFLAGS", "-Dwarnings")
        .args(["doc", "--locked", "--workspace", "--no-deps"])
        .run()
}
