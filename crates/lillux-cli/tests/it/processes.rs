//! What runs on this machine, by the words on its command line.

use crate::patience::happens;

/// A script whose descendants do not want to die.
pub(crate) const HOSTILE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../lillux/tests/it/process/hostile.pl");

/// How many processes the script has when it is ready, at least.
pub(crate) const HOSTILE_COUNT: usize = 5;

/// Command lines that have `marker` as an argument.
pub(crate) fn marked(marker: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines
        .filter(|line| line.split(|&byte| byte == 0).any(|arg| arg == marker.as_bytes()))
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .collect()
}

/// Waits until the hostile script has all its descendants.
pub(crate) fn await_hostile(marker: &str) {
    let is_script = |line: &String| line.starts_with("perl ");
    let count = || marked(marker).iter().filter(|line| is_script(line)).count();
    assert!(happens(|| count() >= HOSTILE_COUNT), "the script did not start: {:?}", marked(marker));
}

/// Waits until no process has the marker.
pub(crate) fn assert_gone(marker: &str) {
    assert!(happens(|| marked(marker).is_empty()), "survivors: {:?}", marked(marker));
}
