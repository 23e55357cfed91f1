//! A run that somebody stops at the terminal.

use rustix::process::{Pid, Signal, kill_process};

use crate::processes::{HOSTILE, assert_gone, await_hostile};
use crate::space::TestSpace;

fn interrupt(signal: Signal) {
    let space = TestSpace::new();
    let marker = format!("lillux-interrupt-{}-{}", signal.as_raw(), std::process::id());
    let child = space.lillux(["exec", "--grace", "0.1", "--", "perl", HOSTILE, &marker]).start();
    await_hostile(&marker);
    kill_process(Pid::from_child(&child), signal).unwrap();

    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["status"], "cancelled", "{answer}");
    assert_gone(&marker);
}

#[test]
fn ctrl_c_ends_the_run_with_an_answer() {
    interrupt(Signal::INT);
}

#[test]
fn sigterm_ends_the_run_with_an_answer() {
    interrupt(Signal::TERM);
}
