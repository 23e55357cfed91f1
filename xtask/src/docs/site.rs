//! The site, which mdBook makes. It takes minutes to build mdBook, so that is done when somebody wants a site.

use crate::cargo_program::CargoProgram;
use crate::error::TaskError;
use crate::workspace::Workspace;

const MDBOOK: CargoProgram =
    CargoProgram { name: "mdbook", version: "0.5.4", features: &["--no-default-features"] };

/// Builds the site into `target/site`.
pub(super) fn build(workspace: &Workspace) -> Result<(), TaskError> {
    MDBOOK.install(workspace)?;
    MDBOOK.invocation(workspace).arg("build").arg(workspace.root().join("docs")).run()
}
