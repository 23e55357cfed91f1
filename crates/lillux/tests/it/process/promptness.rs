//! Whoever waits for a program has short turns, and the program has those of everybody else.

use lillux::process::{RunRequest, run};

/// How long a turn is, as the kernel tells, if it does.
fn turn(text: &str) -> Option<String> {
    let line = text.lines().find(|line| line.starts_with("se.slice"))?;
    line.split_whitespace().last().map(str::to_owned)
}

#[test]
fn what_is_started_has_the_turns_of_everybody_else() {
    let own = || turn(&std::fs::read_to_string("/proc/thread-self/sched").unwrap_or_default());
    let usual = std::thread::spawn(own).join().unwrap();
    let look =
        RunRequest::new("/bin/sh").args(["-c", "cat /proc/self/sched; true"]).env("PATH", "/usr/bin:/bin");
    for _ in 0..2 {
        let outcome = run(&look).unwrap();
        assert_eq!(turn(&String::from_utf8(outcome.stdout.bytes).unwrap()), usual);
    }
}
