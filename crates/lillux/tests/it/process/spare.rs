//! Processes that were started ahead, from both sides: the one that becomes the job, and the one that forks it.

use std::collections::BTreeMap;
use std::time::Duration;

use lillux::CancelToken;
use lillux::process::spare::{Answer, FAREWELL, Spare, SpareRequest, SpareServer};
use lillux::process::{Channel, Ending, Mechanism, ProcessEvent, RunOutcome, RunRequest};
use lillux::{Overflow, StreamLimit};

use super::hostile::{assert_no_zombies, survivors};

const PROGRAM: &str = include_str!("spare_program.py");
const SERVER: &str = include_str!("spare_server.py");
const HOSTILE: &str = include_str!("hostile.pl");

pub(super) const PATIENCE: Duration = Duration::from_secs(30);

/// The two ways to get a spare.
pub(super) enum Source {
    Start,
    Server(SpareServer),
}

impl Source {
    pub(super) fn both() -> [Self; 2] {
        [Self::Start, Self::Server(server())]
    }

    pub(super) fn spare(&self) -> Spare {
        match self {
            Self::Start => Spare::start(&python(PROGRAM, &[])).unwrap(),
            Self::Server(server) => server.spare(b"spare").unwrap(),
        }
    }
}

fn server() -> SpareServer {
    SpareServer::start(&python(SERVER, &[PROGRAM])).unwrap()
}

fn python(code: &str, args: &[&str]) -> SpareRequest {
    let args = ["-c", code].iter().chain(args).map(Into::into).collect();
    let env = BTreeMap::from([("PYTHONDONTWRITEBYTECODE".into(), "1".into())]);
    SpareRequest { program: "/usr/bin/python3".into(), args, cwd: Some("/".into()), env }
}

fn job(program: &str, args: &[&str]) -> Vec<u8> {
    serde_json::json!({"program": program, "args": args}).to_string().into_bytes()
}

pub(super) fn sh(script: &str) -> Vec<u8> {
    job("/bin/sh", &["-c", script])
}

pub(super) fn limits() -> RunRequest {
    RunRequest::new("the job").grace(Duration::from_millis(30))
}

pub(super) fn run(mut spare: Spare, job: &[u8], request: &RunRequest) -> RunOutcome {
    assert_eq!(spare.offer(job, b"", PATIENCE, None), Answer::Taken);
    spare.run(request, None, &mut |_| {}).unwrap().0
}

/// A program that takes its leave with the exit code 7, and has no other end.
pub(super) fn leaver(before: &str) -> Vec<u8> {
    let code = format!(
        "import ctypes, os, signal, sys, time\n\
         def leave(code): ctypes.CDLL(None).sigqueue(1, {FAREWELL}, ctypes.c_void_p(code))\n\
         print('said', flush=True)\n{before}\nleave(7)\ntime.sleep(600)\n"
    );
    job("/usr/bin/python3", &["-c", &code])
}

#[test]
fn a_job_is_fed_and_read_like_any_program() {
    for source in Source::both() {
        let input = "x".repeat(1_000_000);
        let mut seen = Vec::new();
        let mut spare = source.spare();
        assert_eq!(
            spare.offer(&sh("cat; echo errors >&2; exit 7"), input.as_bytes(), PATIENCE, None),
            Answer::Taken
        );
        let (outcome, _) = spare
            .run(&limits().stdin(input.clone()), None, &mut |event| match event {
                ProcessEvent::Started { pid, .. } => assert!(pid > 0),
                ProcessEvent::Output { channel, bytes } => {
                    seen.extend((channel == Channel::Stdout).then_some(bytes.len()));
                }
                ProcessEvent::GoesOn => panic!("nobody asked"),
                ProcessEvent::Exited { ending } => assert_eq!(*ending, Ending::Exited { code: 7 }),
            })
            .unwrap();
        assert_eq!(outcome.ending, Ending::Exited { code: 7 });
        assert_eq!(outcome.stdout.bytes, input.as_bytes());
        assert_eq!(outcome.stderr.bytes, b"errors\n");
        assert_eq!(outcome.containment, Mechanism::PidNamespace);
        assert_eq!(seen.iter().sum::<usize>(), input.len());
    }
}

#[test]
fn a_job_without_input_sees_the_end_of_it() {
    for source in Source::both() {
        let outcome = run(source.spare(), &sh("cat; kill -9 $$"), &limits());
        assert_eq!((outcome.ending, outcome.stdout.bytes), (Ending::Signaled { signal: 9 }, Vec::new()));
    }
}

#[test]
fn time_counts_since_the_offer() {
    let pause = Duration::from_millis(200);
    for source in Source::both() {
        let mut spare = source.spare();
        assert_eq!(spare.offer(&sh("true"), b"", PATIENCE, None), Answer::Taken);
        // On a busy machine a job can be over before we hear that it was taken.
        std::thread::sleep(pause);
        let (outcome, _) = spare.run(&limits(), None, &mut |_| {}).unwrap();
        assert!(outcome.duration >= pause, "{outcome:?}");
    }
}

#[test]
fn nothing_that_a_job_starts_survives_it() {
    for (number, source) in Source::both().into_iter().enumerate() {
        for how in ["--exit", "--stay"] {
            let marker = format!("lillux-spare-{number}{how}-{}", std::process::id());
            let request = limits().timeout(Duration::from_millis(200));
            for _ in 0..20 {
                let outcome =
                    run(source.spare(), &job("/usr/bin/perl", &["-e", HOSTILE, &marker, how]), &request);
                let expected = match outcome.ending {
                    Ending::Exited { code: 0 } => how == "--exit",
                    // On a machine under load the time may be up before the program is.
                    Ending::TimedOut { .. } => true,
                    _ => false,
                };
                assert!(expected, "{outcome:?}");
            }
            assert_eq!(survivors(&marker), Vec::<String>::new());
        }
    }
    assert_no_zombies();
}

#[test]
fn a_program_that_takes_its_leave_has_ended() {
    for source in Source::both() {
        let mut spare = source.spare();
        let pid = spare.pid();
        assert_eq!(spare.offer(&leaver(""), b"", PATIENCE, None), Answer::Taken);
        let (outcome, remains) = spare.run(&limits(), None, &mut |_| {}).unwrap();
        assert_eq!(outcome.ending, Ending::Exited { code: 7 });
        assert_eq!(outcome.stdout.bytes, b"said\n");
        drop(remains);
        assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
}

#[test]
fn whoever_has_taken_leave_does_nothing_more() {
    for source in Source::both() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = || std::fs::metadata(file.path()).unwrap().len();
        let marker = format!("lillux-goes-on-{}-{}", std::process::id(), source.spare().pid());
        let path = file.path().display();
        let goes_on = format!(
            "'{marker}'\nlog = open('{path}', 'ab', 0)\nlog.write(b'x')\nleave(7)\nwhile True: log.write(b'x')\n"
        );
        let mut spare = source.spare();
        assert_eq!(spare.offer(&leaver(&goes_on), b"", PATIENCE, None), Answer::Taken);
        let (outcome, remains) = spare.run(&limits(), None, &mut |_| {}).unwrap();
        assert!(written() > 0);
        // The call that was under way when it was stopped may still be carried out, and no other.
        let at_the_most = written() + 1;
        assert_eq!(outcome.ending, Ending::Exited { code: 7 });
        std::thread::sleep(Duration::from_millis(5));
        assert!(written() <= at_the_most);
        // Whether or not anybody has time for its remains, it is gone soon.
        let until = std::time::Instant::now() + PATIENCE;
        while !survivors(&marker).is_empty() {
            assert!(std::time::Instant::now() < until);
        }
        assert!(written() <= at_the_most);
        drop(remains);
    }
}

#[test]
fn a_program_that_is_not_alone_cannot_leave_before_the_others() {
    for (number, source) in Source::both().into_iter().enumerate() {
        let marker = format!("lillux-left-behind-{number}-{}", std::process::id());
        let other = format!("os.posix_spawn('/bin/sleep', ['{marker}', '600'], {{}})");
        let mut spare = source.spare();
        assert_eq!(spare.offer(&leaver(&other), b"", PATIENCE, None), Answer::Taken);
        let (outcome, _remains) = spare.run(&limits(), None, &mut |_| {}).unwrap();
        assert_eq!(outcome.ending, Ending::Exited { code: 7 });
        assert_eq!(survivors(&marker), Vec::<String>::new());
    }
}

#[test]
fn nobody_takes_leave_for_another() {
    let child = "if not os.fork(): leave(9); os._exit(0)\nos.wait(); time.sleep(0.05); sys.exit(3)";
    for source in Source::both() {
        assert_eq!(run(source.spare(), &leaver(child), &limits()).ending, Ending::Exited { code: 3 });
    }
    // A program that was started for its run ends as any program does.
    let cold = format!("import os, time; os.kill(1, {FAREWELL}); time.sleep(0.05); os._exit(4)");
    let request =
        RunRequest::new("/usr/bin/python3").args(["-c", &cold]).containment(vec![Mechanism::PidNamespace]);
    assert_eq!(lillux::process::run(&request).unwrap().ending, Ending::Exited { code: 4 });
}

#[test]
fn time_counts_from_the_moment_in_which_the_job_begins() {
    for source in Source::both() {
        let spare = source.spare();
        std::thread::sleep(Duration::from_millis(600));
        let request = limits().timeout(Duration::from_millis(500));
        let outcome = run(spare, &sh("echo on time; trap 'echo asked; exit 1' TERM; sleep 0.1"), &request);
        assert_eq!(outcome.ending, Ending::Exited { code: 0 });
        let outcome = run(
            source.spare(),
            &sh("trap 'echo asked; exit 1' TERM; while :; do sleep 0.01; done"),
            &request.grace(PATIENCE),
        );
        assert_eq!(outcome.ending, Ending::TimedOut { limit: Duration::from_millis(500), killed: false });
        assert_eq!(outcome.stdout.bytes, b"asked\n");
    }
}

#[test]
fn a_job_is_cancelled_and_limited() {
    for source in Source::both() {
        let mut spare = source.spare();
        let cancel = CancelToken::new().unwrap();
        assert_eq!(
            spare.offer(&sh("trap '' TERM; echo ready; sleep 1000"), b"", PATIENCE, Some(&cancel)),
            Answer::Taken
        );
        let outcome = spare.run(&limits(), Some(&cancel), &mut |event| {
            if matches!(event, ProcessEvent::Output { .. }) {
                cancel.cancel();
            }
        });
        assert_eq!(outcome.unwrap().0.ending, Ending::Cancelled { killed: true });

        let limit = StreamLimit { memory: 1000, overflow: Overflow::Stop };
        let outcome = run(source.spare(), &sh("exec yes"), &limits().output_limit(limit));
        assert_eq!(outcome.ending, Ending::OutputLimit { channel: Channel::Stdout, killed: false });
    }
}

#[test]
fn every_answer_is_understood() {
    for source in Source::both() {
        let check = |act: &str, patience, expect: Answer| {
            let job = serde_json::json!({"act": act, "reason": "not today"}).to_string();
            let mut spare = source.spare();
            let marker = spare.pid();
            assert_eq!(spare.offer(job.as_bytes(), b"", patience, None), expect, "{act}");
            drop(spare);
            let gone = Duration::from_secs(5);
            let until = std::time::Instant::now() + gone;
            while std::path::Path::new(&format!("/proc/{marker}")).exists() {
                assert!(std::time::Instant::now() < until, "{act}: {marker} is still there");
            }
        };
        check("decline", PATIENCE, Answer::Declined("not today".to_owned()));
        check("nonsense", PATIENCE, Answer::Nonsense);
        check("death", PATIENCE, Answer::Nonsense);
        check("silence", Duration::from_millis(300), Answer::Silent);
        // A job that is larger than any buffer arrives whole, and one that nobody reads is no reason to hang.
        let large = format!("printf %s {} | wc -c", "x".repeat(100_000));
        assert_eq!(run(source.spare(), &sh(&large), &limits()).stdout.bytes, b"100000\n");
        let mut spare = source.spare();
        assert_eq!(spare.offer(&vec![b'{'; 3_000_000], b"", PATIENCE, None), Answer::Nonsense);
    }
}

#[test]
fn a_cancelled_offer_is_not_waited_for() {
    for source in Source::both() {
        let cancel = CancelToken::new().unwrap();
        cancel.cancel();
        let job = serde_json::json!({"act": "silence"}).to_string();
        assert_eq!(source.spare().offer(job.as_bytes(), b"", PATIENCE, Some(&cancel)), Answer::Silent);
    }
}

#[test]
fn a_server_makes_many_and_outlives_those_that_use_it() {
    let server = server();
    let mut spares: Vec<_> = (0..8).map(|_| server.spare(b"spare").unwrap()).collect();
    assert!(!server.is_attentive(), "an interpreter does not start that fast");
    while !server.is_attentive() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut last = spares.pop().unwrap();
    for spare in spares {
        assert_eq!(run(spare, &sh("echo $$"), &limits()).ending, Ending::Exited { code: 0 });
    }
    assert_eq!(last.offer(&sh("sleep 0.2; echo done"), b"", PATIENCE, None), Answer::Taken);
    // Whoever runs a spare keeps its server.
    drop(server);
    let (outcome, _) = last.run(&limits(), None, &mut |_| {}).unwrap();
    assert_eq!(outcome.stdout.bytes, b"done\n");
    assert_no_zombies();
}

#[test]
fn a_server_that_dies_takes_its_spares_with_it() {
    let server = server();
    let idle = server.spare(b"spare").unwrap();
    let mut busy = server.spare(b"spare").unwrap();
    assert_eq!(busy.offer(&sh("echo begun; sleep 1000"), b"", PATIENCE, None), Answer::Taken);
    let dying = server.spare(b"die");
    let error = busy.run(&limits(), None, &mut |_| {}).unwrap_err();
    assert_eq!(error.kind().to_string(), "the server that had started the program ended before the program");
    while !server.is_over() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(server.errors(), "the server was told to die");
    drop(dying);
    while !idle.is_over() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(server.spare(b"spare").is_err());
}

#[test]
fn a_server_that_hangs_does_not_make_us_hang() {
    let server = server();
    let mut spare = server.spare(b"spare").unwrap();
    assert_eq!(spare.offer(&sh("echo begun; sleep 1000"), b"", PATIENCE, None), Answer::Taken);
    let pid = rustix::process::Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    for child in children(server.pid()) {
        let child = rustix::process::Pid::from_raw(child).unwrap();
        rustix::process::kill_process(child, rustix::process::Signal::STOP).unwrap();
    }
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    let (outcome, _) = spare.run(&limits().timeout(Duration::from_millis(100)), None, &mut |_| {}).unwrap();
    assert!(matches!(outcome.ending, Ending::TimedOut { killed: true, .. }), "{outcome:?}");
}

#[test]
fn no_descriptor_is_left_behind() {
    let count = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    for source in Source::both() {
        drop(source.spare());
        let before = count();
        for _ in 0..50 {
            drop(source.spare());
            run(source.spare(), &sh("exit 0"), &limits());
        }
        // Other tests of this process open and close some at the same time.
        assert!(count() < before + 100, "{before} before, {} after", count());
    }
}

#[test]
fn an_ordinary_user_has_spares_too() {
    let folder = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let copy = folder.path().join("it");
    let itself = std::env::current_exe().unwrap();
    let install = RunRequest::new("/usr/bin/install").args(["-m", "755"]).args([&itself, &copy]);
    assert!(lillux::process::run(&install).unwrap().ending.is_success());
    let request = if rustix::process::geteuid().is_root() {
        RunRequest::new("/usr/bin/setpriv")
            .args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"])
            .args([&copy])
    } else {
        RunRequest::new(&copy)
    };
    let request = request
        .args([
            "process::spare::",
            "process::lease::",
            "--skip",
            "an_ordinary_user",
            "--skip",
            "no_descriptor",
        ])
        .env("PATH", "/usr/bin:/bin")
        .cwd("/")
        .containment([Mechanism::Subreaper]);
    let outcome = lillux::process::run(&request).unwrap();
    let printed = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
    assert!(outcome.ending.is_success(), "{printed}");
    assert!(printed.contains("a_server_that_dies_takes_its_spares_with_it ... ok"), "{printed}");
}

/// The children of a process.
fn children(pid: u32) -> Vec<i32> {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let texts = tasks.map(|task| std::fs::read_to_string(task.path().join("children")).unwrap());
    let texts: Vec<_> = texts.collect();
    texts.iter().flat_map(|text| text.split_ascii_whitespace()).map(|child| child.parse().unwrap()).collect()
}

#[test]
#[ignore = "another test here runs it, as a process of its own"]
fn holder() {
    let server = server();
    let _idle = [server.spare(b"spare").unwrap(), Spare::start(&python(PROGRAM, &[])).unwrap()];
    let marker = format!("{}.0625", 4_000_000 + std::process::id());
    for mut busy in [server.spare(b"spare").unwrap(), Spare::start(&python(PROGRAM, &[])).unwrap()] {
        let script = format!("setsid sleep {marker} & sleep {marker}");
        assert_eq!(busy.offer(&sh(&script), b"", PATIENCE, None), Answer::Taken);
        std::mem::forget(busy);
    }
    while survivors(&marker).len() < 4 {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::write(std::env::temp_dir().join(format!("lillux-holder-{}", std::process::id())), marker)
        .unwrap();
    std::thread::sleep(Duration::from_hours(1));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the process has to be killed, and nothing may contain it")]
fn everything_ends_when_we_are_killed() {
    let mut holder = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["process::spare::holder", "--exact", "--ignored", "--nocapture"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let word = std::env::temp_dir().join(format!("lillux-holder-{}", holder.id()));
    let marker = loop {
        match std::fs::read_to_string(&word) {
            Ok(marker) if !marker.is_empty() => break marker,
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
        assert!(holder.try_wait().unwrap().is_none(), "it has to live until it is killed");
    };
    std::fs::remove_file(word).unwrap();
    let children = children(holder.id());
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(children.len() >= 5, "{children:?}");
    let until = std::time::Instant::now() + PATIENCE;
    let alive = || children.iter().any(|child| std::path::Path::new(&format!("/proc/{child}")).exists());
    while alive() || !survivors(&marker).is_empty() {
        assert!(std::time::Instant::now() < until, "{children:?} {:?}", survivors(&marker));
        std::thread::sleep(Duration::from_millis(10));
    }
}
