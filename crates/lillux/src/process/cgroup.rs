//! A cgroup (v2) for one run, where the kernel lets us make one.

use std::ffi::CString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, mkdirat, openat, unlinkat};

/// A cgroup below our own. It is removed when dropped.
pub(super) struct Cgroup {
    pub(super) base: OwnedFd,
    pub(super) name: CString,
    pub(super) procs: OwnedFd,
    pub(super) kill: OwnedFd,
}

impl Cgroup {
    pub(super) fn create() -> io::Result<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let base =
            openat(CWD, own_cgroup()?, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = CString::new(format!("lillux-{}-{number}", std::process::id()))?;
        mkdirat(&base, &name, Mode::from_raw_mode(0o755))?;
        let open = |file: &str| {
            let path = format!("{}/{file}", name.to_string_lossy());
            openat(&base, path, OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())
        };
        match (open("cgroup.procs"), open("cgroup.kill")) {
            (Ok(procs), Ok(kill)) => Ok(Self { base, name, procs, kill }),
            (Err(errno), _) | (_, Err(errno)) => {
                let _ = unlinkat(&base, &name, AtFlags::REMOVEDIR);
                Err(errno.into())
            }
        }
    }

    /// Kills everything in it.
    pub(super) fn kill_all(&self) {
        // It fails only if the cgroup is gone, and then so is everything that was in it.
        let _ = rustix::io::write(&self.kill, b"1");
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // What was killed leaves the cgroup a moment later than it dies, and usually the guard was here before us.
        for _ in 0..100 {
            match unlinkat(&self.base, &self.name, AtFlags::REMOVEDIR) {
                Err(rustix::io::Errno::BUSY) => std::thread::sleep(std::time::Duration::from_millis(1)),
                _ => return,
            }
        }
    }
}

/// The folder of the cgroup that we are in.
fn own_cgroup() -> io::Result<PathBuf> {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
    let groups = std::fs::read_to_string("/proc/self/cgroup")?;
    find_own_cgroup(&mounts, &groups)
        .ok_or_else(|| io::Error::new(io::ErrorKind::Unsupported, "no cgroup v2 hierarchy is mounted"))
}

fn find_own_cgroup(mounts: &str, groups: &str) -> Option<PathBuf> {
    let mount = mounts.lines().find_map(|line| {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut fields = mount.split(' ');
        let (root, target) = (fields.nth(3)?, fields.next()?);
        file_system.starts_with("cgroup2 ").then_some((root, target))
    })?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let below = group.strip_prefix(mount.0.trim_end_matches('/'))?;
    Some(PathBuf::from(format!("{}{below}", mount.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_cgroup_is_below_the_mount() {
        let check = |mounts: &str, groups: &str, expect: Option<&str>| {
            assert_eq!(find_own_cgroup(mounts, groups), expect.map(PathBuf::from), "{mounts} {groups}");
        };
        let unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";
        let hybrid = "31 30 0:27 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      32 30 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let inner = "30 23 0:26 /pods/a /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        check(unified, "0::/user.slice/one.scope\n", Some("/sys/fs/cgroup/user.slice/one.scope"));
        check(hybrid, "4:memory:/x\n0::/\n", Some("/sys/fs/cgroup/unified/"));
        check(inner, "0::/pods/a/b\n", Some("/sys/fs/cgroup/b"));
        check(inner, "0::/elsewhere\n", None);
        check(unified, "1:cpu:/\n", None);
        check("", "0::/\n", None);
    }
}
