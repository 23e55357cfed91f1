//! Finding and killing the children of a process, without the heap.
#![expect(unsafe_code, reason = "it runs in the guard, which may only make system calls")]

use super::raw::sys;

/// Kills every process whose parent is `own`. None of them is reaped meanwhile, so no number changes hands.
pub(super) fn kill_children(own: i32) {
    let mut entries = [0_u8; 4096];
    // SAFETY: each call is given a buffer of the length that it is told, or a static name.
    unsafe {
        let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
        let proc = sys!(libc::SYS_openat, libc::AT_FDCWD, c"/proc".as_ptr(), flags);
        if proc < 0 {
            return;
        }
        loop {
            let length = sys!(libc::SYS_getdents64, proc, entries.as_mut_ptr(), entries.len());
            let Some(filled) = usize::try_from(length).ok().filter(|&n| n > 0).and_then(|n| entries.get(..n))
            else {
                break;
            };
            for pid in PidEntries(filled) {
                if parent_of(proc, pid) == Some(own) {
                    sys!(libc::SYS_kill, pid, libc::SIGKILL);
                }
            }
        }
        sys!(libc::SYS_close, proc);
    }
}

/// The parent of a process.
fn parent_of(proc: isize, pid: i32) -> Option<i32> {
    let mut name = [0_u8; 24];
    let mut position = 0;
    let mut rest = pid;
    while rest > 0 {
        position += 1;
        rest /= 10;
    }
    name.get_mut(position..position + 5)?.copy_from_slice(b"/stat");
    rest = pid;
    while rest > 0 {
        position -= 1;
        *name.get_mut(position)? = b'0' + u8::try_from(rest % 10).ok()?;
        rest /= 10;
    }
    let mut text = [0_u8; 512];
    // SAFETY: the name ends with a NUL, and the buffer is as long as we say.
    let length = unsafe {
        let file = sys!(libc::SYS_openat, proc, name.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let length = sys!(libc::SYS_read, file, text.as_mut_ptr(), text.len());
        sys!(libc::SYS_close, file);
        length
    };
    parent_in_stat(text.get(..usize::try_from(length).ok()?)?)
}

/// Reads the fourth field of a `/proc/PID/stat`. The second is a name in parentheses that may contain anything.
fn parent_in_stat(text: &[u8]) -> Option<i32> {
    let name_end = text.iter().rposition(|&byte| byte == b')')?;
    let mut fields = text.get(name_end + 1..)?.split(|&byte| byte == b' ').filter(|field| !field.is_empty());
    fields.nth(1).and_then(number)
}

fn number(digits: &[u8]) -> Option<i32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_i32, |value, digit| {
        let digit = digit.is_ascii_digit().then(|| i32::from(digit - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    })
}

/// The numeric names in what `getdents64` has given.
struct PidEntries<'a>(&'a [u8]);

impl Iterator for PidEntries<'_> {
    type Item = i32;

    fn next(&mut self) -> Option<i32> {
        loop {
            let length = usize::from(u16::from_ne_bytes([*self.0.get(16)?, *self.0.get(17)?]));
            let (entry, rest) = self.0.split_at_checked(length).filter(|_| length > 19)?;
            self.0 = rest;
            let name = entry.get(19..)?.split(|&byte| byte == 0).next()?;
            if let Some(pid) = number(name) {
                return Some(pid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use super::*;

    #[test]
    fn a_parent_is_read_whatever_the_name() {
        let check = |text: &str, expect| assert_eq!(parent_in_stat(text.as_bytes()), expect, "{text}");
        check("12 (sh) S 7 12 12 0", Some(7));
        check("12 (a) R 1 (b) c) S 7 12", Some(7));
        check("12 ()) Z 1 0", Some(1));
        check("12 (sh", None);
        check("12 (sh) S", None);
        check("", None);
    }

    #[test]
    fn our_own_parent_is_found() {
        let proc = std::fs::File::open("/proc").unwrap();
        let own = i32::try_from(std::process::id()).unwrap();
        let expect = i32::try_from(std::os::unix::process::parent_id()).unwrap();
        assert_eq!(parent_of(proc.as_raw_fd() as isize, own), Some(expect));
    }
}
