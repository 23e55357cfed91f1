//! What a server and everything that it has started keep in memory.

use std::fs;

use crate::Result;

/// Memory of a process and all below it, in KiB; what several processes share counts once.
pub(crate) fn of_tree(pid: u32) -> Result<u64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Pss:")).ok_or("the kernel does not tell")?;
    let mut sum: u64 = line.trim().trim_end_matches(" kB").parse()?;
    for child in children(pid)? {
        // A child may end at any time, and has no memory then.
        sum += of_tree(child).unwrap_or(0);
    }
    Ok(sum)
}

fn children(pid: u32) -> Result<Vec<u32>> {
    let mut children = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task"))? {
        let text = fs::read_to_string(task?.path().join("children")).unwrap_or_default();
        for child in text.split_whitespace() {
            children.push(child.parse()?);
        }
    }
    Ok(children)
}
