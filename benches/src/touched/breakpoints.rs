//! A debugger that only asks where a program comes by.
#![expect(unsafe_code, reason = "the debugger's interface is the C library's call itself")]

use std::collections::BTreeSet;
use std::fs::{File, read_dir, read_link, read_to_string};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::ptr;

use libc::c_int;

use crate::Result;

/// Whoever a program starts is followed, and ends with us.
const OPTIONS: c_int = libc::PTRACE_O_EXITKILL
    | libc::PTRACE_O_TRACECLONE
    | libc::PTRACE_O_TRACEEXEC
    | libc::PTRACE_O_TRACEFORK
    | libc::PTRACE_O_TRACEVFORK;
/// The instruction that stops a program.
const STOP: u8 = 0xCC;

/// Runs a program, and tells which of these addresses in its file it comes by, together with processes that share its
/// memory.
pub(super) fn entered(mut command: Command, addresses: &[u64]) -> Result<BTreeSet<u64>> {
    // SAFETY: between `fork` and `exec` nothing happens but a system call.
    unsafe { command.pre_exec(|| ptrace(libc::PTRACE_TRACEME, 0, 0).map(drop)) };
    let pid = i32::try_from(command.spawn()?.id())?;
    wait(pid)?;
    ptrace(libc::PTRACE_SETOPTIONS, pid, usize::try_from(OPTIONS)?)?;
    follow(&[pid], addresses)
}

/// The same for a program that runs already, from now on.
pub(super) fn entered_by(pid: u32, addresses: &[u64]) -> Result<BTreeSet<u64>> {
    let mut threads = vec![i32::try_from(pid)?];
    for thread in read_dir(format!("/proc/{pid}/task"))? {
        let thread = thread?.file_name().to_string_lossy().parse()?;
        if !threads.contains(&thread) {
            threads.push(thread);
        }
    }
    for thread in &threads {
        ptrace(libc::PTRACE_SEIZE, *thread, usize::try_from(OPTIONS)?)?;
        ptrace(libc::PTRACE_INTERRUPT, *thread, 0)?;
        wait(*thread)?;
    }
    follow(&threads, addresses)
}

/// Lets threads go on that have been stopped, the first of which is the program's first one, until nobody is left.
fn follow(threads: &[i32], addresses: &[u64]) -> Result<BTreeSet<u64>> {
    let memory = Memory::plant(threads[0], addresses)?;
    let mut met = BTreeSet::new();
    for thread in threads {
        ptrace(libc::PTRACE_CONT, *thread, 0)?;
    }
    // It fails when nobody is left.
    while let Ok((stopped, status)) = wait(-1) {
        if !libc::WIFSTOPPED(status) {
            continue;
        }
        let signal = libc::WSTOPSIG(status);
        let result = match (signal, status >> 16) {
            // What a new program does is its own business.
            (libc::SIGTRAP, libc::PTRACE_EVENT_EXEC) => ptrace(libc::PTRACE_DETACH, stopped, 0),
            (libc::SIGTRAP, 0) => {
                met.insert(memory.pass(stopped)?);
                ptrace(libc::PTRACE_CONT, stopped, 0)
            }
            // A new process stops before its first instruction.
            (libc::SIGTRAP | libc::SIGSTOP, _) => ptrace(libc::PTRACE_CONT, stopped, 0),
            (other, _) => ptrace(libc::PTRACE_CONT, stopped, usize::try_from(other)?),
        };
        // Whoever was killed in between is not there any more.
        let _ = result;
    }
    Ok(met)
}

/// The memory of a program, with an instruction that stops it at each address.
struct Memory {
    file: File,
    base: u64,
    first: u64,
    code: Vec<u8>,
}

impl Memory {
    fn plant(pid: i32, addresses: &[u64]) -> Result<Self> {
        let (Some(&first), Some(&last)) = (addresses.first(), addresses.last()) else {
            return Err("there are no functions".into());
        };
        let program = read_link(format!("/proc/{pid}/exe"))?.to_string_lossy().into_owned();
        let maps = read_to_string(format!("/proc/{pid}/maps"))?;
        let own = maps.lines().find(|line| line.ends_with(&program)).ok_or("the program is nowhere")?;
        let base = u64::from_str_radix(own.split('-').next().unwrap_or_default(), 16)?;
        let file = File::options().read(true).write(true).open(format!("/proc/{pid}/mem"))?;
        let mut code = vec![0; usize::try_from(last - first + 1)?];
        file.read_exact_at(&mut code, base + first)?;
        let mut planted = code.clone();
        for address in addresses {
            planted[usize::try_from(address - first)?] = STOP;
        }
        file.write_all_at(&planted, base + first)?;
        Ok(Self { file, base, first, code })
    }

    /// Has a process that was stopped do what stood there, and tells where that was.
    fn pass(&self, pid: i32) -> Result<u64> {
        // SAFETY: the registers are plain numbers, and the call fills them.
        let mut registers = unsafe { std::mem::zeroed::<libc::user_regs_struct>() };
        let place = (&raw mut registers).addr();
        ptrace(libc::PTRACE_GETREGS, pid, place)?;
        registers.rip -= 1;
        let address = registers.rip - self.base;
        let original = self.code.get(usize::try_from(address - self.first)?);
        let original = *original.ok_or("it has stopped where nobody has stopped it")?;
        self.file.write_all_at(&[original], registers.rip)?;
        ptrace(libc::PTRACE_SETREGS, pid, place)?;
        Ok(address)
    }
}

fn ptrace(request: libc::c_uint, pid: i32, data: usize) -> io::Result<()> {
    // SAFETY: the requests that are made here write to nothing but registers that the caller has.
    let result = unsafe { libc::ptrace(request, pid, ptr::null_mut::<libc::c_void>(), data) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn wait(pid: i32) -> io::Result<(i32, c_int)> {
    let mut status = 0;
    // SAFETY: it only writes to the variable.
    let stopped = unsafe { libc::waitpid(pid, &raw mut status, libc::__WALL) };
    if stopped == -1 { Err(io::Error::last_os_error()) } else { Ok((stopped, status)) }
}
