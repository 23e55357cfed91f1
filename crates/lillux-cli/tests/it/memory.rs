//! How much memory a supervisor needs for a program that writes without end.

use std::io::Read;
use std::process::Child;

use serde_json::Value;

use crate::space::TestSpace;

const GIBIBYTE: u64 = 1024 * 1024 * 1024;

/// The most memory that a process has had so far.
fn peak_kib(child: &Child) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Has a program write a gibibyte, and gives the answer and the peak.
fn exec_gibibyte(space: &TestSpace, args: &[&str]) -> (Value, u64) {
    let program = ["--", "head", "-c", "1073741824", "/dev/zero"];
    let args = ["exec", "--max-output", "1000000"].iter().chain(args).chain(&program);
    let mut child = space.lillux(args.copied()).start();
    // The first byte of the answer is written when all of it has been made. It is far longer than the pipe, so the
    // process then waits for us, and its peak is behind it.
    let mut answer = vec![0];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut answer).unwrap();
    let peak = peak_kib(&child);
    stdout.read_to_end(&mut answer).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(answer.len() > 5_000_000, "the answer would fit into the pipe");
    (serde_json::from_slice(&answer).unwrap(), peak)
}

#[test]
fn a_gibibyte_that_is_cut_needs_little_memory() {
    let space = TestSpace::new();
    let (answer, peak) = exec_gibibyte(&space, &[]);
    assert_eq!((&answer["stdout_bytes"], &answer["stdout_truncated"]), (&GIBIBYTE.into(), &true.into()));
    assert!(peak <= 32 * 1024, "{peak} KiB");
}

#[test]
fn a_gibibyte_that_goes_to_a_file_needs_little_memory() {
    let space = TestSpace::new();
    let (answer, peak) = exec_gibibyte(&space, &["--spool", "spool"]);
    assert_eq!((&answer["stdout_bytes"], &answer["stdout_truncated"]), (&GIBIBYTE.into(), &Value::Null));
    // The digest of 2^30 zero bytes.
    let digest = "49bc20df15e412a64472421e13fe86ff1c5165e18b2afccf160d4dc19fe68a14";
    assert_eq!(answer["stdout_file"]["sha256"], digest);
    let spool = space.path(answer["stdout_file"]["path"].as_str().unwrap());
    assert_eq!(spool.metadata().unwrap().len(), GIBIBYTE);
    assert!(peak <= 32 * 1024, "{peak} KiB");
}
