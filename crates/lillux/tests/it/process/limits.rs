use std::time::Duration;

use lillux::process::{Channel, Ending, RunRequest, run};
use lillux::{Digest, Overflow, StreamLimit};

use super::sh;

const MIB: usize = 1024 * 1024;
const WORDS: u32 = 16 * 1024 * 1024;

#[test]
fn sixty_four_mebibytes_of_input_come_back_whole() {
    let input: Vec<u8> =
        (0..WORDS).flat_map(|index| index.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let limit = StreamLimit::truncate(64 * MIB);
    let outcome = run(&RunRequest::new("/bin/cat").stdin(input.clone()).output_limit(limit)).unwrap();
    assert!(outcome.ending.is_success());
    assert_eq!(Digest::of(&outcome.stdout.bytes), Digest::of(&input));
}

#[test]
fn a_program_that_never_reads_its_input_does_not_hang_us() {
    let outcome = run(&RunRequest::new("/bin/true").stdin(vec![0; 16 * MIB])).unwrap();
    assert!(outcome.ending.is_success());
    let limit = Duration::from_millis(100);
    let outcome = run(&sh("sleep 1000").stdin(vec![0; 16 * MIB]).timeout(limit)).unwrap();
    assert_eq!(outcome.ending, Ending::TimedOut { limit, killed: false });
}

#[test]
fn a_program_that_writes_before_it_reads_does_not_hang_us() {
    let request = sh("head -c 4000000 /dev/zero; cat").stdin(vec![b'x'; 4 * MIB]);
    let outcome = run(&request).unwrap();
    assert_eq!(outcome.stdout.total, 4_000_000 + 4 * MIB as u64);
}

#[test]
fn output_over_the_limit_is_cut_and_counted() {
    let outcome = run(&sh("head -c 5000000 /dev/zero").output_limit(StreamLimit::truncate(1000))).unwrap();
    assert!(outcome.ending.is_success() && outcome.stdout.is_truncated());
    assert_eq!((outcome.stdout.bytes.len(), outcome.stdout.total), (1000, 5_000_000));
    assert!(!outcome.stderr.is_truncated());
}

#[test]
fn output_over_the_limit_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let limit = StreamLimit { memory: 1000, overflow: Overflow::Spool(folder.path().join("out")) };
    let outcome = run(&sh("seq 1 1000000; echo done >&2").output_limit(limit)).unwrap();
    let spool = outcome.stdout.spool.unwrap();
    let whole = std::fs::read(&spool.path).unwrap();
    assert_eq!((whole.len() as u64, Digest::of(&whole)), (outcome.stdout.total, spool.digest));
    assert!(whole.starts_with(&outcome.stdout.bytes) && whole.ends_with(b"\n1000000\n"));
    assert_eq!((outcome.stderr.bytes.as_slice(), outcome.stderr.spool), (&b"done\n"[..], None));
}

#[test]
fn output_over_the_limit_stops_the_program() {
    let limit = StreamLimit { memory: 1000, overflow: Overflow::Stop };
    let outcome = run(&sh("yes >&2").output_limit(limit)).unwrap();
    assert_eq!(outcome.ending, Ending::OutputLimit { channel: Channel::Stderr, killed: false });
    assert_eq!(outcome.stderr.bytes.len(), 1000);
}

#[test]
fn a_program_that_is_over_before_its_output_was_read_is_held_to_the_limit() {
    let limit = StreamLimit { memory: 3, overflow: Overflow::Stop };
    for command in ["echo long >&2", "echo long >&2; exit 3"] {
        let outcome = run(&sh(command).output_limit(limit.clone())).unwrap();
        assert_eq!(outcome.ending, Ending::OutputLimit { channel: Channel::Stderr, killed: false });
        assert_eq!(outcome.stderr.bytes, b"lon");
    }
}

#[test]
fn a_spool_that_cannot_be_written_is_an_error_that_names_it() {
    let limit = StreamLimit { memory: 10, overflow: Overflow::Spool("/dev/null/no".into()) };
    let error = run(&sh("yes").output_limit(limit)).unwrap_err();
    let mut text = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    assert_eq!(
        text,
        "cannot run `/bin/sh`: output is lost: cannot spool output to `/dev/null/no`: Not a directory (os error 20)"
    );
}
