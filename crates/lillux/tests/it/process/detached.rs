use std::path::Path;
use std::time::Duration;

use lillux::process::{
    KillOutcome, ProcessHandle, ProcessStatus, RunRequest, SpawnRequest, kill, run, spawn, status,
};

fn detached(script: &str, log: Option<&Path>) -> SpawnRequest {
    SpawnRequest {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        cwd: None,
        env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
        log: log.map(Into::into),
    }
}

fn wait_until(mut condition: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if condition() {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it did not happen");
}

#[test]
fn a_detached_program_lives_until_it_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let handle = spawn(&detached("echo out; echo err >&2; sleep 1000 & wait", Some(&log))).unwrap();
    assert_eq!(status(&handle).unwrap(), ProcessStatus::Running);
    wait_until(|| std::fs::read_to_string(&log).unwrap() == "out\nerr\n");
    let session = std::fs::read_to_string(format!("/proc/{}/stat", handle.pid)).unwrap();
    let fields: Vec<_> = session.rsplit(')').next().unwrap().split_ascii_whitespace().collect();
    assert_eq!((fields[2], fields[3]), (handle.pid.to_string().as_str(), handle.pid.to_string().as_str()));
    assert_ne!(fields[1], std::process::id().to_string(), "its parent is not us");

    assert_eq!(kill(&handle, Duration::from_secs(5)).unwrap(), KillOutcome::Terminated);
    wait_until(|| status(&handle).unwrap() != ProcessStatus::Running);
    assert_eq!(kill(&handle, Duration::from_secs(5)).unwrap(), KillOutcome::AlreadyGone);
}

#[test]
fn one_that_ignores_the_signal_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let handle = spawn(&detached("trap '' TERM; echo ready; while :; do sleep 1; done", Some(&log))).unwrap();
    wait_until(|| std::fs::read_to_string(&log).unwrap() == "ready\n");
    assert_eq!(kill(&handle, Duration::from_millis(50)).unwrap(), KillOutcome::Killed);
    assert_ne!(status(&handle).unwrap(), ProcessStatus::Running);
}

#[test]
fn one_that_ends_at_once_still_has_a_name() {
    for _ in 0..50 {
        let handle = spawn(&detached("exit 0", None)).unwrap();
        // The machine's init process may take its time to collect it.
        wait_until(|| status(&handle).unwrap() != ProcessStatus::Running);
    }
}

#[test]
fn a_reused_number_is_somebody_else() {
    let handle = spawn(&detached("sleep 1000", None)).unwrap();
    let stranger = ProcessHandle { start_ticks: handle.start_ticks + 1, ..handle.clone() };
    let other_boot =
        ProcessHandle { boot_id: "00000000-0000-0000-0000-000000000000".into(), ..handle.clone() };
    for wrong in [&stranger, &other_boot] {
        assert_eq!(status(wrong).unwrap(), ProcessStatus::Gone);
        assert_eq!(kill(wrong, Duration::ZERO).unwrap(), KillOutcome::AlreadyGone);
    }
    assert_eq!(status(&handle).unwrap(), ProcessStatus::Running);
    kill(&handle, Duration::from_secs(5)).unwrap();
}

#[test]
fn inside_a_run_a_detached_program_ends_with_it() {
    let outcome = run(&RunRequest::new("/bin/sh")
        .args(["-c", "setsid sleep 987654 >/dev/null 2>&1 & exit 0"])
        .env("PATH", "/usr/bin:/bin"));
    assert!(outcome.unwrap().ending.is_success());
    let found = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line == b"sleep\x00987654\0")
    });
    assert!(!found, "the program outlived its run");
}
