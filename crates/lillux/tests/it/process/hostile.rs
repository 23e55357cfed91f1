use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lillux::process::{Ending, Mechanism, RunRequest, run};

use super::CONTAINING;

/// Runs the hostile program with each mechanism until it has attacked `count` times, and looks for what is left.
fn attack(
    name: &str,
    count: usize,
    prepare: impl Fn(RunRequest) -> RunRequest,
    expect: impl Fn(&Ending) -> bool + Sync,
) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/process/hostile.pl");
    for mechanism in CONTAINING {
        let marker = format!("lillux-hostile-{name}-{}-{}", mechanism.name(), std::process::id());
        let request = RunRequest::new("/usr/bin/perl").args([script, &marker]).containment([mechanism]);
        let request = prepare(request.grace(Duration::from_millis(30)));
        let attacks = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while attacks.load(Ordering::Relaxed) < count {
                        let outcome = run(&request).unwrap();
                        assert!(expect(&outcome.ending), "{mechanism:?}: {outcome:?}");
                        // On a machine under load the time may be up before the program is.
                        let ready = outcome.stdout.bytes.windows(6).any(|bytes| bytes == b"ready\n");
                        attacks.fetch_add(usize::from(ready), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(survivors(&marker), Vec::<String>::new(), "{mechanism:?}");
    }
    assert_no_zombies();
}

#[test]
fn nothing_survives_a_timeout() {
    let limit = Duration::from_millis(200);
    let prepare = |request: RunRequest| request.timeout(limit);
    attack("timeout", 200, prepare, |ending| matches!(ending, Ending::TimedOut { .. }));
}

#[test]
fn nothing_survives_the_programs_own_exit() {
    let prepare = |request: RunRequest| request.args(["--exit"]);
    attack("exit", 50, prepare, Ending::is_success);
}

#[test]
fn a_program_cannot_kill_the_init_process_of_its_namespace() {
    let script = "kill -9 $PPID; kill -STOP $PPID; sleep 0.05; echo alive";
    let outcome = run(&super::sh(script).containment([Mechanism::PidNamespace])).unwrap();
    assert!(outcome.ending.is_success());
    assert_eq!(outcome.stdout.bytes, b"alive\n");
}

#[test]
fn a_guard_that_is_killed_is_an_error_and_not_a_result() {
    for mechanism in [Mechanism::Cgroup, Mechanism::Subreaper] {
        // The program may be faster than the guard, which then dies before it has said that there is a program.
        for _ in 0..50 {
            let error = run(&super::sh("kill -9 $PPID; sleep 0.01").containment([mechanism])).unwrap_err();
            let expect = format!("the guard of the run was killed; containment was {}", mechanism.name());
            assert_eq!(error.kind().to_string(), expect);
        }
    }
}

/// Command lines of live processes that carry the marker.
pub(super) fn survivors(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(marker) {
            found.push(format!("{}: {line}", entry.path().display()));
        }
    }
    found
}

/// A child of another test may be a zombie for a moment, but none stays one.
pub(super) fn assert_no_zombies() {
    for _ in 0..1000 {
        let own = std::process::id().to_string();
        let zombie = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            fields.next() == Some("Z") && fields.next() == Some(&own)
        });
        if !zombie {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("a zombie of ours stays");
}
