//! Turning the signals that ask a program to end into a cancellation.
#![expect(unsafe_code, reason = "signal handlers are only to be had from the C library")]

use std::ffi::c_int;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::CancelToken;
use crate::process::dispositions;

/// The descriptor of the token that the first signal cancels, until it has.
static TOKEN: AtomicI32 = AtomicI32::new(-1);

/// A token that SIGINT, SIGTERM or SIGHUP cancels. A second one ends the program at once.
///
/// It is the program's for as long as it runs: what it costs is three system calls, and no thread.
///
/// # Errors
/// If there is no descriptor left, or a handler cannot be installed.
pub fn cancel_on_interrupt() -> io::Result<CancelToken> {
    let token = CancelToken::new()?;
    TOKEN.store(token.as_fd().as_raw_fd(), Ordering::Release);
    // The handler has no claim on the descriptor, so it must never be closed.
    std::mem::forget(token.clone());
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        install(signal)?;
    }
    Ok(token)
}

fn install(signal: c_int) -> io::Result<()> {
    dispositions::catches(signal);
    let handler: extern "C" fn(c_int) = on_signal;
    // SAFETY: the action is plain memory, and its handler makes nothing but system calls.
    let result = unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(signal, &raw const action, std::ptr::null_mut())
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

extern "C" fn on_signal(signal: c_int) {
    let descriptor = TOKEN.swap(-1, Ordering::AcqRel);
    if descriptor < 0 {
        // SAFETY: it is a system call that does not return.
        unsafe { libc::_exit(128 + signal) };
    }
    // SAFETY: the token's descriptor is never closed.
    let descriptor = unsafe { BorrowedFd::borrow_raw(descriptor) };
    // Writing goes to the kernel directly, without a word to whomever we have interrupted.
    let _ = rustix::io::write(descriptor, &1_u64.to_ne_bytes());
}
