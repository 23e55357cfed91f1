//! Running on a small stack.

use std::thread;

/// What threads get by default, and so the least that a parser has to get by with.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// Runs `work` on a thread with the stack of any other thread, not on that of the main one, which is larger.
///
/// # Errors
/// What `work` panicked with.
///
/// # Panics
/// If the system has no thread to give.
pub fn on_small_stack<T: Send>(name: &str, work: impl FnOnce() -> T + Send) -> thread::Result<T> {
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES);
        builder.spawn_scoped(scope, work).expect("the system gives a thread").join()
    })
}
