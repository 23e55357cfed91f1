//! The least that any implementation has to do.
#![expect(unsafe_code, reason = "the floor is the C library's call itself")]

use std::ffi::{CStr, OsString};
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
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

/// The argument that makes this program tell how much memory another one needs.
pub(crate) const PEAK: &str = "--peak";

/// The most memory that a program has, in KiB. It is measured by a small process of our own: until a program is
/// loaded, it counts as having what its parent has.
#[expect(clippy::disallowed_methods, reason = "what is measured is the program, not our own way to run it")]
pub(crate) fn peak_memory(
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
    folder: &Path,
) -> Result<u64> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(PEAK).args(arguments).env_clear().envs(environment.iter().cloned()).current_dir(folder);
    Ok(String::from_utf8(command.output()?.stdout)?.trim().parse()?)
}

/// Runs a program, reads what it prints, as whoever calls a tool does, and returns the most memory it had, in KiB. A program
/// can tell where its output goes: Node.js takes milliseconds longer to write to a pipe than to nowhere.
#[expect(clippy::disallowed_methods, reason = "what is measured is the program, not our own way to run it")]
pub(crate) fn run(
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
    folder: &Path,
) -> Result<u64> {
    let (program, arguments) = arguments.split_first().ok_or("no program")?;
    let mut child = Command::new(program)
        .args(arguments)
        .env_clear()
        .envs(environment.iter().cloned())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut output) = child.stdout.take() {
        output.read_to_end(&mut Vec::new())?;
    }
    let pid = i32::try_from(child.id())?;
    // SAFETY: both results are plain memory that the call fills.
    let (status, peak) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let mut status = 0;
        libc::wait4(pid, &raw mut status, 0, &raw mut usage);
        (status, usage.ru_maxrss)
    };
    if libc::WIFEXITED(status) && libc::WEXITSTATUS(status) <= 1 {
        return Ok(peak.unsigned_abs());
    }
    Err(format!("{} ended with wait status {status}", program.display()).into())
}
