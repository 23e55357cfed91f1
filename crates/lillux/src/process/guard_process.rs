//! The guard's own side: what it does from its first instruction to its last.
//!
//! It shares our memory but not our threads, so it may use neither the heap nor anything that belongs to a thread:
//! it makes system calls on memory that was prepared for it.
#![expect(unsafe_code, reason = "system calls without the C library, on memory shared with another process")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::RawFd;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, AtomicU32, Ordering};
use std::time::Duration;

use super::launch::{Launch, execute, own_pid};
use super::orphans::kill_children;
use super::raw::sys;

/// The memory that we and the guard have in common.
pub(super) struct Shared {
    /// The program, as soon as there is one.
    pub(super) launch: OnceLock<Launch>,
    /// Whether somebody else puts a program into the namespace.
    pub(super) encloses: bool,
    pub(super) kind: Kind,
    pub(super) child_stack: *mut c_void,
    pub(super) parent: RawFd,
    pub(super) control: RawFd,
    pub(super) signals: RawFd,
    pub(super) cgroup: [RawFd; 2],
    pub(super) cgroup_name: *const c_char,
    pub(super) identity_maps: [Vec<u8>; 2],
    pub(super) phase: AtomicU32,
    pub(super) refusal: AtomicI32,
    pub(super) order: AtomicU32,
    pub(super) status: AtomicI32,
    pub(super) child: AtomicI32,
    /// Whether the kernel collects the program, and whoever else ends here.
    pub(super) collects_itself: bool,
    /// The descriptor of the program, if the kernel collects it; else -1. We have the same descriptors.
    pub(super) program: AtomicI32,
    /// Where we are told that the program has taken its leave; -1 if it cannot.
    pub(super) told: RawFd,
    /// The wait status of a program that has taken its leave.
    pub(super) farewell: AtomicI32,
    /// Where the kernel says which process was made last in the namespace of whoever reads it; -1 if it does not.
    pub(super) newest: RawFd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    PidNamespace,
    UserAndPidNamespace,
    Cgroup,
    Subreaper,
    Detach,
}

impl Kind {
    /// Whether the guard is the init process of a PID namespace.
    pub(super) fn is_namespace(self) -> bool {
        matches!(self, Self::PidNamespace | Self::UserAndPidNamespace)
    }

    /// Whether a program must not have the capabilities that the guard has.
    pub(super) fn drops_capabilities(self) -> bool {
        self == Self::UserAndPidNamespace
    }
}

pub(super) const STARTING: u32 = 0;
pub(super) const LAUNCHED: u32 = 1;
pub(super) const FAILED: u32 = 2;
pub(super) const REFUSED: u32 = 3;

pub(super) const TERMINATE: u32 = 1;
pub(super) const FINISH: u32 = 2;

/// No wait status looks like this.
pub(super) const UNKNOWN: c_int = -1;

/// A program in a namespace sends this signal to its init process when all that is left of it is its exit, with the exit
/// code as the value. The kernel takes its time to free the memory of a process before it tells anybody of its end.
pub const FAREWELL: c_int = 64;
/// It sends this one when it has become what it wants to be before its job, to say that it is alone.
pub const READY: c_int = 63;

/// How long a program that has taken its leave is there at the most, unless somebody wants it gone.
const LINGER: Duration = Duration::from_millis(20);

/// The first process in a namespace after its init process.
const FIRST: i32 = 2;

pub(super) extern "C" fn guard_main(shared: *mut c_void) -> c_int {
    // SAFETY: `clone_guard` passes a `Shared` that lives as long as we do.
    let shared = unsafe { &*shared.cast::<Shared>() };
    if let Err(errno) = prepare(shared) {
        shared.refusal.store(errno, Ordering::Release);
        announce(shared, REFUSED);
        return 0;
    }
    if !shared.encloses {
        let Some(launch) = await_program(shared) else { return 0 };
        if !start_program(shared, launch) {
            reap(shared);
            announce(shared, FAILED);
            return 0;
        }
    }
    announce(shared, LAUNCHED);
    attend(shared);
    end(shared);
    0
}

/// The program to start; nothing if there will be none.
fn await_program(shared: &Shared) -> Option<&Launch> {
    loop {
        if let Some(launch) = shared.launch.get() {
            return Some(launch);
        }
        let mut watched =
            [shared.control, shared.parent].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
        poll(&mut watched, None);
        drain(shared.control);
        if watched[1].revents != 0 || shared.order.load(Ordering::Acquire) >= FINISH {
            return None;
        }
    }
}

/// Starts the program, and returns whether it runs.
fn start_program(shared: &Shared, launch: &Launch) -> bool {
    let descriptor = if shared.collects_itself { libc::CLONE_PIDFD } else { 0 };
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD | descriptor;
    // SAFETY: the stack is for this child alone; we are suspended until it has executed or exited.
    let child = unsafe {
        let launch = ptr::from_ref(launch).cast_mut().cast();
        libc::clone(execute, shared.child_stack, flags, launch, shared.program.as_ptr())
    };
    shared.child.store(child, Ordering::Release);
    child >= 0 && launch.failure().is_none()
}

/// Takes the role. On failure the error is an errno.
fn prepare(shared: &Shared) -> Result<(), c_int> {
    // SAFETY: each call is given what it expects, from memory that lives as long as we do.
    unsafe {
        let everything = u64::MAX;
        sys!(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const everything, 0, 8);
        // If SIGCHLD is ignored, as we may have inherited, nobody tells us how our child ended: the kernel collects it.
        let action = [if shared.collects_itself { libc::SIG_IGN } else { libc::SIG_DFL }, 0, 0, 0];
        sys!(libc::SYS_rt_sigaction, libc::SIGCHLD, action.as_ptr(), 0, 8);
        sys!(libc::SYS_prctl, libc::PR_SET_NAME, c"lillux-guard".as_ptr());
        match shared.kind {
            Kind::UserAndPidNamespace => {
                write_file(c"/proc/self/setgroups", b"deny")?;
                write_file(c"/proc/self/gid_map", &shared.identity_maps[0])?;
                write_file(c"/proc/self/uid_map", &shared.identity_maps[1])
            }
            Kind::Cgroup | Kind::Subreaper => {
                let result = sys!(libc::SYS_prctl, libc::PR_SET_CHILD_SUBREAPER, 1);
                if result < 0 { Err(errno(result)) } else { Ok(()) }
            }
            Kind::PidNamespace | Kind::Detach => Ok(()),
        }
    }
}

fn announce(shared: &Shared, phase: u32) {
    shared.phase.store(phase, Ordering::Release);
    // SAFETY: the word is in memory that we share with whoever waits for it.
    unsafe {
        sys!(libc::SYS_futex, shared.phase.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, i32::MAX);
    }
}

/// Watches the program until it has ended, we are told to end it, or our parent is gone.
fn attend(shared: &Shared) {
    let mut last_pid = FIRST;
    loop {
        // What has no descriptor is not waited for.
        let signals = if shared.collects_itself { -1 } else { shared.signals };
        let mut watched = [signals, shared.control, shared.parent].map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        poll(&mut watched, None);
        while let Some((signal, code)) = next_signal(shared) {
            match signal {
                READY => last_pid = newest_pid(shared),
                FAREWELL => return see_off(shared, code, last_pid),
                _ => {}
            }
        }
        drain(shared.control);
        // A detached program that has ended keeps its number until it has been given its name.
        if shared.kind != Kind::Detach {
            reap(shared);
        }
        let ended = shared.status.load(Ordering::Acquire) != UNKNOWN;
        let order = shared.order.load(Ordering::Acquire);
        let orphaned = watched[2].revents != 0;
        if ended || orphaned || order >= FINISH {
            return;
        }
        if order == TERMINATE {
            // As init of a namespace we reach everything in it; elsewhere, the program's process group.
            let target = if shared.kind.is_namespace() { -1 } else { -shared.child.load(Ordering::Acquire) };
            // SAFETY: the program has not been reaped, so its number is still its own.
            unsafe { sys!(libc::SYS_kill, target, libc::SIGTERM) };
            let _ = shared.order.compare_exchange(TERMINATE, 0, Ordering::AcqRel, Ordering::Acquire);
        }
    }
}

/// The next signal that we got; of those that a program sends, only from the program itself.
fn next_signal(shared: &Shared) -> Option<(c_int, c_int)> {
    // SAFETY: the structure is plain memory, as long as we say.
    let (read, info) = unsafe {
        let mut info: libc::signalfd_siginfo = std::mem::zeroed();
        let size = size_of::<libc::signalfd_siginfo>();
        (sys!(libc::SYS_read, shared.signals, &raw mut info, size), info)
    };
    if read <= 0 {
        return None;
    }
    let signal = info.ssi_signo.cast_signed();
    let is_heard = signal == libc::SIGCHLD || (shared.told >= 0 && info.ssi_pid == FIRST.unsigned_abs());
    Some(if is_heard { (signal, info.ssi_int) } else { (0, 0) })
}

/// Stops everything for good, and tells at once that the program has ended if it was alone. If it has made others, whoever
/// waits has to wait for the end of these.
fn see_off(shared: &Shared, code: c_int, last_pid: i32) {
    // Whoever sees the program die of what comes next must know that it had said goodbye before.
    shared.farewell.store((code & 0xff) << 8, Ordering::Release);
    // A process that is killed frees its memory before anything else, on the very processor that whoever waits for us would
    // wake up on. One that is stopped does nothing, and leaves that for later.
    // SAFETY: as init of a namespace we reach everything in it, and nothing else.
    unsafe { sys!(libc::SYS_kill, -1_isize, libc::SIGSTOP) };
    if last_pid > 0 && newest_pid(shared) == last_pid {
        // SAFETY: the value is where we say. The only failure is a full counter, which nobody has filled.
        unsafe { sys!(libc::SYS_write, shared.told, &raw const WORD, 8) };
        linger(shared);
    }
    // SAFETY: as above.
    unsafe { sys!(libc::SYS_kill, -1_isize, libc::SIGKILL) };
}

/// Waits until whoever was told has time for the rest, or is gone, but not for long.
fn linger(shared: &Shared) {
    let [control, parent] =
        [shared.control, shared.parent].map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    drain(shared.control);
    if shared.order.load(Ordering::Acquire) < FINISH {
        poll(&mut [control, parent], Some(LINGER));
    }
}

static WORD: u64 = 1;

/// The number of the process or thread that was made last in our namespace, or 0 if the kernel does not say.
fn newest_pid(shared: &Shared) -> i32 {
    let mut text = [0_u8; 16];
    // SAFETY: the buffer is as long as we say.
    let length = unsafe { sys!(libc::SYS_pread64, shared.newest, text.as_mut_ptr(), text.len(), 0) };
    let digits = text[..usize::try_from(length).unwrap_or(0)].iter().take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: i32, digit| number.wrapping_mul(10).wrapping_add(i32::from(digit - b'0')))
}

/// Ends whatever is left.
fn end(shared: &Shared) {
    match shared.kind {
        // The kernel kills everything in the namespace when its init process exits.
        Kind::PidNamespace | Kind::UserAndPidNamespace | Kind::Detach => {}
        Kind::Cgroup => {
            while reap(shared) {
                // SAFETY: the descriptor is ours and the text is static.
                unsafe { sys!(libc::SYS_write, shared.cgroup[0], c"1".as_ptr(), 1) };
                await_child(shared);
            }
            // SAFETY: the name lives as long as we do.
            unsafe { sys!(libc::SYS_unlinkat, shared.cgroup[1], shared.cgroup_name, libc::AT_REMOVEDIR) };
        }
        Kind::Subreaper => {
            let own = own_pid();
            while reap(shared) {
                kill_children(own);
                await_child(shared);
            }
        }
    }
}

/// Collects every child that has ended, and returns whether there are others.
fn reap(shared: &Shared) -> bool {
    loop {
        let mut status = 0;
        // SAFETY: the status is where we say.
        let pid =
            unsafe { sys!(libc::SYS_wait4, -1_isize, &raw mut status, libc::WNOHANG | libc::__WALL, 0) };
        match pid {
            0 => return true,
            1.. => {
                if pid == shared.child.load(Ordering::Acquire) as isize {
                    shared.status.store(status, Ordering::Release);
                }
            }
            _ if errno(pid) == libc::EINTR => {}
            _ => return false,
        }
    }
}

/// Waits until a child has ended, but not for long: more may have been inherited in the meantime.
fn await_child(shared: &Shared) {
    let mut watched = [libc::pollfd { fd: shared.signals, events: libc::POLLIN, revents: 0 }];
    poll(&mut watched, Some(Duration::from_millis(5)));
    drain(shared.signals);
}

fn write_file(path: &CStr, bytes: &[u8]) -> Result<(), c_int> {
    // SAFETY: the path ends with a NUL, and the bytes are as many as we say.
    let result = unsafe {
        let file = sys!(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), libc::O_WRONLY | libc::O_CLOEXEC);
        if file < 0 {
            return Err(errno(file));
        }
        let result = sys!(libc::SYS_write, file, bytes.as_ptr(), bytes.len());
        sys!(libc::SYS_close, file);
        result
    };
    if result < 0 { Err(errno(result)) } else { Ok(()) }
}

fn poll(watched: &mut [libc::pollfd], timeout: Option<Duration>) {
    let limit = timeout.map(|limit| libc::timespec { tv_sec: 0, tv_nsec: i64::from(limit.subsec_nanos()) });
    let limit = limit.as_ref().map_or(ptr::null(), ptr::from_ref);
    // SAFETY: the list is as long as we say. An interruption or a failure is as good as a wake-up.
    unsafe { sys!(libc::SYS_ppoll, watched.as_mut_ptr(), watched.len(), limit, 0, 8) };
}

/// Empties a non-blocking descriptor, so that it can wake us again.
fn drain(descriptor: RawFd) {
    let mut buffer = [0_u8; 512];
    // SAFETY: the buffer is as long as we say.
    while unsafe { sys!(libc::SYS_read, descriptor, buffer.as_mut_ptr(), buffer.len()) } > 0 {}
}

fn errno(result: isize) -> c_int {
    c_int::try_from(-result).unwrap_or(libc::EIO)
}
