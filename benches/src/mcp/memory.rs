//! How much memory a process has.

use crate::Result;

/// Memory, in KiB.
pub(crate) struct Memory {
    /// All that it has.
    pub(crate) resident: f64,
    /// The same, but of what it shares with others only its part.
    pub(crate) shared_out: f64,
}

pub(crate) fn of(pid: u32) -> Result<Memory> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let value = |name: &str| -> Result<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("the kernel does not tell")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    };
    Ok(Memory { resident: value("Rss:")?, shared_out: value("Pss:")? })
}
