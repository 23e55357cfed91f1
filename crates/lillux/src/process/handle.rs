//! A name for a process that stays true when its number is given to another.

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::str::FromStr;
use std::sync::OnceLock;

use rustix::process::{Pid, PidfdFlags, pidfd_open};

/// A process, named by its number and the moment of its start, within one boot of the machine.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessHandle {
    /// The process id.
    pub pid: u32,
    /// When it started, in clock ticks since the machine did.
    pub start_ticks: u64,
    /// The machine's boot, as `/proc/sys/kernel/random/boot_id` names it.
    pub boot_id: String,
}

/// A text that is not a handle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a process handle: expected PID:START_TICKS:BOOT_ID")]
pub struct ParseHandleError {
    text: String,
}

/// What `/proc` says about a process that we hold a descriptor of.
pub(super) struct Observation {
    pub(super) start_ticks: u64,
    pub(super) zombie: bool,
}

impl ProcessHandle {
    /// Ourselves.
    ///
    /// # Errors
    /// If `/proc` cannot be read.
    pub fn current() -> io::Result<Self> {
        // It stays what it is for as long as we live.
        static CURRENT: OnceLock<ProcessHandle> = OnceLock::new();
        if let Some(known) = CURRENT.get() {
            return Ok(known.clone());
        }
        let stat = std::fs::read("/proc/self/stat")?;
        let seen = parse_stat(&stat).ok_or(io::ErrorKind::InvalidData)?;
        let current =
            Self { pid: std::process::id(), start_ticks: seen.start_ticks, boot_id: boot_id()?.to_owned() };
        Ok(CURRENT.get_or_init(|| current).clone())
    }

    /// Opens the process, if it is still the one that was meant.
    pub(super) fn open(&self) -> io::Result<Option<(OwnedFd, Observation)>> {
        if self.boot_id != boot_id()? {
            return Ok(None);
        }
        let Some(pid) = i32::try_from(self.pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
        let pidfd = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(pidfd) => pidfd,
            Err(rustix::io::Errno::SRCH | rustix::io::Errno::INVAL) => return Ok(None),
            Err(errno) => return Err(errno.into()),
        };
        let observed = observe(&pidfd)?.filter(|seen| seen.start_ticks == self.start_ticks);
        Ok(observed.map(|seen| (pidfd, seen)))
    }

    /// Looks at the process from within a PID namespace that it is not in. It cannot be opened from there, but `/proc` may
    /// be that of the namespace outside, and then shows it under its number.
    pub(super) fn look_outside(&self) -> io::Result<Option<Observation>> {
        let own_number = std::fs::read_link("/proc/self")?;
        if own_number.as_os_str() == std::process::id().to_string().as_str() || self.boot_id != boot_id()? {
            return Ok(None);
        }
        let Some(stat) = read_stat(self.pid.into())? else { return Ok(None) };
        Ok(parse_stat(&stat).filter(|seen| seen.start_ticks == self.start_ticks))
    }
}

impl fmt::Display for ProcessHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.pid, self.start_ticks, self.boot_id)
    }
}

impl FromStr for ProcessHandle {
    type Err = ParseHandleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (pid, rest) = text.split_once(':')?;
            let (start_ticks, boot_id) = rest.split_once(':')?;
            let boot_id_is_sound =
                boot_id.len() == 36 && boot_id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
            let handle = Self {
                pid: pid.parse().ok()?,
                start_ticks: start_ticks.parse().ok()?,
                boot_id: boot_id.to_owned(),
            };
            // One process has one name: `007` is not another way to write 7.
            (boot_id_is_sound && handle.pid > 0 && handle.to_string() == text).then_some(handle)
        };
        parse().ok_or_else(|| ParseHandleError { text: text.to_owned() })
    }
}

/// The name of the machine's current boot.
///
/// # Errors
/// If `/proc` cannot be read.
pub fn boot_id() -> io::Result<&'static str> {
    // It stays what it is for as long as we live.
    static BOOT: OnceLock<String> = OnceLock::new();
    if let Some(known) = BOOT.get() {
        return Ok(known);
    }
    let name = std::fs::read_to_string("/proc/sys/kernel/random/boot_id")?;
    Ok(BOOT.get_or_init(|| name.trim().to_owned()))
}

/// Looks at the process behind a descriptor; nothing if it is gone.
///
/// `/proc` may number processes differently than we do, so its number is asked of the descriptor.
pub(super) fn observe(pidfd: &OwnedFd) -> io::Result<Option<Observation>> {
    let number = || -> io::Result<Option<i64>> {
        let text = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", pidfd.as_raw_fd()))?;
        Ok(text
            .lines()
            .find_map(|line| line.strip_prefix("Pid:")?.trim().parse().ok())
            .filter(|&pid| pid > 0))
    };
    let Some(pid) = number()? else { return Ok(None) };
    let Some(stat) = read_stat(pid)? else { return Ok(None) };
    // If the process is still there now, then what was just read is about it.
    if number()? != Some(pid) {
        return Ok(None);
    }
    Ok(parse_stat(&stat))
}

/// What `/proc` says about a process; nothing if it has none of this number.
fn read_stat(pid: i64) -> io::Result<Option<Vec<u8>>> {
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => Ok(Some(stat)),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::ESRCH)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Reads the third and the twenty-second field. The second is a name in parentheses that may contain anything.
fn parse_stat(stat: &[u8]) -> Option<Observation> {
    let name_end = stat.iter().rposition(|&byte| byte == b')')?;
    let rest = str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X");
    Some(Observation { zombie, start_ticks: fields.nth(18)?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_round_trip() {
        let handle = ProcessHandle { pid: 7, start_ticks: 99, boot_id: boot_id().unwrap().to_owned() };
        assert_eq!(handle.to_string().parse(), Ok(handle));
        for text in [
            "",
            "7",
            "7:9",
            "0:9:00000000-0000-0000-0000-000000000000",
            "7:x:y",
            "7:9:../../x",
            "007:9:01234567-89ab-cdef-0123-456789abcdef",
        ] {
            assert!(text.parse::<ProcessHandle>().is_err(), "{text}");
        }
    }

    #[test]
    fn we_run_ourselves() {
        let current = ProcessHandle::current().unwrap();
        let (_, seen) = current.open().unwrap().unwrap();
        assert!(!seen.zombie);
        let other = ProcessHandle { start_ticks: current.start_ticks + 1, ..current };
        assert!(other.open().unwrap().is_none());
    }

    #[test]
    fn a_stat_line_is_read_whatever_the_name() {
        let line = b"42 (x) Z 1) (y)) S 1 42 42 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 777 0 0";
        let seen = parse_stat(line).unwrap();
        assert_eq!((seen.start_ticks, seen.zombie), (777, false));
        assert!(parse_stat(b"42 (x").is_none());
    }
}
