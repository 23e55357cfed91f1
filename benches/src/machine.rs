//! What the machine itself does to a call that comes after a pause: the caches have forgotten, and threads sleep.
//!
//! A program that is called again and again in a loop never sees this, and a tool that is called now and then sees nothing
//! else. Both are floors of every other table: no call is faster than the memory that it has to read.

use std::hint::black_box;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use crate::comparison::{Comparison, Goal};
use crate::report::Findings;
use crate::{Effort, Result};

/// So many cache lines of 64 bytes are 512 KiB.
const LINES: u64 = 8192;
const PAUSES: [Duration; 2] = [Duration::from_millis(3), Duration::from_millis(30)];

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let samples = if effort == Effort::Quick { 3 } else { 100 };
    let mut findings = Findings::default();
    let lines = Lines::new();
    let echo = Echo::start();
    for pause in PAUSES {
        let when = format!("after {} ms / at once", pause.as_millis());
        findings.push(compare(
            format!("512 KiB of memory, line by line, {when}"),
            samples,
            pause,
            &mut || {
                black_box(lines.walk());
                Ok(())
            },
        )?);
        findings.push(compare(
            format!("a thread is asked and answers, {when}"),
            samples,
            pause,
            &mut || echo.ask(),
        )?);
    }
    Ok(findings)
}

/// The same after a pause, and right after that.
fn compare(
    what: String,
    samples: usize,
    pause: Duration,
    step: &mut dyn FnMut() -> Result<()>,
) -> Result<Comparison> {
    let mut timed = || -> Result<Duration> {
        let start = Instant::now();
        step()?;
        Ok(start.elapsed())
    };
    let (mut later, mut at_once) = (Vec::new(), Vec::new());
    for _ in 0..samples {
        std::thread::sleep(pause);
        later.push(timed()?);
        at_once.push(timed()?);
    }
    Ok(Comparison::of_times(what, Goal::Open, later, at_once))
}

/// Memory in which each line names the next one, in an order that nobody foresees.
struct Lines(Vec<[u64; 8]>);

impl Lines {
    fn new() -> Self {
        // A multiplier like this, with an odd summand, comes by every line before it comes back to the first.
        Self((0..LINES).map(|line| [(line * 1229 + 3) % LINES; 8]).collect())
    }

    fn walk(&self) -> u64 {
        (0..LINES).fold(0, |line, _| usize::try_from(line).map_or(0, |line| self.0[line][0]))
    }
}

/// A thread that answers.
struct Echo {
    ask: Sender<()>,
    answers: Receiver<()>,
}

impl Echo {
    fn start() -> Self {
        let (ask, asked) = channel();
        let (answer, answers) = channel();
        std::thread::spawn(move || while asked.recv().is_ok() && answer.send(()).is_ok() {});
        Self { ask, answers }
    }

    fn ask(&self) -> Result<()> {
        self.ask.send(())?;
        Ok(self.answers.recv()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let lines = Lines::new();
        let mut seen = vec![false; lines.0.len()];
        let mut line = 0;
        for _ in 0..LINES {
            seen[line] = true;
            line = usize::try_from(lines.0[line][0]).unwrap();
        }
        assert!(line == 0 && seen.iter().all(|seen| *seen));
    }
}
