//! Having Valgrind count.

use std::path::Path;

use crate::error::TaskError;
use crate::invocation::Invocation;

/// The function of the harness in which is counted.
const COUNTED: &str = "--toggle-collect=*::counted*";

/// How many instructions a case takes.
pub(super) fn count(harness: &Path, case: &str) -> Result<u64, TaskError> {
    // What a user has in their environment is no part of the input: the search for an interpreter goes through all of PATH.
    let said = Invocation::new("env")
        .args(["-i", "PATH=/usr/bin:/bin", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args([COUNTED, "--log-fd=1"])
        .arg(harness)
        .args(["--count", case])
        .in_folder(Path::new("/"))
        .read()?;
    collected(&said)
        .ok_or_else(|| TaskError::Arguments(format!("valgrind has not counted `{case}`:\n{said}")))
}

/// The number in the line `==123== Collected : 456`. Nothing is counted if the function has no such name any more.
fn collected(said: &str) -> Option<u64> {
    let number = said.lines().find_map(|line| line.split_once("Collected : "))?.1;
    number.trim().parse().ok().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_in_its_line() {
        assert_eq!(collected("==1== Callgrind\n==1== \n==1== Collected : 1180401\n"), Some(1_180_401));
        assert_eq!(collected("==1== Collected : 0\n"), None);
        assert_eq!(collected("valgrind: no such program"), None);
    }
}
