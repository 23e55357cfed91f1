//! What a run may not leave behind.

use crate::Result;

/// How many descriptors we have.
pub(crate) fn descriptors() -> Result<usize> {
    Ok(std::fs::read_dir("/proc/self/fd")?.count())
}

/// How many children we have, of all our threads.
pub(crate) fn children() -> Result<usize> {
    Ok(children_of(std::process::id())?.len())
}

/// The children of all threads of a process.
pub(crate) fn children_of(pid: u32) -> Result<Vec<u32>> {
    let mut children = Vec::new();
    for task in std::fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("children")).unwrap_or_default();
        for child in text.split_whitespace() {
            children.push(child.parse()?);
        }
    }
    Ok(children)
}

/// How much memory we have in use, in KiB.
pub(crate) fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
