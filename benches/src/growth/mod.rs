//! How costs grow: with what is sent, with what comes back, with files, chains, calls at once, steps, and time.

mod anchors;
mod chains;
mod concurrency;
mod graph_steps;
mod outputs;
mod parameters;
mod sweep;
mod uptime;

pub(crate) use sweep::Sweep;
pub(crate) use uptime::measure as uptime;

use crate::report::Findings;
use crate::{Effort, Result};

/// Calls that are larger in one way or another.
pub(crate) fn calls(effort: Effort) -> Result<Findings> {
    let mut findings = Findings::default();
    parameters::measure(effort, &mut findings)?;
    outputs::measure(effort, &mut findings)?;
    chains::measure(effort, &mut findings)?;
    concurrency::measure(effort, &mut findings)?;
    Ok(findings)
}

/// More files that have to be verified.
pub(crate) fn files(effort: Effort) -> Result<Findings> {
    anchors::measure(effort)
}

/// More steps of a graph.
pub(crate) fn graphs(effort: Effort) -> Result<Findings> {
    graph_steps::measure(effort)
}

/// Sizes of what is sent and of what comes back, in bytes.
fn byte_sizes(effort: Effort) -> &'static [usize] {
    const KIB: usize = 1024;
    match effort {
        Effort::Quick => &[KIB, 16 * KIB, 256 * KIB],
        Effort::Full => &[KIB, 16 * KIB, 256 * KIB, 4096 * KIB, 64 * 1024 * KIB],
    }
}

/// The head of a shell tool.
const SHELL: &str =
    "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\n";
