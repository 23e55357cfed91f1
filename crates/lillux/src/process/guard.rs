//! The process between us and a program that we run: it collects orphans, notices our death, and ends the rest.
//!
//! The guard shares our memory, so that making one costs the same however large we are, and our descriptors, so
//! that it keeps no pipe open on its own. This is our side of it.
#![expect(unsafe_code, reason = "a process that shares our memory can only be made with clone")]

use std::ffi::c_int;
use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::{io, ptr};

use rustix::event::{EventfdFlags, eventfd};
use rustix::process::{PidfdFlags, Signal, getegid, geteuid, getpid, pidfd_open, pidfd_send_signal};
use rustix::thread::futex;

use super::cgroup::Cgroup;
use super::guard_process::{
    FAILED, FAREWELL, FINISH, Kind, LAUNCHED, READY, REFUSED, STARTING, Shared, TERMINATE, UNKNOWN,
    guard_main,
};
use super::launch::{Launch, SignalsBlocked, Stack, Step, own_pid};
use super::own_end::{self, OwnEnd};
use super::stdio::above_stdio;

/// What the guard does when the program has ended, or has to.
pub(super) enum Role {
    /// It is the init process of a PID namespace, and exits.
    PidNamespace,
    /// It kills the cgroup.
    Cgroup(Cgroup),
    /// It kills its children, and those that it inherits, until there are none.
    Subreaper,
    /// It exits as soon as it is told to, and lets the program live.
    Detach,
}

/// What a guard is made for.
enum Task {
    /// It starts this program.
    Launch(Launch),
    /// It waits for a program to start.
    StandBy,
    /// Somebody else puts a program into its namespace.
    Enclose,
}

/// A running guard. Dropping it ends the run.
pub(super) struct Guard {
    shared: Box<Shared>,
    pid: u32,
    pidfd: OwnedFd,
    collected: bool,
    control: OwnedFd,
    told: Option<OwnedFd>,
    /// The program, if we notice its end ourselves.
    own_end: Option<OwnEnd>,
    // Nobody reads these here, but the guard needs them for as long as it lives.
    _stacks: [Option<Stack>; 2],
    cgroup: Option<Cgroup>,
}

/// Why there is no guard, or why it has no program.
pub(super) enum StartError {
    /// The kernel does not allow this role.
    Refused(io::Error),
    /// The guard is there, but the program could not be loaded.
    Launch(Step, io::Error),
    /// Somebody killed the guard before it said how the launch went. The program may have been loaded, and be that
    /// somebody.
    Lost,
    /// Something that normally works did not.
    System(&'static str, io::Error),
}

/// How the program ended, as far as the guard saw it.
pub(super) enum Collected {
    /// The program's wait status.
    Status(c_int),
    /// The guard ended the program before that was known.
    Unknown,
    /// Somebody killed the guard.
    GuardLost,
}

// SAFETY: what its pointers point to was for the guard's first moment, or is kept by the `Guard` itself; we only touch
// its atomics and descriptors, and any thread of ours may wait for a child of our process.
unsafe impl Send for Guard {}
// SAFETY: as above; through a reference, an order is given by one atomic operation and one system call.
unsafe impl Sync for Guard {}

impl Guard {
    /// Starts a guard, and through it the program.
    pub(super) fn start(launch: Launch, role: Role) -> Result<Self, StartError> {
        let (kind, cgroup) = match role {
            Role::PidNamespace => (namespace_kind(), None),
            Role::Cgroup(cgroup) => (Kind::Cgroup, Some(cgroup)),
            Role::Subreaper if own_pid() == getpid().as_raw_nonzero().get() => (Kind::Subreaper, None),
            // Orphans are found in `/proc`, which must number processes as we do.
            Role::Subreaper => return Err(StartError::Refused(io::ErrorKind::Unsupported.into())),
            Role::Detach => (Kind::Detach, None),
        };
        Self::make(Task::Launch(launch), kind, cgroup)?.launched()
    }

    /// Makes a guard that is the init process of an empty PID namespace, and starts a program there when it gets one. What a
    /// program inherits beside its descriptors is what we are like now.
    pub(super) fn stand_by() -> Result<Self, StartError> {
        Self::make(Task::StandBy, namespace_kind(), None)
    }

    /// Starts the program by a guard that stands by.
    pub(super) fn launch(self, mut launch: Launch) -> Result<Self, StartError> {
        launch.drops_capabilities = self.shared.kind.drops_capabilities();
        if self.shared.launch.set(launch).is_err() {
            return Err(StartError::System("start a second program", io::ErrorKind::Other.into()));
        }
        self.command(0);
        self.launched()
    }

    /// Starts a guard that is the init process of an empty PID namespace, into which somebody else puts a program.
    pub(super) fn enclose() -> Result<Self, StartError> {
        Self::make(Task::Enclose, namespace_kind(), None)?.launched()
    }

    fn make(task: Task, kind: Kind, cgroup: Option<Cgroup>) -> Result<Self, StartError> {
        let system = |doing| move |error: rustix::io::Errno| StartError::System(doing, error.into());
        let new_event = || {
            eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
                .map_err(system("make an event descriptor"))
        };
        let control = new_event()?;
        // Programs that are made for it take their leave: they have a socket, or somebody else makes them.
        let takes_leave = kind.is_namespace()
            && match &task {
                Task::Launch(launch) => launch.fourth >= 0,
                Task::StandBy => false,
                Task::Enclose => true,
            };
        let told = takes_leave.then(new_event).transpose()?;
        let common = common().map_err(|error| StartError::System("make the descriptors of guards", error))?;
        let collects_itself = kind.is_namespace() && !takes_leave && own_end::is_kept(&common.parent);
        let new_stack = || Stack::new().map_err(|error| StartError::System("map a stack", error));
        let stack = new_stack()?;
        let encloses = matches!(task, Task::Enclose);
        let child_stack = (!encloses).then(new_stack).transpose()?;
        let launch = OnceLock::new();
        if let Task::Launch(mut first) = task {
            first.drops_capabilities = kind.drops_capabilities();
            first.cgroup = cgroup.as_ref().map_or(-1, |cgroup| cgroup.procs.as_raw_fd());
            // There is none yet.
            let _ = launch.set(first);
        }
        let identity = |id: u32| format!("{id} {id} 1\n").into_bytes();
        let shared = Box::new(Shared {
            launch,
            encloses,
            kind,
            child_stack: child_stack.as_ref().map_or(ptr::null_mut(), Stack::top),
            parent: common.parent.as_raw_fd(),
            control: control.as_raw_fd(),
            signals: common.signals.as_raw_fd(),
            cgroup: cgroup.as_ref().map_or([-1; 2], |group| [group.kill.as_raw_fd(), group.base.as_raw_fd()]),
            cgroup_name: cgroup.as_ref().map_or(ptr::null(), |group| group.name.as_ptr()),
            identity_maps: [identity(getegid().as_raw()), identity(geteuid().as_raw())],
            phase: AtomicU32::new(STARTING),
            refusal: AtomicI32::new(0),
            order: AtomicU32::new(0),
            status: AtomicI32::new(UNKNOWN),
            child: AtomicI32::new(0),
            collects_itself,
            program: AtomicI32::new(-1),
            told: told.as_ref().map_or(-1, AsRawFd::as_raw_fd),
            farewell: AtomicI32::new(UNKNOWN),
            newest: common.newest.as_ref().map_or(-1, AsRawFd::as_raw_fd),
        });
        let (pid, pidfd) = clone_guard(&shared, &stack).map_err(|error| match error.raw_os_error() {
            Some(libc::EPERM | libc::EINVAL | libc::ENOSYS | libc::ENOSPC | libc::EUSERS) => {
                StartError::Refused(error)
            }
            _ => StartError::System("start the guard of the run", error),
        })?;
        let stacks = [Some(stack), child_stack];
        Ok(Self {
            shared,
            pid,
            pidfd,
            collected: false,
            _stacks: stacks,
            control,
            told,
            own_end: None,
            cgroup,
        })
    }

    /// Waits until the guard has done what it was made for.
    fn launched(mut self) -> Result<Self, StartError> {
        let launched = self.await_launch();
        self.own_end = self.program().map(|program| OwnEnd::new(program, self.pid));
        launched.map(|()| self)
    }

    /// The descriptor that the guard has got of the program.
    fn program(&self) -> Option<OwnedFd> {
        let descriptor = self.shared.program.swap(-1, Ordering::AcqRel);
        // SAFETY: the kernel has made this descriptor for the guard, who shares ours, and only we take it.
        (descriptor >= 0).then(|| unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    /// The program, if we notice its end ourselves.
    pub(super) fn own_end(&self) -> Option<&OwnEnd> {
        self.own_end.as_ref()
    }

    /// Becomes readable when the program and all its descendants are gone.
    pub(super) fn descriptor(&self) -> &OwnedFd {
        &self.pidfd
    }

    /// The program's process id, as `/proc` numbers it; without a program, the guard's own.
    pub(super) fn pid(&self) -> u32 {
        self.shared.launch.get().map_or(self.pid, Launch::pid)
    }

    /// The program's process id, as the guard sees it.
    pub(super) fn child(&self) -> i32 {
        self.shared.child.load(Ordering::Acquire)
    }

    /// Whether the program has ended, as far as the guard has noticed.
    pub(super) fn has_ended(&self) -> bool {
        self.shared.status.load(Ordering::Acquire) != UNKNOWN || self.is_over()
    }

    /// Asks the program and its descendants to end.
    pub(super) fn terminate(&self) {
        self.command(TERMINATE);
    }

    /// Ends the program and its descendants, or leaves them alone if they are detached.
    pub(super) fn finish(&self) {
        self.command(FINISH);
    }

    /// Becomes readable when the program has taken its leave, everything in its namespace has been stopped for good, and
    /// nobody else was there.
    pub(super) fn farewell(&self) -> Option<&OwnedFd> {
        self.told.as_ref()
    }

    /// The wait status of a program that has taken its leave.
    pub(super) fn farewell_status(&self) -> Option<c_int> {
        Some(self.shared.farewell.load(Ordering::Acquire)).filter(|status| *status != UNKNOWN)
    }

    fn command(&self, order: u32) {
        self.shared.order.fetch_max(order, Ordering::AcqRel);
        // The only failure is a full counter, and then the guard has yet to read what it was told before.
        let _ = rustix::io::write(&self.control, &1_u64.to_ne_bytes());
    }

    fn await_launch(&self) -> Result<(), StartError> {
        let pause = rustix::time::Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
        loop {
            match self.shared.phase.load(Ordering::Acquire) {
                LAUNCHED => return Ok(()),
                FAILED => {
                    let unknown = || (Step::Execute, io::ErrorKind::Other.into());
                    let failure = self.shared.launch.get().and_then(Launch::failure);
                    let (step, error) = failure.unwrap_or_else(unknown);
                    return Err(match step {
                        Step::Cgroup => StartError::Refused(error),
                        _ => StartError::Launch(step, error),
                    });
                }
                REFUSED => {
                    let errno = self.shared.refusal.load(Ordering::Acquire);
                    return Err(StartError::Refused(io::Error::from_raw_os_error(errno)));
                }
                _ => {}
            }
            let _ = futex::wait(&self.shared.phase, futex::Flags::PRIVATE, STARTING, Some(&pause));
            if self.shared.phase.load(Ordering::Acquire) == STARTING {
                if self.is_over() {
                    return Err(StartError::Lost);
                }
                // One that has waited for long may have been stopped by somebody.
                let _ = pidfd_send_signal(&self.pidfd, Signal::CONT);
            }
        }
    }

    /// Whether the guard itself has ended.
    pub(super) fn is_over(&self) -> bool {
        wait(&self.pidfd, libc::WNOHANG | libc::WNOWAIT).is_some()
    }

    /// Waits for the guard, which waits for everything else.
    pub(super) fn collect(&mut self) -> Collected {
        let exit = wait(&self.pidfd, 0);
        self.collected = true;
        if exit != Some((libc::CLD_EXITED, 0)) {
            if let Some(cgroup) = &self.cgroup {
                cgroup.kill_all();
            }
            return Collected::GuardLost;
        }
        if let Some(end) = &self.own_end {
            return end.status().map_or(Collected::Unknown, Collected::Status);
        }
        match (self.farewell_status(), self.shared.status.load(Ordering::Acquire)) {
            (None, UNKNOWN) => Collected::Unknown,
            (Some(status), _) | (None, status) => Collected::Status(status),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.collected {
            if self.shared.encloses || self.shared.launch.get().is_some() {
                self.finish();
            } else {
                let _ = pidfd_send_signal(&self.pidfd, Signal::KILL);
            }
            self.collect();
        }
    }
}

/// An ordinary user needs a user namespace to make a PID namespace.
fn namespace_kind() -> Kind {
    if geteuid().is_root() { Kind::PidNamespace } else { Kind::UserAndPidNamespace }
}

fn clone_guard(shared: &Shared, stack: &Stack) -> io::Result<(u32, OwnedFd)> {
    let _blocked = SignalsBlocked::new();
    let mut pidfd: RawFd = -1;
    let namespaces = match shared.kind {
        Kind::PidNamespace => libc::CLONE_NEWPID,
        Kind::UserAndPidNamespace => libc::CLONE_NEWPID | libc::CLONE_NEWUSER,
        Kind::Cgroup | Kind::Subreaper | Kind::Detach => 0,
    };
    let flags = libc::CLONE_VM | libc::CLONE_FILES | libc::CLONE_PIDFD | namespaces;
    let argument = ptr::from_ref(shared).cast_mut().cast();
    // SAFETY: `Guard` keeps the stacks, the descriptors and the shared memory until it has collected the process;
    // if we die instead, the memory lives on for as long as the guard does. The guard uses nothing else.
    let pid = unsafe { libc::clone(guard_main, stack.top(), flags, argument, &raw mut pidfd) };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((pid.unsigned_abs(), unsafe { OwnedFd::from_raw_fd(pidfd) }))
}

/// Descriptors that all guards use. What they tell depends on who reads them, so each guard learns of its own.
struct Common {
    /// Readable when we are gone.
    parent: OwnedFd,
    signals: OwnedFd,
    /// Where the kernel says which process was made last in the namespace of whoever reads it, if it does.
    newest: Option<OwnedFd>,
}

fn common() -> io::Result<&'static Common> {
    static COMMON: OnceLock<Common> = OnceLock::new();
    if let Some(common) = COMMON.get() {
        return Ok(common);
    }
    let newest = File::open("/proc/sys/kernel/ns_last_pid").ok();
    let made = Common {
        parent: above_stdio(pidfd_open(getpid(), PidfdFlags::empty())?)?,
        signals: above_stdio(child_signals()?)?,
        newest: newest.map(|file| above_stdio(file.into())).transpose()?,
    };
    Ok(COMMON.get_or_init(|| made))
}

/// A descriptor that is readable when a child of whoever polls it has ended, or a program has something to say.
fn child_signals() -> io::Result<OwnedFd> {
    // SAFETY: the set is plain memory that the calls fill.
    let descriptor = unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGCHLD, FAREWELL, READY] {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK)
    };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Waits for a child of ours that sends no signal, and returns how and with what it ended.
pub(super) fn wait(pidfd: &OwnedFd, flags: c_int) -> Option<(c_int, c_int)> {
    let id = pidfd.as_raw_fd().unsigned_abs();
    loop {
        // SAFETY: the result is plain memory that the call fills; it is all zero if there is nothing to tell.
        let (result, code, status, pid) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = flags | libc::WEXITED | libc::__WALL;
            let result = libc::waitid(libc::P_PIDFD, id, &raw mut info, flags);
            (result, info.si_code, info.si_status(), info.si_pid())
        };
        if result == 0 {
            return (pid != 0).then_some((code, status));
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}
