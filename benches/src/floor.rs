//! The least that any implementation has to do.
#![expect(unsafe_code, reason = "the floor is the C library's call itself")]

use std::ffi::CStr;
use std::ptr;

use crate::Result;

/// Starts a program with `posix_spawn`, without arguments, environment or pipes, and waits for it.
pub(crate) fn spawn_and_wait(program: &CStr) -> Result<()> {
    let mut pid = 0;
    let arguments = [program.as_ptr().cast_mut(), ptr::null_mut()];
    let environment = [ptr::null_mut()];
    // SAFETY: the lists end with a null pointer, and both calls only write to the variables they are given.
    let status = unsafe {
        let error = libc::posix_spawn(
            &raw mut pid,
            program.as_ptr(),
            ptr::null(),
            ptr::null(),
            arguments.as_ptr(),
            environment.as_ptr(),
        );
        if error != 0 {
            return Err(std::io::Error::from_raw_os_error(error).into());
        }
        let mut status = 0;
        libc::waitpid(pid, &raw mut status, 0);
        status
    };
    if status == 0 { Ok(()) } else { Err(format!("the floor ended with wait status {status}").into()) }
}
