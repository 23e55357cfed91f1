use std::time::Duration;

use lillux::CancelToken;
use lillux::process::{Channel, Ending, Mechanism, ProcessEvent, RunRequest, run, run_with};

use super::sh;

const ALL: [Mechanism; 4] =
    [Mechanism::PidNamespace, Mechanism::Cgroup, Mechanism::Subreaper, Mechanism::ProcessGroup];

#[test]
fn every_mechanism_runs_a_program() {
    for mechanism in ALL {
        let request = sh("cat; echo err >&2; exit 3").stdin("hello").containment([mechanism]);
        let outcome = run(&request).unwrap();
        assert_eq!(outcome.ending, Ending::Exited { code: 3 }, "{mechanism:?}");
        assert_eq!(outcome.stdout.bytes, b"hello");
        assert_eq!(outcome.stderr.bytes, b"err\n");
        assert_eq!(outcome.containment, mechanism);
    }
}

#[test]
fn a_signal_is_not_an_exit_code() {
    for mechanism in ALL {
        let outcome = run(&sh("kill -SEGV $$").containment([mechanism])).unwrap();
        assert_eq!(outcome.ending, Ending::Signaled { signal: 11 }, "{mechanism:?}");
    }
}

#[test]
fn the_environment_is_exactly_what_is_given() {
    let request = RunRequest::new("/usr/bin/env").env("A", "1").env("B", "x=y\nz").env("A", "2");
    assert_eq!(run(&request).unwrap().stdout.bytes, b"A=2\nB=x=y\nz\n");
    assert_eq!(run(&RunRequest::new("/usr/bin/env")).unwrap().stdout.bytes, b"");
}

#[test]
fn the_working_directory_is_the_one_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let outcome = run(&sh("pwd -P").cwd(&path)).unwrap();
    assert_eq!(String::from_utf8(outcome.stdout.bytes).unwrap().trim_end(), path.to_str().unwrap());
    std::os::unix::fs::symlink("/bin/sh", path.join("shell")).unwrap();
    let relative = RunRequest::new("./shell").args(["-c", "echo here"]).cwd(&path);
    assert_eq!(run(&relative).unwrap().stdout.bytes, b"here\n");
}

#[test]
fn the_program_starts_with_clean_signals_and_descriptors() {
    // A descriptor that we forgot to mark must not reach the program, and an ignored signal must not stay so.
    let leak = std::fs::File::open("/dev/zero").unwrap();
    rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
    for mechanism in ALL {
        let request =
            sh("ls /proc/self/fd; grep -E '^Sig(Blk|Ign)' /proc/self/status").containment([mechanism]);
        let text = String::from_utf8(run(&request).unwrap().stdout.bytes).unwrap();
        let expect = "0\n1\n2\n3\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n";
        assert_eq!(text, expect, "{mechanism:?}: 3 is the folder that ls reads");
    }
}

#[test]
fn events_tell_the_story_in_order() {
    let mut story = Vec::new();
    let outcome = run_with(&sh("echo out; echo err >&2; exit 1"), None, &mut |event| {
        story.push(match event {
            ProcessEvent::Started { .. } => "started".to_owned(),
            ProcessEvent::Output { channel, bytes } => {
                format!("{channel:?} {}", String::from_utf8_lossy(bytes))
            }
            ProcessEvent::GoesOn => "goes on".to_owned(),
            ProcessEvent::Exited { ending } => format!("{ending:?}"),
        });
    });
    assert_eq!(outcome.unwrap().ending, Ending::Exited { code: 1 });
    assert_eq!(story, ["started", "Stdout out\n", "Stderr err\n", "Exited { code: 1 }"]);
}

#[test]
fn that_a_run_goes_on_is_told_once_and_only_if_it_does() {
    let told = |script: &str, notice: Duration| {
        let mut story = Vec::new();
        let request = RunRequest { notice: Some(notice), ..sh(script) };
        let outcome = run_with(&request, None, &mut |event| match event {
            ProcessEvent::GoesOn => story.push("goes on"),
            ProcessEvent::Output { .. } => story.push("output"),
            ProcessEvent::Started { .. } | ProcessEvent::Exited { .. } => {}
        });
        assert_eq!(outcome.unwrap().ending, Ending::Exited { code: 0 });
        story
    };
    assert_eq!(told("echo", Duration::from_secs(1000)), ["output"]);
    assert_eq!(told("sleep 0.3; echo; sleep 0.3", Duration::from_millis(10)), ["goes on", "output"]);
}

#[test]
fn the_process_id_is_the_one_that_proc_shows() {
    for mechanism in ALL {
        let mut told = 0;
        let request = RunRequest::new("/bin/readlink").args(["/proc/self"]).containment([mechanism]);
        let outcome = run_with(&request, None, &mut |event| {
            if let ProcessEvent::Started { pid, .. } = event {
                told = pid;
            }
        });
        assert_eq!(outcome.unwrap().stdout.bytes, format!("{told}\n").into_bytes(), "{mechanism:?}");
    }
}

#[test]
fn cancelling_ends_the_run() {
    for mechanism in ALL {
        let token = CancelToken::new().unwrap();
        let request = sh("echo ready; sleep 1000").containment([mechanism]);
        let outcome = run_with(&request, Some(&token), &mut |event| {
            if matches!(event, ProcessEvent::Output { channel: Channel::Stdout, .. }) {
                token.cancel();
            }
        });
        assert_eq!(outcome.unwrap().ending, Ending::Cancelled { killed: false }, "{mechanism:?}");
        let late = run_with(&request, Some(&token), &mut |_| {}).unwrap();
        assert_eq!(late.ending, Ending::Cancelled { killed: false }, "{mechanism:?}");
    }
}

#[test]
fn termination_is_polite_first() {
    let polite = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.01; done";
    let stubborn = "trap '' TERM; echo ready; while :; do sleep 0.01; done";
    for mechanism in ALL {
        let limit = Duration::from_millis(300);
        let request =
            |script| sh(script).timeout(limit).grace(Duration::from_millis(200)).containment([mechanism]);
        let outcome = run(&request(polite)).unwrap();
        assert_eq!(outcome.ending, Ending::TimedOut { limit, killed: false }, "{mechanism:?}");
        assert_eq!(outcome.stdout.bytes, b"ready\nbye\n", "{mechanism:?}");
        let outcome = run(&request(stubborn)).unwrap();
        assert_eq!(outcome.ending, Ending::TimedOut { limit, killed: true }, "{mechanism:?}");
    }
}

#[test]
fn many_runs_at_once_do_not_disturb_each_other() {
    let before = descriptors();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            scope.spawn(move || {
                for round in 0..25 {
                    let text = format!("{thread} {round}");
                    let outcome = run(&RunRequest::new("/bin/cat").stdin(text.clone())).unwrap();
                    assert_eq!(outcome.stdout.bytes, text.as_bytes());
                }
            });
        }
    });
    // Other tests open descriptors too, but not four hundred times as many.
    assert!(descriptors() < before + 200, "{before} descriptors before, {} after", descriptors());
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}
