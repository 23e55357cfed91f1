//! Others that do the same job: the same tools, the same client, in turns.
//!
//! `ryeos` is a system in Python with the same idea of tools that are files; `FastMCP` is a gateway in front of an MCP server;
//! ripgrep searches the same files; tantivy is a full-text index. `cargo xtask bench peers` installs them, pinned by digests.

mod calls;
mod client;
mod deadline;
mod gateway;
mod program;
mod searching;
mod side;
mod signing;
mod tantivy;
mod tools;
mod turns;

use self::side::{Side, System};
use crate::report::{Findings, Row};
use crate::{Effort, Result};

/// Measures everything that is compared with others.
pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    if !side::deps().join("bench/bin/rye").exists() {
        return Err("the peers are not installed; run the benchmarks with `cargo xtask bench`".into());
    }
    let mut findings = Findings::default();
    signing::measure(effort, &mut findings)?;
    calls::measure(effort, &mut findings)?;
    searching::measure(effort, &mut findings)?;
    tantivy::measure(effort, &mut findings)?;
    gateway::measure(effort, &mut findings)?;
    Ok(findings)
}

/// Our system and the other one, each with its own copy of the same tools.
struct Sides {
    ours: Side,
    ryeos: Side,
    /// It is removed at the end.
    _folder: tempfile::TempDir,
}

impl Sides {
    fn new(tools: &[(String, String)]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let ours = Side::new(System::Ours, &folder.path().join("ours"), tools)?;
        let ryeos = Side::new(System::Ryeos, &folder.path().join("ryeos"), tools)?;
        Ok(Self { ours, ryeos, _folder: folder })
    }

    /// Gives both a key, and signs the tools below `demo`.
    fn prepare(&self, findings: &mut Findings) -> Result<()> {
        self.ours.prepare()?;
        if let Err(error) = self.ryeos.prepare() {
            findings.push(Row::absent("keys and signatures / ryeos", error.to_string()));
        }
        Ok(())
    }
}
