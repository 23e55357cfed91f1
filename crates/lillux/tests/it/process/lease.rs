//! Spares that another process uses.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use lillux::process::spare::{Answer, Spare, Verdict};
use lillux::process::{Ending, Peer, Remains, RunErrorKind};

use super::hostile::survivors;
use super::spare::{PATIENCE, Source, leaver, limits, run, sh};

/// What somebody does with a spare of ours, what it said about it, and what is left of it.
fn borrowed<T>(source: &Source, act: impl FnOnce(Spare) -> T) -> (T, Vec<Verdict>, Remains) {
    let (lender, borrower) = UnixStream::pair().unwrap();
    let spare = source.spare();
    std::thread::scope(|scope| {
        let lending = scope.spawn(move || {
            let mut verdicts = Vec::new();
            let remains = spare.lend(&lender, &mut |verdict| verdicts.push(verdict)).unwrap();
            (verdicts, remains)
        });
        let done = act(Spare::borrow(borrower, "borrowed".to_owned(), PATIENCE).unwrap());
        let (verdicts, remains) = lending.join().unwrap();
        (done, verdicts, remains)
    })
}

fn await_death(marker: &str) {
    let until = Instant::now() + PATIENCE;
    while !survivors(marker).is_empty() {
        assert!(Instant::now() < until, "{:?}", survivors(marker));
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_spare_that_is_borrowed_is_as_good_as_an_own_one() {
    for source in Source::both() {
        let (outcome, verdicts, remains) = borrowed(&source, |mut spare| {
            let input = "x".repeat(1_000_000);
            let job = sh("cat; echo errors >&2; exit 7");
            assert_eq!(spare.offer(&job, input.as_bytes(), PATIENCE, None), Answer::Taken);
            spare.judge(Verdict::Taken);
            spare.run(&limits().stdin(input), None, &mut |_| {}).unwrap().0
        });
        drop(remains);
        assert_eq!((outcome.ending, verdicts), (Ending::Exited { code: 7 }, vec![Verdict::Taken]));
        assert_eq!((outcome.stdout.bytes.len(), outcome.stderr.bytes), (1_000_000, b"errors\n".to_vec()));
        let (outcome, ..) = borrowed(&source, |spare| run(spare, &leaver(""), &limits()));
        assert_eq!(outcome.ending, Ending::Exited { code: 7 });
        let (outcome, ..) = borrowed(&source, |spare| run(spare, &sh("kill -9 $$"), &limits()));
        assert_eq!(outcome.ending, Ending::Signaled { signal: 9 });
        let polite = sh("trap 'echo bye; exit 0' TERM; while :; do sleep 0.01; done");
        let request = limits().timeout(Duration::from_millis(200)).grace(PATIENCE);
        let (outcome, ..) = borrowed(&source, |spare| run(spare, &polite, &request));
        assert_eq!(outcome.ending, Ending::TimedOut { limit: Duration::from_millis(200), killed: false });
        assert_eq!(outcome.stdout.bytes, b"bye\n");
        let stubborn = sh("trap '' TERM; while :; do sleep 0.01; done");
        let limit = Duration::from_secs(1);
        let request = limits().timeout(limit);
        let (outcome, ..) = borrowed(&source, |spare| run(spare, &stubborn, &request));
        assert_eq!(outcome.ending, Ending::TimedOut { limit, killed: true });
    }
}

#[test]
fn what_the_borrower_thinks_of_it_is_heard_after_its_end() {
    for source in Source::both() {
        let (answer, verdicts, _) = borrowed(&source, |mut spare| {
            let job = serde_json::json!({"act": "decline", "reason": "not today"}).to_string();
            let answer = spare.offer(job.as_bytes(), b"", PATIENCE, None);
            spare.judge(Verdict::Unfit);
            answer
        });
        assert_eq!(answer, Answer::Declined("not today".to_owned()));
        assert_eq!(verdicts, [Verdict::Unfit]);
    }
}

#[test]
fn a_borrower_that_is_gone_ends_what_it_has_borrowed() {
    for source in Source::both() {
        let marker = format!("{}.125", 4_100_000 + std::process::id());
        let script = format!("setsid sleep {marker} & sleep {marker}");
        let (pid, _, remains) = borrowed(&source, |mut spare| {
            assert_eq!(spare.offer(&sh(&script), b"", PATIENCE, None), Answer::Taken);
            let until = Instant::now() + PATIENCE;
            while survivors(&marker).len() < 2 {
                assert!(Instant::now() < until);
                std::thread::sleep(Duration::from_millis(5));
            }
            spare.pid()
        });
        drop(remains);
        assert!(!Path::new(&format!("/proc/{pid}")).exists());
        await_death(&marker);
    }
}

#[test]
fn a_lender_that_is_gone_ends_what_it_has_lent() {
    for source in Source::both() {
        let (lender, borrower) = UnixStream::pair().unwrap();
        let (spare, closer) = (source.spare(), lender.try_clone().unwrap());
        let lending = std::thread::spawn(move || spare.lend(&lender, &mut |_| {}).map(drop));
        let mut spare = Spare::borrow(borrower, "borrowed".to_owned(), PATIENCE).unwrap();
        let marker = format!("{}.25", 4_200_000 + std::process::id());
        let script = format!("setsid sleep {marker} & sleep {marker}");
        assert_eq!(spare.offer(&sh(&script), b"", PATIENCE, None), Answer::Taken);
        closer.shutdown(std::net::Shutdown::Both).unwrap();
        let error = spare.run(&limits(), None, &mut |_| {}).unwrap_err();
        assert!(matches!(error.kind(), RunErrorKind::LenderLost), "{error:?}");
        lending.join().unwrap().unwrap();
        await_death(&marker);
    }
}

#[test]
fn who_lends_nothing_is_not_waited_for() {
    let (_lender, borrower) = UnixStream::pair().unwrap();
    let error = Spare::borrow(borrower, "x".to_owned(), Duration::from_millis(20)).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
    // Bytes without descriptors are no spare.
    let (mut lender, borrower) = UnixStream::pair().unwrap();
    std::io::Write::write_all(&mut lender, &[0, 0, 0, 1]).unwrap();
    let error = Spare::borrow(borrower, "x".to_owned(), PATIENCE).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof);
}

#[test]
fn a_peer_is_known() {
    let (one, _other) = UnixStream::pair().unwrap();
    let peer = Peer::of(&one).unwrap();
    assert_eq!(peer.pid(), std::process::id());
    assert!(peer.is_same_program().unwrap());
    assert_eq!(peer.difference().unwrap(), None);
}
