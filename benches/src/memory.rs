//! How much memory a process has, and a server with everything that it has started.
#![expect(unsafe_code, reason = "no crate here asks whether two processes have the same memory")]

use std::fs;

use crate::Result;
use crate::leftovers::children_of;

/// Memory, in MiB.
pub(crate) struct Memory {
    /// All that it has.
    pub(crate) resident: f64,
    /// The same, but of what it shares with others only its part.
    pub(crate) shared_out: f64,
}

pub(crate) fn of(pid: u32) -> Result<Memory> {
    let text = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    let value = |name: &str| -> Result<f64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("the kernel does not tell")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
    };
    Ok(Memory { resident: value("Rss:")?, shared_out: value("Pss:")? })
}

/// Memory of a process and all below it, in MiB; what several processes share counts once.
pub(crate) fn of_tree(pid: u32) -> Result<f64> {
    Ok(of(pid)?.shared_out + below(pid)?)
}

/// Memory of all below a process. A child may end at any time, and has no memory then.
fn below(pid: u32) -> Result<f64> {
    let mut sum = 0.0;
    for child in children_of(pid)? {
        if !are_one(pid, child) {
            sum += of(child).map_or(0.0, |memory| memory.shared_out);
        }
        sum += below(child).unwrap_or(0.0);
    }
    Ok(sum)
}

/// Whether two processes have one memory, such as a server and the guard of its next program: the kernel tells all of it of
/// either.
fn are_one(one: u32, other: u32) -> bool {
    const KCMP_VM: libc::c_int = 1;
    // SAFETY: the call reads no memory of ours.
    unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_VM, 0, 0) == 0 }
}
