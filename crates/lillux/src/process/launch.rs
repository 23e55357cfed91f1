//! The step from us to another program: what happens between `clone` and `execve`.
//!
//! The child shares our memory until it executes, as with `vfork`, so starting a process costs the same
//! however large we are. It must therefore do nothing but system calls.
#![expect(unsafe_code, reason = "clone and what follows it in the child cannot be expressed safely")]

use std::ffi::{c_char, c_int, c_void};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::{io, ptr};

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

use super::dispositions::Signals;
use super::image::ExecImage;
use super::raw::sys;

/// Everything the child needs, prepared beforehand, and where it leaves word if it fails.
pub(super) struct Launch {
    path: *const c_char,
    argv: *const *const c_char,
    envp: *const *const c_char,
    cwd: *const c_char,
    stdio: [RawFd; 3],
    /// What is caught must not run our handlers in the child, and what is ignored must not stay so in the program.
    changed_signals: Signals,
    /// What the program has as its fourth descriptor, or -1. It must not be 3 here.
    pub(super) fourth: RawFd,
    /// The `cgroup.procs` file of the cgroup to enter, or -1.
    pub(super) cgroup: RawFd,
    /// Whether the program dies with the thread that started it.
    pub(super) dies_with_parent: bool,
    /// Whether the child gives up the capabilities that came with its user namespace. The program has none of them,
    /// but the child would enter folders, and execute files, that the user may not.
    pub(super) drops_capabilities: bool,
    failed_step: AtomicI32,
    failure: AtomicI32,
    pid: AtomicI32,
}

/// The number of the one descriptor that a program can have beside the standard streams.
pub(super) const FOURTH: RawFd = 3;

/// The step at which a launch failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Stdio = 1,
    Cwd = 2,
    Cgroup = 3,
    Execute = 4,
}

/// Memory for the stack of a process that shares our address space. It is used again after that has ended: to map and unmap it
/// takes some 30 µs, in which the other threads cannot change the address space.
pub(super) struct Stack {
    start: *mut c_void,
}

/// Stacks that nobody uses.
static UNUSED: Mutex<Vec<Stack>> = Mutex::new(Vec::new());
/// So many are kept.
const KEPT: usize = 64;

// SAFETY: it is memory that belongs to nobody else, whichever thread has it.
unsafe impl Send for Stack {}

/// All signals blocked in this thread, until dropped.
pub(super) struct SignalsBlocked {
    previous: libc::sigset_t,
}

impl Launch {
    /// Refers to `image`, which must live until the child has executed.
    pub(super) fn new(image: &ExecImage, stdio: [RawFd; 3]) -> Self {
        Self {
            path: image.path.as_ptr(),
            argv: image.argv(),
            envp: image.envp(),
            cwd: image.cwd.as_ref().map_or(ptr::null(), |cwd| cwd.as_ptr()),
            stdio,
            changed_signals: Signals::changed(),
            fourth: -1,
            cgroup: -1,
            dies_with_parent: false,
            drops_capabilities: false,
            failed_step: AtomicI32::new(0),
            failure: AtomicI32::new(0),
            pid: AtomicI32::new(0),
        }
    }

    /// Where and why the child failed, if it did.
    pub(super) fn failure(&self) -> Option<(Step, io::Error)> {
        let step = match self.failed_step.load(Ordering::Acquire) {
            1 => Step::Stdio,
            2 => Step::Cwd,
            3 => Step::Cgroup,
            4 => Step::Execute,
            _ => return None,
        };
        Some((step, io::Error::from_raw_os_error(self.failure.load(Ordering::Acquire))))
    }

    /// The child's process id as `/proc` numbers it; 0 if there is no `/proc`.
    pub(super) fn pid(&self) -> u32 {
        self.pid.load(Ordering::Acquire).unsigned_abs()
    }

    fn fail(&self, step: Step, result: isize) -> c_int {
        self.failure.store(i32::try_from(-result).unwrap_or(libc::EIO), Ordering::Release);
        self.failed_step.store(step as i32, Ordering::Release);
        127
    }
}

/// Starts the program as a child of the caller and returns its process id and a descriptor for it.
///
/// The caller is suspended until the program is loaded or has failed; [`Launch::failure`] tells which. The child
/// sends no signal when it ends, so it can only be collected through its descriptor.
pub(super) fn start_child(launch: &Launch) -> io::Result<(libc::pid_t, OwnedFd)> {
    let stack = Stack::new()?;
    let _blocked = SignalsBlocked::new();
    let mut pidfd: RawFd = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD;
    // SAFETY: the stack is ours and large enough, `launch` outlives the child's use of it because CLONE_VFORK
    // suspends us until the child has executed or exited, and the child makes nothing but system calls.
    let pid = unsafe {
        libc::clone(execute, stack.top(), flags, ptr::from_ref(launch).cast_mut().cast(), &raw mut pidfd)
    };
    if pid < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us.
    Ok((pid, unsafe { OwnedFd::from_raw_fd(pidfd) }))
}

/// The child's side: from a copy of us to the program. Returns only if that fails.
pub(super) extern "C" fn execute(launch: *mut c_void) -> c_int {
    // SAFETY: whoever clones passes a `Launch` that lives until we have executed or returned.
    let launch = unsafe { &*launch.cast::<Launch>() };
    // SAFETY: every pointer in `launch` is valid until then, and each call is given what it expects.
    unsafe {
        sys!(libc::SYS_setsid);
        if launch.dies_with_parent {
            sys!(libc::SYS_prctl, libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        }
        let default = [0_u64; 4];
        for signal in launch.changed_signals.each() {
            sys!(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0, 8);
        }
        for (target, source) in launch.stdio.iter().enumerate() {
            let result = sys!(libc::SYS_dup3, *source, target, 0);
            if result < 0 {
                return launch.fail(Step::Stdio, result);
            }
        }
        sys!(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC);
        if launch.drops_capabilities {
            // The version of the call, our own process, and three empty sets of 64 bits.
            let (header, none) = ([0x2008_0522_u32, 0], [0_u32; 6]);
            sys!(libc::SYS_capset, header.as_ptr(), none.as_ptr());
        }
        if !launch.cwd.is_null() {
            let result = sys!(libc::SYS_chdir, launch.cwd);
            if result < 0 {
                return launch.fail(Step::Cwd, result);
            }
        }
        if launch.cgroup >= 0 {
            let result = sys!(libc::SYS_write, launch.cgroup, c"0".as_ptr(), 1);
            if result < 0 {
                return launch.fail(Step::Cgroup, result);
            }
        }
        if launch.fourth >= 0 {
            let result = sys!(libc::SYS_dup3, launch.fourth, FOURTH, 0);
            if result < 0 {
                return launch.fail(Step::Stdio, result);
            }
        }
        launch.pid.store(own_pid(), Ordering::Release);
        let nothing = 0_u64;
        sys!(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const nothing, 0, 8);
        let result = sys!(libc::SYS_execve, launch.path, launch.argv, launch.envp);
        launch.fail(Step::Execute, result)
    }
}

/// The caller's process id as `/proc` numbers it; 0 if there is no `/proc`.
pub(super) fn own_pid() -> i32 {
    let mut text = [0_u8; 16];
    // SAFETY: the buffer is as long as we say.
    let length = unsafe {
        sys!(libc::SYS_readlinkat, libc::AT_FDCWD, c"/proc/self".as_ptr(), text.as_mut_ptr(), text.len())
    };
    let length = usize::try_from(length).unwrap_or(0);
    text.iter().take(length).fold(0, |pid, digit| pid * 10 + i32::from(digit.wrapping_sub(b'0')))
}

impl Stack {
    const SIZE: usize = 64 * 1024;

    pub(super) fn new() -> io::Result<Self> {
        if let Some(unused) = UNUSED.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return Ok(unused);
        }
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::PRIVATE | MapFlags::STACK | MapFlags::NORESERVE;
        // SAFETY: an anonymous mapping at an address of the kernel's choice touches nothing that exists.
        let start = unsafe { mmap_anonymous(ptr::null_mut(), Self::SIZE, protection, flags) }?;
        Ok(Self { start })
    }

    /// The end of the memory, where a stack begins.
    pub(super) fn top(&self) -> *mut c_void {
        self.start.wrapping_byte_add(Self::SIZE)
    }
}

impl Drop for Stack {
    fn drop(&mut self) {
        let mut unused = UNUSED.lock().unwrap_or_else(PoisonError::into_inner);
        if unused.len() < KEPT {
            return unused.push(Self { start: self.start });
        }
        drop(unused);
        // SAFETY: the mapping is ours, and whoever ran on it has ended.
        let _ = unsafe { munmap(self.start, Self::SIZE) };
    }
}

impl SignalsBlocked {
    pub(super) fn new() -> Self {
        // SAFETY: both sets are plain memory that the calls fill.
        unsafe {
            let mut all = std::mem::zeroed();
            let mut previous = std::mem::zeroed();
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut previous);
            Self { previous }
        }
    }
}

impl Drop for SignalsBlocked {
    fn drop(&mut self) {
        // SAFETY: the set was filled when we blocked.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.previous, ptr::null_mut());
        }
    }
}
