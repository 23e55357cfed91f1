//! Turning the signals that ask a program to end into a cancellation.
#![expect(unsafe_code, reason = "signal masks are only to be had from the C library")]

use std::io;

use crate::CancelToken;

/// A token that SIGINT, SIGTERM or SIGHUP cancels. A second one ends the program at once.
///
/// It must be called before the program starts threads: they would still receive the signals themselves.
///
/// # Errors
/// If there is no descriptor or thread left.
pub fn cancel_on_interrupt() -> io::Result<CancelToken> {
    let token = CancelToken::new()?;
    let signals = block([libc::SIGINT, libc::SIGTERM, libc::SIGHUP]);
    let cancelled = token.clone();
    std::thread::Builder::new().name("interrupt".to_owned()).stack_size(64 * 1024).spawn(move || {
        wait(&signals);
        cancelled.cancel();
        std::process::exit(128 + wait(&signals));
    })?;
    Ok(token)
}

fn block(signals: [i32; 3]) -> libc::sigset_t {
    // SAFETY: the set is plain memory that the calls fill.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in signals {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        set
    }
}

fn wait(signals: &libc::sigset_t) -> i32 {
    let mut signal = 0;
    // SAFETY: both are plain memory; the call fails only for a set that is not one.
    unsafe { libc::sigwait(signals, &raw mut signal) };
    signal
}
