//! Time, interruption, and what is left behind.

use std::time::{Duration, Instant};

use insta::assert_snapshot;

use super::{shell, tool, trusted};

#[test]
fn a_call_can_only_shorten_the_time() {
    let space = trusted();
    let yaml = |timeout: f64| {
        format!(
            "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
             config: {{command: sleep, args: [\"30\"], timeout: {timeout}}}\n"
        )
    };
    tool(&space, "t/slow.yaml", &yaml(60.0));
    let start = Instant::now();
    assert_snapshot!(space.rye(["execute", "t/slow", "--timeout", "0.5"]).show(), @"
    $ rye execute t/slow --timeout 0.5
    exit code: 124
    --- stderr
    error: tool:t/slow took longer than 0.5 s and was stopped [TIMEOUT]
    hint: give it more time in its `config.timeout`, or with `--timeout`
    ");
    tool(&space, "t/slow.yaml", &yaml(0.5));
    let output = space.rye(["execute", "t/slow", "--timeout", "60"]).output();
    assert_eq!(output.status.code(), Some(124));
    assert!(start.elapsed() < Duration::from_secs(25));
}

#[test]
fn an_interrupt_ends_everything_and_says_so() {
    let space = trusted();
    let mark = space.path("project/started");
    tool(&space, "t/long.sh", &shell("(setsid sleep 300 &) ; touch started; sleep 300"));
    let mut child = space.rye(["execute", "t/long"]).command();
    let child =
        child.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !mark.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_raw(child.id().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(
        stderr.contains("was interrupted, and everything it had started is gone [CANCELLED]"),
        "{stderr}"
    );
}

#[test]
fn many_at_once_leave_nothing_behind() {
    let space = trusted();
    tool(&space, "t/nap.sh", &shell("sleep 0.05; echo $$"));
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let output = space.rye(["execute", "t/nap"]).output();
                        assert!(output.status.success(), "{output:?}");
                    }
                })
            })
            .collect();
        for worker in workers {
            worker.join().unwrap();
        }
    });
    let runs = space.rye(["runs", "--limit", "100"]).json();
    assert_eq!(runs["runs"].as_array().unwrap().len(), 40);
}
