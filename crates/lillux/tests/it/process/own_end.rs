//! Programs whose end we notice ourselves, after a first run has shown that the kernel keeps how a process ended.

use std::path::Path;

use lillux::process::{Ending, Mechanism, Remains, RunOutcome, RunRequest, run, run_leaving};

use super::hostile::survivors;
use super::sh;

fn leaving(request: RunRequest) -> (RunOutcome, Remains) {
    run(&sh("exit 0")).unwrap();
    run_leaving(&request.containment([Mechanism::PidNamespace]), None, None, &mut |_| {}).unwrap()
}

/// Whether the kernel keeps how a process ended, and of a process with threads the right thing.
fn kernel_keeps_endings() -> bool {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let numbers: Vec<u32> = release.split(['.', '-']).map_while(|text| text.parse().ok()).collect();
    numbers >= vec![6, 16]
}

#[test]
fn the_guard_of_a_program_that_was_alone_goes_when_nobody_waits_for_that() {
    let (outcome, remains) = leaving(sh("read -r stat < /proc/self/stat; echo \"${stat##*) }\""));
    let fields = String::from_utf8(outcome.stdout.bytes).unwrap();
    let guard = Path::new("/proc").join(fields.split(' ').nth(1).unwrap());
    assert_eq!(guard.exists(), kernel_keeps_endings(), "{}", guard.display());
    drop(remains);
    assert!(!guard.exists(), "{}", guard.display());
}

#[test]
fn nobody_is_left_when_a_program_was_not_alone() {
    let others = [
        ("an orphan", "sleep 7341 & exit 4"),
        ("one in a session of its own", "setsid sleep 7341 & exit 4"),
        ("the child of one that has ended", "(setsid sleep 7341 &); exit 4"),
        ("one in another namespace", "unshare --fork --pid sleep 7341 & sleep 0.2; exit 4"),
    ];
    for (what, script) in others {
        let (outcome, remains) = leaving(sh(script));
        assert_eq!(survivors("sleep 7341"), Vec::<String>::new(), "{what}");
        assert_eq!(outcome.ending, Ending::Exited { code: 4 }, "{what}");
        drop(remains);
    }
}

#[test]
fn a_sibling_that_a_program_makes_ends_with_the_run() {
    // What `fork` does, but for a child that has the parent of the program as its own.
    let (call, flags) = (libc::SYS_clone, libc::CLONE_PARENT | libc::SIGCHLD);
    let script = format!(
        "import ctypes, os, time\n\
        child = ctypes.CDLL(None).syscall({call}, {flags}, 0, 0, 0, 0)\n\
        os.execvp('sleep', ['sleep', '7342']) if child == 0 else time.sleep(0.2) or os._exit(5)"
    );
    let python = RunRequest::new("python3").args(["-c", &script]).env("PATH", "/usr/bin:/bin");
    let (outcome, remains) = leaving(python);
    assert_eq!(survivors("sleep 7342"), Vec::<String>::new());
    assert_eq!(outcome.ending, Ending::Exited { code: 5 }, "{outcome:?}");
    drop(remains);
}

#[test]
fn a_program_ended_as_its_last_thread_says() {
    let script = "import ctypes, os, threading, time\n\
        def end():\n    time.sleep(0.05)\n    os._exit(3)\n\
        threading.Thread(target=end).start()\n\
        ctypes.CDLL(None).pthread_exit(None)";
    let python = RunRequest::new("python3").args(["-c", script]).env("PATH", "/usr/bin:/bin");
    let (outcome, remains) = leaving(python);
    assert_eq!(outcome.ending, Ending::Exited { code: 3 }, "{outcome:?}");
    drop(remains);
}

#[test]
fn signals_are_told_as_such() {
    for (name, signal) in [("KILL", 9), ("TERM", 15), ("SEGV", 11)] {
        let (outcome, remains) = leaving(sh(&format!("kill -{name} $$")));
        assert_eq!(outcome.ending, Ending::Signaled { signal });
        drop(remains);
    }
}
