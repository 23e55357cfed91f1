//! Programs that are talked to.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::time::Duration;

use lillux::process::{Ending, LiveProcess, LiveRequest, LiveStreams, RunErrorKind, start_live};

use super::CONTAINING;
use super::hostile::{assert_no_zombies, survivors};

const GRACE: Duration = Duration::from_millis(300);

fn shell(script: &str) -> LiveRequest {
    let mut request = LiveRequest::new("/bin/sh");
    request.args = ["-c", script].map(Into::into).to_vec();
    request.env.insert("PATH".into(), "/usr/bin:/bin".into());
    request
}

/// Starts a script, and waits until it has written a line.
fn ready(script: &str, request: impl Fn(LiveRequest) -> LiveRequest) -> (LiveProcess, LiveStreams) {
    let (process, mut streams) = start_live(&request(shell(script))).unwrap();
    let mut output = BufReader::new(File::from(streams.stdout));
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    streams.stdout = output.into_inner().into();
    (process, streams)
}

#[test]
fn a_program_answers_more_than_once() {
    let (process, streams) =
        start_live(&shell("while read line; do echo \"<$line>\"; done; exit 7")).unwrap();
    let mut input = File::from(streams.stdin);
    let mut output = BufReader::new(File::from(streams.stdout));
    for word in ["one", "two"] {
        writeln!(input, "{word}").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert_eq!(line, format!("<{word}>\n"));
    }
    assert!(!process.is_over());
    drop(input);
    assert_eq!(process.end(Duration::from_secs(30)).unwrap(), Ending::Exited { code: 7 });
}

#[test]
fn a_program_that_does_not_leave_is_told_to_and_then_killed() {
    let (process, streams) = ready("echo ready; exec sleep 3600", |request| request);
    drop(streams.stdin);
    assert_eq!(process.end(GRACE).unwrap(), Ending::Cancelled { killed: false });
    let (process, _streams) =
        ready("trap '' TERM; echo ready; while :; do sleep 0.01; done", |request| request);
    assert_eq!(process.end(GRACE).unwrap(), Ending::Cancelled { killed: true });
    assert_no_zombies();
}

#[test]
fn nothing_that_a_program_started_is_left() {
    for (index, mechanism) in CONTAINING.into_iter().enumerate() {
        for is_dropped in [true, false] {
            let mark = format!("360{index}.{}{}", u8::from(is_dropped), std::process::id());
            let script = format!(
                "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep {mark} & sleep {mark}' & echo ready; sleep {mark}"
            );
            let only = |mut request: LiveRequest| {
                request.containment = vec![mechanism];
                request
            };
            let (process, streams) = ready(&script, only);
            if is_dropped {
                drop(process);
            } else {
                process.end(GRACE).unwrap();
            }
            assert_eq!(survivors(&mark), [""; 0], "{mechanism:?}");
            let mut rest = String::new();
            File::from(streams.stderr).read_to_string(&mut rest).unwrap();
            assert_eq!(rest, "", "nobody holds the pipe");
        }
    }
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let error = start_live(&LiveRequest::new("/no/such/program")).unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::ProgramNotFound { .. }), "{error:?}");
}
