//! What a process passes on to those that it starts.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Everything that a program has from who started it and that could make a difference to it, beside its environment, its
/// working directory and its streams. Signals are not among it: those of a program that we start are as they are by default.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Legacy(Vec<(&'static str, String)>);

/// What is in `status`, and what it is called.
const STATUS: [(&str, &str); 15] = [
    ("Umask", "umask"),
    ("Uid", "user"),
    ("Gid", "group"),
    ("Groups", "groups"),
    ("CapInh", "capabilities"),
    ("CapPrm", "capabilities"),
    ("CapEff", "capabilities"),
    ("CapBnd", "capabilities"),
    ("CapAmb", "capabilities"),
    ("NoNewPrivs", "privileges"),
    ("Seccomp", "system call filter"),
    ("Seccomp_filters", "system call filter"),
    ("Cpus_allowed", "processors"),
    ("Mems_allowed", "memory nodes"),
    ("THP_enabled", "memory pages"),
];

const NAMESPACES: [&str; 10] =
    ["cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "time", "time_for_children", "user", "uts"];

/// Where a control group may have limits. All that is not said here is not limited.
const CGROUP_LIMITS: [&str; 7] =
    ["memory.max", "memory.high", "memory.swap.max", "pids.max", "cpu.max", "cpuset.cpus", "cpu.weight"];

impl Legacy {
    /// That of the process that a folder of `/proc` is about.
    pub(super) fn of(process: &Path) -> io::Result<Self> {
        let read = |name: &str| fs::read_to_string(process.join(name));
        let status = read("status")?;
        let mut all: Vec<(&'static str, String)> = Vec::new();
        for (field, name) in STATUS {
            let line = status.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
            all.push((name, line.unwrap_or_default().trim().to_owned()));
        }
        all.push(("limits", read("limits")?));
        for name in NAMESPACES {
            match fs::read_link(process.join("ns").join(name)) {
                Ok(namespace) => all.push(("namespaces", namespace.display().to_string())),
                // A kernel may have been built without some.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        let root = fs::metadata(process.join("root"))?;
        all.push(("root folder", format!("{}:{}", root.dev(), root.ino())));
        all.push(("priority", priority(&read("stat")?)));
        all.push(("memory priority", read("oom_score_adj")?));
        // Where no security module is loaded, this cannot be read.
        all.push(("security label", read("attr/current").unwrap_or_default()));
        all.push(("control group", cgroup_limits(&read("cgroup").unwrap_or_default())));
        Ok(Self(all))
    }

    /// The name of the first thing that differs.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let pairs = self.0.iter().zip(&other.0);
        let first = pairs.into_iter().find(|(ours, theirs)| ours != theirs).map(|(ours, _)| ours.0);
        first.or((self.0.len() != other.0.len()).then_some("namespaces"))
    }
}

/// Niceness, real-time priority and policy. The name of the program, which comes before, may contain anything.
fn priority(stat: &str) -> String {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace().collect();
    [16, 37, 38].map(|at| fields.get(at).copied().unwrap_or_default()).join(" ")
}

/// The limits of a control group and of those above it. Where they have none, two groups are as good as one: each
/// terminal has its own.
fn cgroup_limits(text: &str) -> String {
    let Some(path) = text.lines().find_map(|line| line.strip_prefix("0::")) else { return text.to_owned() };
    let base = Path::new("/sys/fs/cgroup");
    let mut folder: PathBuf = base.join(path.trim_start_matches('/'));
    let mut limits = Vec::new();
    while folder != base && folder.starts_with(base) {
        for name in CGROUP_LIMITS {
            let Ok(value) = fs::read_to_string(folder.join(name)) else { continue };
            let value = value.trim();
            let is_none = value.is_empty() || value.split(' ').next() == Some("max");
            if !is_none && (name, value) != ("cpu.weight", "100") {
                limits.push(format!("{name} {value}"));
            }
        }
        folder.pop();
    }
    limits.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_like_itself() {
        let ours = || Legacy::of("/proc/self".as_ref()).unwrap();
        assert_eq!(ours().difference(&ours()), None);
        assert!(ours().0.iter().any(|(name, value)| *name == "umask" && value.starts_with('0')));
    }

    #[test]
    fn what_differs_has_a_name() {
        let ours = Legacy::of("/proc/self".as_ref()).unwrap();
        for at in 0..ours.0.len() {
            let mut other = Legacy(ours.0.clone());
            other.0[at].1.push('x');
            assert_eq!(ours.difference(&other), Some(ours.0[at].0));
        }
        let mut other = Legacy(ours.0.clone());
        other.0.pop();
        assert_eq!(ours.difference(&other), Some("namespaces"));
    }

    #[test]
    fn the_name_of_a_program_confuses_nobody() {
        let rest = (3..=52).map(|field| field.to_string()).collect::<Vec<_>>().join(" ");
        assert_eq!(priority(&format!("7 (a) b) {rest}")), "19 40 41");
    }
}
