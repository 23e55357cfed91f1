//! Whether anything survives a timeout, and how late the answer comes.

use std::sync::Mutex;
use std::time::Duration;

use lillux::process::{Ending, Mechanism, RunErrorKind, RunRequest, run};

use crate::report::{Bound, Figure, Findings, Row, Timing};
use crate::samples::Samples;
use crate::{Effort, Result};

/// The same descendants that the tests use. They are read from standard input, so that any user can run them.
const HOSTILE: &str = include_str!("../../crates/lillux/tests/it/process/hostile.pl");
const TIMEOUT: Duration = Duration::from_millis(200);
const GRACE: Duration = Duration::from_millis(50);
const THREADS: usize = 2;

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let count = match effort {
        Effort::Quick => 8,
        Effort::Full => 200,
    };
    let mut findings = Findings::default();
    for mechanism in Mechanism::STRONGEST_FIRST {
        findings.extend(attack(mechanism, count)?);
    }
    Ok(findings)
}

/// Lets `count` timeouts strike programs with five hostile descendants each.
fn attack(mechanism: Mechanism, count: usize) -> Result<Vec<Row>> {
    let marker = format!("rye-bench-hostile-{}-{}", mechanism.name(), std::process::id());
    let request = RunRequest::new("/usr/bin/perl")
        .args(["-", &marker])
        .stdin(HOSTILE)
        .timeout(TIMEOUT)
        .grace(GRACE)
        .containment([mechanism]);
    let late = Mutex::new(Vec::new());
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..count / THREADS {
                    match run(&request) {
                        Ok(outcome) if matches!(outcome.ending, Ending::TimedOut { .. }) => {
                            let over = outcome.duration.saturating_sub(TIMEOUT + GRACE);
                            lock(&late).push(over);
                        }
                        Ok(outcome) => *lock(&failure) = Some(format!("{:?}", outcome.ending)),
                        Err(error) if matches!(error.kind(), RunErrorKind::NoContainment { .. }) => {
                            *lock(&failure) = Some(error.kind().to_string());
                            return;
                        }
                        Err(error) => *lock(&failure) = Some(error.to_string()),
                    }
                }
            });
        }
    });
    let name = mechanism.name();
    if let Some(failure) = lock(&failure).take() {
        return Ok(vec![Row::absent(format!("{name}: timeouts"), failure)]);
    }
    let (survivors, zombies) = remains(&marker)?;
    let late = Samples::new(std::mem::take(&mut *lock(&late)));
    let worst = late.quantile(1.0);
    let none = Bound::AtMost(0.0);
    let what = format!("{name}: {count} timeouts × 5 descendants");
    let limit = Some(Duration::from_millis(250));
    Ok(vec![
        Figure::count(format!("{what}, survivors"), survivors, none).into(),
        Figure::count(format!("{what}, zombies"), zombies, none).into(),
        Timing { what: format!("{name}: how late after deadline and grace"), ours: late, limit: None }.into(),
        Timing { what: format!("{name}: the latest"), ours: Samples::new(vec![worst]), limit }.into(),
    ])
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Counts the live processes that carry the marker, and the dead children that we have not collected.
fn remains(marker: &str) -> Result<(usize, usize)> {
    let own = std::process::id().to_string();
    let (mut survivors, mut zombies) = (0, 0);
    for entry in std::fs::read_dir("/proc")?.flatten() {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        survivors += usize::from(String::from_utf8_lossy(&line).contains(marker));
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
        zombies += usize::from(fields.next() == Some("Z") && fields.next() == Some(&own));
    }
    Ok((survivors, zombies))
}
