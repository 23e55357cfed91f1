use std::fs;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use rye_metadata::metadata::WorkerMode;
use rye_run::runner::{Failure, Outcome, Start};
use rye_run::workers::{ColdReason, PoolLimits};

use super::Bench;

fn text(outcome: &Outcome) -> &str {
    str::from_utf8(&outcome.output.bytes).unwrap()
}

#[test]
fn a_warm_run_gives_what_a_cold_one_does() {
    for bench in Bench::both() {
        let script = r#"cat; echo "$0 $1 $COLOUR $PWD" >&2; exit 3"#;
        let run = || bench.run_with(script, &[("COLOUR", "grün")], &vec![b'x'; 200_000], None);
        let cold = run();
        assert_eq!(cold.start, Start::ColdInstead(ColdReason::NothingReady));
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        let warm = run();
        assert_eq!(warm.start, Start::Warm);
        assert_eq!((warm.failure, warm.exit_code), (Some(Failure::Exit { code: 3 }), Some(3)));
        assert_eq!((&warm.output, &warm.errors), (&cold.output, &cold.errors));
        assert_eq!((warm.failure, warm.containment), (cold.failure, cold.containment));
    }
}

#[test]
fn while_a_long_run_lasts_another_process_is_made() {
    for borrows in [false, true] {
        for mut bench in Bench::both() {
            let _lender = borrows.then(|| bench.lend());
            bench.run_warm("true", &[]);
            bench.await_ready(2);
            let (began, cancel) = (bench.path("began"), CancelToken::new().unwrap());
            let script = format!("touch {}; sleep 600", began.display());
            let outcome = std::thread::scope(|scope| {
                let run = scope.spawn(|| bench.run_with(&script, &[], b"", Some(&cancel)));
                let until = Instant::now() + Duration::from_mins(1);
                while !began.exists() {
                    assert!(Instant::now() < until, "it never began");
                    std::thread::sleep(Duration::from_millis(5));
                }
                bench.await_ready(2);
                cancel.cancel();
                run.join().unwrap()
            });
            assert!(matches!(outcome.start, Start::Warm | Start::Borrowed { .. }), "{outcome:?}");
            assert_eq!(outcome.failure, Some(Failure::Cancelled));
        }
    }
}

#[test]
fn after_a_job_was_declined_another_process_is_made() {
    for borrows in [false, true] {
        for mut bench in Bench::both() {
            let _lender = borrows.then(|| bench.lend());
            bench.run_warm("true", &[]);
            bench.await_ready(2);
            let declined = bench.run("true", &[("ACT", "decline")]);
            assert_eq!(
                declined.start,
                Start::ColdInstead(ColdReason::Declined { why: "not this one".to_owned() })
            );
            bench.await_ready(2);
        }
    }
}

#[test]
fn a_run_by_signal_ends_by_signal() {
    for bench in Bench::both() {
        assert_eq!(bench.run_warm("kill -9 $$", &[]).failure, Some(Failure::Signal { signal: 9 }));
    }
}

#[test]
fn what_the_helper_is_started_with_decides_who_gets_which() {
    for bench in Bench::both() {
        let first = bench.run_warm(
            "echo $STARTED_WITH $KEY_A $KEY_FREE $OTHER",
            &[("KEY_A", "1"), ("KEY_FREE", "x"), ("OTHER", "o")],
        );
        let fd = if bench.helper().ends_with("server.py") { "RYE_SERVER_FD" } else { "RYE_JOB_FD" };
        // An interpreter may set a variable for itself.
        assert_eq!(text(&first).replace("LC_CTYPE ", ""), format!("KEY_A {fd} 1 x o\n"));
        // These make no difference to the helper, and these do.
        bench.await_ready(2);
        assert_eq!(bench.run("true", &[("KEY_A", "1"), ("KEY_FREE", "y"), ("MORE", "m")]).start, Start::Warm);
        let other = bench.run("true", &[("KEY_A", "2")]);
        assert_eq!(other.start, Start::ColdInstead(ColdReason::NothingReady));
    }
}

#[test]
fn another_interpreter_or_helper_is_another_key() {
    for bench in Bench::both() {
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        fs::remove_file(bench.path("bin/python")).unwrap();
        fs::copy("/usr/bin/python3", bench.path("bin/python")).unwrap();
        assert_eq!(bench.run("true", &[]).start, Start::ColdInstead(ColdReason::NothingReady));
        bench.run_warm("true", &[]);
        bench.await_ready(4);
        let changed = fs::read_to_string(bench.helper()).unwrap() + "\n# changed\n";
        fs::write(bench.helper(), changed).unwrap();
        assert_eq!(bench.run("true", &[]).start, Start::ColdInstead(ColdReason::NothingReady));
    }
}

#[test]
fn whatever_the_helper_answers_the_run_happens() {
    for mode in [WorkerMode::Oneshot, WorkerMode::Fork] {
        let patience = Duration::from_millis(500);
        let bench = Bench::with_limits(mode, PoolLimits { patience, ..PoolLimits::default() });
        let check = |act: &str, expect: &ColdReason| {
            bench.run_warm("true", &[]);
            let until = Instant::now() + Duration::from_mins(1);
            loop {
                let outcome = bench.run("echo done >> count; echo done", &[("ACT", act)]);
                assert_eq!(text(&outcome), "done\n");
                // Every run happens once, whatever became of the offer.
                assert_eq!(fs::read_to_string(bench.path("count")).unwrap(), "done\n", "{act}");
                fs::remove_file(bench.path("count")).unwrap();
                if outcome.start == Start::ColdInstead(expect.clone()) {
                    break;
                }
                assert!(Instant::now() < until, "{act}: {outcome:?}");
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        check("decline", &ColdReason::Declined { why: "not this one".to_owned() });
        check("stale", &ColdReason::Declined { why: "the world has changed".to_owned() });
        check("nonsense", &ColdReason::Nonsense);
        check("silence", &ColdReason::Silent);
    }
}

#[test]
fn a_helper_that_cannot_start_is_not_tried_at_every_call() {
    for bench in Bench::both() {
        fs::write(bench.helper(), "import sys; sys.exit('no way')").unwrap();
        let until = Instant::now() + Duration::from_secs(30);
        let failed = |outcome: &Outcome| match &outcome.start {
            Start::ColdInstead(ColdReason::Failed { why }) => why == "no way" || why.is_empty(),
            Start::ColdInstead(ColdReason::Nonsense) => true,
            _ => false,
        };
        loop {
            let outcome = bench.run("echo done", &[]);
            assert_eq!(text(&outcome), "done\n");
            if failed(&outcome) {
                break;
            }
            assert!(Instant::now() < until, "{outcome:?}");
        }
    }
}

#[test]
fn a_secret_reaches_the_job_and_nothing_before_it() {
    for mut bench in Bench::both() {
        bench.secrets = vec![("KEY_FREE", "hunter2 hunter2"), ("PRIVATE", "another one")];
        let script = "echo $KEY_FREE $PRIVATE; echo $LIKE >&2";
        bench.run_warm(script, &[("HOME", "/unseen")]);
        bench.await_ready(2);
        let outcome = bench.run(script, &[("HOME", "/unseen")]);
        assert_eq!((text(&outcome), &outcome.start), ("hunter2 hunter2 another one\n", &Start::Warm));
        let like = String::from_utf8(outcome.errors.bytes).unwrap();
        for hidden in ["hunter2", "another", "unseen"] {
            assert!(!like.contains(hidden), "{like}");
        }
        // What the helper would be started with cannot be a secret.
        bench.secrets = vec![("TOKEN", "hunter2")];
        let refused = ColdReason::SecretAtStart { variable: "TOKEN".to_owned() };
        assert_eq!(bench.run("true", &[]).start, Start::ColdInstead(refused));
    }
}

#[test]
fn time_and_cancellation_end_everything() {
    for mut bench in Bench::both() {
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        bench.timeout = Duration::from_millis(300);
        let marker = format!("40{}.125", std::process::id());
        let outcome = bench.run(&format!("setsid sleep {marker} & sleep {marker}"), &[]);
        assert_eq!(
            (outcome.start, outcome.failure),
            (Start::Warm, Some(Failure::TimedOut { limit: bench.timeout }))
        );
        bench.timeout = Duration::from_secs(30);
        bench.await_ready(2);
        let cancel = CancelToken::new().unwrap();
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                cancel.cancel();
            });
            bench.run_with(&format!("(setsid sleep {marker} &); sleep {marker}"), &[], b"", Some(&cancel))
        });
        assert_eq!((outcome.start, outcome.failure), (Start::Warm, Some(Failure::Cancelled)));
        assert_eq!(processes_with(&marker), Vec::<String>::new());
    }
}

#[test]
fn many_at_once_all_succeed() {
    for bench in Bench::both() {
        bench.run_warm("true", &[]);
        std::thread::scope(|scope| {
            let bench = &bench;
            let threads: Vec<_> = (0..32)
                .map(|number| scope.spawn(move || bench.run(&format!("echo {number}; sleep 0.05"), &[])))
                .collect();
            for (number, thread) in threads.into_iter().enumerate() {
                let outcome = thread.join().unwrap();
                assert_eq!(
                    (text(&outcome), outcome.failure),
                    (format!("{number}\n").as_str(), None),
                    "{outcome:?}"
                );
            }
        });
    }
}

#[test]
fn what_nobody_uses_leaves() {
    for mut bench in Bench::both() {
        bench.idle = Duration::from_secs(1);
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        let until = Instant::now() + Duration::from_secs(30);
        while !processes_with(bench.helper().to_str().unwrap()).is_empty() {
            assert!(Instant::now() < until, "{:?}", bench.pool);
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(bench.pool.ready(), 0);
    }
}

#[test]
fn the_pool_keeps_no_more_than_it_may_and_nothing_afterwards() {
    for mode in [WorkerMode::Oneshot, WorkerMode::Fork] {
        let bench = Bench::with_limits(mode, PoolLimits { keys: 2, ..PoolLimits::default() });
        for key in ["1", "2", "3"] {
            bench.run_warm("true", &[("KEY_A", key)]);
        }
        bench.await_ready(4);
        assert_eq!(bench.run("true", &[("KEY_A", "1")]).start, Start::ColdInstead(ColdReason::NothingReady));
        let helper = bench.helper();
        drop(bench);
        assert_eq!(processes_with(helper.to_str().unwrap()), Vec::<String>::new());
    }
}

#[test]
fn a_killed_worker_is_replaced() {
    for bench in Bench::both() {
        bench.run_warm("true", &[]);
        bench.await_ready(2);
        // What is being made at this moment is not there to be killed yet.
        loop {
            let alive = processes_with(bench.helper().to_str().unwrap());
            if alive.is_empty() {
                break;
            }
            for line in alive {
                let pid = line.split(':').next().unwrap().parse().unwrap();
                let pid = rustix::process::Pid::from_raw(pid).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        let outcome = bench.run("echo done", &[]);
        assert_eq!(text(&outcome), "done\n");
        let Start::ColdInstead(reason) = &outcome.start else { panic!("{outcome:?}") };
        assert!(!reason.to_string().trim_end().ends_with(':'), "{reason}");
        // Nobody has to ask for it a second time.
        bench.await_ready(2);
        assert_eq!(text(&bench.run_warm("echo again", &[])), "again\n");
    }
}

/// Live processes with this in their command line.
fn processes_with(marker: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(marker) && name.parse::<i32>().is_ok() {
            found.push(format!("{name}: {line}"));
        }
    }
    found
}
