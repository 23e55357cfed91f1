//! Processes that one lends and another borrows.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

use lillux::CancelToken;
use rye_metadata::metadata::WorkerMode;
use rye_run::runner::{Failure, Start};
use rye_run::workers::{BorrowLimits, Borrower, ColdReason, Lender};

use super::Bench;

fn sockets(bench: &Bench) -> usize {
    fs::read_dir(bench.path("workers")).unwrap().count()
}

fn await_no_loans(lender: &Lender) {
    let until = Instant::now() + Duration::from_mins(1);
    while lender.loans() > 0 {
        assert!(Instant::now() < until, "{} loans", lender.loans());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_borrowed_process_does_what_a_cold_one_does() {
    for mut bench in Bench::both() {
        let lender = bench.lend();
        let script = r#"cat; echo "$0 $1 $COLOUR $PWD" >&2; exit 3"#;
        let run = || bench.run_with(script, &[("COLOUR", "grün")], &vec![b'x'; 200_000], None);
        let cold = run();
        // The server has never run such a thing, and is told how it is done.
        let Start::ColdInstead(ColdReason::NotLent { server, why }) = &cold.start else {
            panic!("{cold:?}");
        };
        assert_eq!((*server, why.as_str()), (Some(std::process::id()), "no process was ready yet"));
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        let warm = run();
        assert_eq!(warm.start, Start::Borrowed { server: std::process::id() });
        assert_eq!((&warm.output, &warm.errors), (&cold.output, &cold.errors));
        assert_eq!((warm.failure, warm.exit_code), (cold.failure, cold.exit_code));
        assert_eq!(warm.containment, cold.containment);
        await_no_loans(&lender);
    }
}

#[test]
fn limits_are_those_of_the_borrower() {
    for mut bench in Bench::both() {
        let _lender = bench.lend();
        bench.run_warm("true", &[]);
        bench.timeout = Duration::from_millis(300);
        let outcome = bench.run_warm("sleep 600", &[]);
        assert_eq!(outcome.failure, Some(Failure::TimedOut { limit: bench.timeout }));
        bench.timeout = Duration::from_mins(1);
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        let cancel = CancelToken::new().unwrap();
        let stopper = cancel.clone();
        let stopping = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(500));
            stopper.cancel();
        });
        let outcome = bench.run_with("sleep 600", &[], b"", Some(&cancel));
        stopping.join().unwrap();
        assert_eq!(outcome.failure, Some(Failure::Cancelled));
    }
}

#[test]
fn secrets_stay_at_home() {
    for mut bench in Bench::both() {
        let _lender = bench.lend();
        bench.run_warm("true", &[]);
        bench.secrets = vec![("WORD", "hidden")];
        assert_eq!(bench.run("true", &[]).start, Start::ColdInstead(ColdReason::HasSecrets));
    }
}

#[test]
fn what_a_server_learns_from_a_borrower_is_its_own() {
    let mut bench = Bench::new(WorkerMode::Fork);
    let _lender = bench.lend();
    bench.run_warm("true", &[]);
    bench.borrows = false;
    bench.await_ready(2);
    assert_eq!(bench.run("true", &[]).start, Start::Warm);
}

#[test]
fn a_helper_is_what_it_is_said_to_be() {
    let mut bench = Bench::new(WorkerMode::Oneshot);
    let _lender = bench.lend();
    // Whoever asks has seen this file, and by the time that the server looks it is another one.
    let outcome = bench.run_with_helper("true", b"something else");
    let Start::ColdInstead(ColdReason::NotLent { why, .. }) = &outcome.start else { panic!("{outcome:?}") };
    assert!(why.ends_with("is not the helper that was meant"), "{why}");
    assert_eq!(bench.pool.ready(), 0);
}

#[test]
fn sockets_that_were_left_behind_are_removed() {
    let mut bench = Bench::new(WorkerMode::Oneshot);
    let lender = bench.lend();
    drop(lender);
    assert_eq!(sockets(&bench), 0);
    assert_eq!(bench.run("true", &[]).start, Start::Cold, "nobody is there");
    // Somebody who was killed has not cleaned up.
    drop(UnixListener::bind(bench.path("workers/17-1.sock")).unwrap());
    fs::write(bench.path("workers/other.txt"), "not ours").unwrap();
    assert_eq!(sockets(&bench), 2);
    assert_eq!(bench.run("true", &[]).start, Start::Cold);
    assert_eq!(sockets(&bench), 1);
}

#[test]
fn a_folder_that_others_can_write_to_is_not_used() {
    let mut bench = Bench::new(WorkerMode::Oneshot);
    let lender = bench.lend();
    for mode in [0o770, 0o707, 0o701] {
        fs::set_permissions(bench.path("workers"), Permissions::from_mode(mode)).unwrap();
        let outcome = bench.run("true", &[]);
        let Start::ColdInstead(reason @ ColdReason::NobodyToAsk { .. }) = &outcome.start else {
            panic!("{outcome:?}");
        };
        assert!(reason.to_string().ends_with("is not a folder of ours alone"), "{reason}");
    }
    assert!(Lender::open(&bench.path("workers"), bench.pool.clone()).is_err());
    drop(lender);
    // Nor is one that a link leads to.
    fs::remove_dir(bench.path("workers")).unwrap();
    std::os::unix::fs::symlink(bench.path("bin"), bench.path("workers")).unwrap();
    assert!(Lender::open(&bench.path("workers"), bench.pool.clone()).is_err());
}

#[test]
fn who_does_not_answer_is_not_waited_for() {
    let mut bench = Bench::new(WorkerMode::Oneshot);
    drop(bench.lend());
    let _silent = UnixListener::bind(bench.path("workers/17-1.sock")).unwrap();
    let limits = BorrowLimits { lender: Duration::from_millis(20), process: Duration::from_secs(30) };
    let borrower = Borrower::find(&bench.path("workers"), limits).unwrap();
    let outcome = bench.run_from(&borrower, "true");
    let why = "it did not answer in time".to_owned();
    let reason = ColdReason::NotLent { server: Some(std::process::id()), why };
    assert_eq!(outcome.start, Start::ColdInstead(reason));
}

#[test]
fn nonsense_is_not_served() {
    let mut bench = Bench::new(WorkerMode::Oneshot);
    let lender = bench.lend();
    let socket = fs::read_dir(bench.path("workers")).unwrap().next().unwrap().unwrap().path();
    for said in [&b""[..], &[0xff; 8], b"\0\0\0\x02{}", &[0; 4]] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        std::io::Write::write_all(&mut stream, said).unwrap();
        let mut answer = Vec::new();
        // What it did not care to read makes the connection end at once.
        if let Err(error) = std::io::Read::read_to_end(&mut stream, &mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
        assert_ne!(answer.first(), Some(&b'+'), "{said:?}");
    }
    await_no_loans(&lender);
    assert_eq!(bench.pool.ready(), 0);
}

#[test]
fn a_lender_that_has_to_go_lets_short_runs_end_and_ends_long_ones() {
    for mut bench in Bench::both() {
        let lender = bench.lend();
        bench.run_warm("true", &[]);
        await_no_loans(&lender);
        bench.await_ready(2);
        let until = Instant::now() + Duration::from_mins(1);
        let outcome = std::thread::scope(|scope| {
            let running = scope.spawn(|| bench.run("sleep 0.5; echo done", &[]));
            while lender.loans() == 0 {
                assert!(Instant::now() < until);
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(lender);
            running.join().unwrap()
        });
        assert_eq!(outcome.output.bytes, b"done\n", "{outcome:?}");
        assert!(matches!(outcome.start, Start::Borrowed { .. }), "{outcome:?}");

        let lender = bench.lend();
        bench.await_ready(2);
        let error = std::thread::scope(|scope| {
            let running = scope.spawn(|| bench.try_run("sleep 600"));
            while lender.loans() == 0 {
                assert!(Instant::now() < until);
                std::thread::sleep(Duration::from_millis(5));
            }
            drop(lender);
            running.join().unwrap().unwrap_err()
        });
        let source = std::error::Error::source(&error).map(ToString::to_string);
        let expect = "the process that had lent the program ended before the program, and took it with it";
        assert!(format!("{error} {source:?}").contains(expect), "{error:?}");
    }
}
