//! The ways to keep a process and all its descendants together.

use std::sync::atomic::{AtomicU8, Ordering};

/// How the descendants of a run are kept together, so that none outlives it.
///
/// Each run has a *guard*: a process of ours between us and the program, which collects orphans, notices our
/// death, and ends the rest. The mechanisms differ in what the guard can rely on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mechanism {
    /// The guard is the init process of a PID namespace: when it exits, the kernel kills everything inside.
    /// An ordinary user gets a user namespace with it, in which the user keeps the same ids.
    PidNamespace,
    /// The program starts in a cgroup (v2) of its own, which is killed as a whole.
    Cgroup,
    /// The guard inherits orphans as a subreaper, and kills its children until there are none.
    Subreaper,
    /// No guard: the process group is killed, and the program itself dies with us.
    /// A descendant that leaves the group escapes.
    ProcessGroup,
}

/// What a [`Mechanism`] makes sure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Guarantee {
    /// No descendant lives when the run is over.
    pub descendants_die_with_the_run: bool,
    /// No descendant lives after we were killed.
    pub descendants_die_with_us: bool,
    /// Both hold even if the program attacks the guard.
    pub hostile_program_cannot_escape: bool,
}

impl Mechanism {
    /// All mechanisms that contain, the strongest first.
    pub const STRONGEST_FIRST: [Self; 3] = [Self::PidNamespace, Self::Cgroup, Self::Subreaper];

    /// What this mechanism makes sure.
    #[must_use]
    pub fn guarantee(self) -> Guarantee {
        let (run, us, hostile) = match self {
            Self::PidNamespace => (true, true, true),
            Self::Cgroup | Self::Subreaper => (true, true, false),
            Self::ProcessGroup => (false, false, false),
        };
        Guarantee {
            descendants_die_with_the_run: run,
            descendants_die_with_us: us,
            hostile_program_cannot_escape: hostile,
        }
    }

    /// The name used in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::PidNamespace => "pid_namespace",
            Self::Cgroup => "cgroup",
            Self::Subreaper => "subreaper",
            Self::ProcessGroup => "process_group",
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The mechanisms that the kernel has refused to this process. It will not change its mind, so it is asked once.
static REFUSED: AtomicU8 = AtomicU8::new(0);

pub(super) fn was_refused(mechanism: Mechanism) -> bool {
    REFUSED.load(Ordering::Relaxed) & mechanism.bit() != 0
}

pub(super) fn remember_refusal(mechanism: Mechanism) {
    REFUSED.fetch_or(mechanism.bit(), Ordering::Relaxed);
}
