//! What is left of a run when its supervisor is killed without warning: nothing.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::identity::{Identity, SharedFolder};
use crate::processes::{assert_gone, await_hostile};

const DEFAULT: Option<&str> = None;

/// Kills the supervisor of a hostile program `count` times, and looks for what is left.
fn kill_supervisors(identity: Identity, containment: Option<&str>, count: usize) {
    let folder = SharedFolder::new();
    let next = AtomicUsize::new(0);
    let command = |marker: &str| -> Command {
        let mut command = identity.command(folder.lillux());
        command.arg("exec").args(containment.map(|mechanism| format!("--containment={mechanism}")));
        command.args(["--", "perl"]).arg(folder.hostile()).arg(marker);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && number < count
                {
                    let mechanism = containment.unwrap_or("default");
                    let marker =
                        format!("lillux-kill-9-{identity}-{mechanism}-{number}-{}", std::process::id());
                    let mut supervisor = command(&marker).spawn().unwrap();
                    await_hostile(&marker);
                    supervisor.kill().unwrap();
                    supervisor.wait().unwrap();
                    assert_gone(&marker);
                }
            });
        }
    });
}

fn exec_true(identity: Identity, containment: Option<&str>) -> serde_json::Value {
    let folder = SharedFolder::new();
    let mut command = identity.command(folder.lillux());
    command.arg("exec").args(containment.map(|mechanism| format!("--containment={mechanism}")));
    let output = command.args(["--", "true"]).output().unwrap();
    let answer = if output.stdout.is_empty() { output.stderr } else { output.stdout };
    serde_json::from_slice(&answer).unwrap()
}

#[test]
fn nothing_survives_by_default() {
    for &identity in Identity::all() {
        kill_supervisors(identity, DEFAULT, 50);
    }
}

#[test]
fn nothing_survives_in_a_namespace() {
    for identity in Identity::all().iter().filter(|identity| identity.has_namespaces()) {
        kill_supervisors(*identity, Some("pid_namespace"), 10);
    }
}

#[test]
fn nothing_survives_in_a_cgroup() {
    for &identity in Identity::all() {
        if identity.is_root() {
            kill_supervisors(identity, Some("cgroup"), 10);
        } else {
            assert_eq!(exec_true(identity, Some("cgroup"))["code"], "NO_CONTAINMENT");
        }
    }
}

#[test]
fn nothing_survives_below_a_subreaper() {
    for &identity in Identity::all() {
        kill_supervisors(identity, Some("subreaper"), 10);
    }
}

#[test]
fn the_default_is_a_namespace_where_there_are_any() {
    for &identity in Identity::all() {
        let expect = if identity.has_namespaces() { "pid_namespace" } else { "subreaper" };
        assert_eq!(exec_true(identity, DEFAULT)["containment"], expect, "{identity}");
    }
}
