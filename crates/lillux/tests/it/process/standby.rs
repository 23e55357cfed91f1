//! Runs whose guard was made ahead.

use std::path::{Path, PathBuf};
use std::time::Duration;

use lillux::process::{Ending, Mechanism, RunErrorKind, RunOutcome, RunRequest, Standby, run_leaving};
use rustix::process::{Pid, Signal, kill_process};

use super::hostile::survivors;
use super::sh;

/// Prints the number of its parent, as `/proc` has it.
const PARENT: &str = "read -r stat < /proc/self/stat; set -- ${stat##*) }; echo $2";

fn ready() -> Standby {
    let standby = Standby::default();
    run(&in_root("exit 0"), &standby);
    standby.refill();
    standby
}

fn in_root(script: &str) -> RunRequest {
    RunRequest { cwd: Some(PathBuf::from("/")), ..sh(script) }.containment([Mechanism::PidNamespace])
}

fn run(request: &RunRequest, standby: &Standby) -> RunOutcome {
    run_leaving(request, Some(standby), None, &mut |_| {}).unwrap().0
}

fn parent_of_run(standby: &Standby) -> Option<u32> {
    let outcome = run(&in_root(PARENT), standby);
    String::from_utf8(outcome.stdout.bytes).unwrap().trim().parse().ok()
}

fn send(pid: Option<u32>, signal: Signal) {
    kill_process(Pid::from_raw(pid.unwrap().cast_signed()).unwrap(), signal).unwrap();
}

fn is_there(pid: Option<u32>) -> bool {
    Path::new("/proc").join(pid.unwrap().to_string()).exists()
}

#[test]
fn a_run_takes_the_guard_that_is_ready() {
    let standby = ready();
    let guard = standby.pid();
    standby.refill();
    assert_eq!(standby.pid(), guard);
    assert_eq!(parent_of_run(&standby), guard);
    assert_eq!(standby.pid(), None);
    assert!(!is_there(guard));
    // The guard of the next one is made for it.
    assert_ne!(parent_of_run(&standby), guard);
}

#[test]
fn where_no_run_wants_one_none_is_made() {
    let standby = Standby::default();
    standby.refill();
    assert_eq!(standby.pid(), None);
    run(&in_root("exit 0").containment([Mechanism::Subreaper]), &standby);
    standby.refill();
    assert_eq!(standby.pid(), None);
}

#[test]
fn what_is_asked_for_is_what_runs() {
    let standby = ready();
    let request = RunRequest { cwd: Some(PathBuf::from("/usr")), ..in_root("pwd; cat; echo $A >&2; exit 7") };
    let outcome = run(&request.env("A", "b").stdin("input"), &standby);
    assert_eq!(outcome.stdout.bytes, b"/usr\ninput");
    assert_eq!(outcome.stderr.bytes, b"b\n");
    assert_eq!(outcome.ending, Ending::Exited { code: 7 });
}

#[test]
fn everything_ends_with_the_run() {
    for (script, timeout) in
        [("setsid sleep 7351 & exit 0", 60), ("trap '' TERM; setsid sleep 7351 & sleep 7351", 1)]
    {
        let request = RunRequest { grace: Duration::from_millis(100), ..in_root(script) };
        let outcome = run(&request.timeout(Duration::from_secs(timeout)), &ready());
        assert_eq!(survivors("sleep 7351"), Vec::<String>::new(), "{script}: {outcome:?}");
        assert_eq!(matches!(outcome.ending, Ending::TimedOut { .. }), timeout == 1, "{outcome:?}");
    }
}

#[test]
fn a_program_that_is_not_there_is_told_as_always() {
    let standby = ready();
    let request = RunRequest { program: "/nowhere/at/all".into(), ..in_root("") };
    let error = run_leaving(&request, Some(&standby), None, &mut |_| {}).unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::ProgramNotFound { .. }), "{error:?}");
    assert_eq!(run(&in_root("echo on"), &standby).stdout.bytes, b"on\n");
}

#[test]
fn a_guard_that_somebody_has_killed_is_not_taken() {
    let standby = ready();
    let guard = standby.pid();
    send(guard, Signal::KILL);
    std::thread::sleep(Duration::from_millis(50));
    assert_ne!(parent_of_run(&standby), guard);
    standby.refill();
    let guard = standby.pid();
    send(guard, Signal::KILL);
    std::thread::sleep(Duration::from_millis(50));
    standby.refill();
    assert_ne!(standby.pid(), guard);
    assert!(!is_there(guard));
}

#[test]
fn a_guard_that_somebody_has_stopped_goes_on() {
    let standby = ready();
    send(standby.pid(), Signal::STOP);
    assert_eq!(run(&in_root("echo on"), &standby).stdout.bytes, b"on\n");
    standby.refill();
    send(standby.pid(), Signal::STOP);
    drop(standby);
}

#[test]
fn whoever_would_inherit_our_folder_or_wants_another_mechanism_does_not_take_it() {
    let standby = ready();
    let guard = standby.pid();
    for request in [
        RunRequest { cwd: None, ..in_root("exit 0") },
        RunRequest { cwd: Some(PathBuf::from(".")), ..in_root("exit 0") },
        in_root("exit 0").containment([Mechanism::Subreaper]),
    ] {
        assert_eq!(run(&request, &standby).ending, Ending::Exited { code: 0 });
        assert_eq!(standby.pid(), guard);
    }
}

#[test]
fn nobody_waits_any_more_once_it_is_dropped() {
    let standby = ready();
    let guard = standby.pid();
    assert!(is_there(guard));
    drop(standby);
    assert!(!is_there(guard));
}
