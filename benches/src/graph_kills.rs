//! A graph whose process is killed a thousand times: every step has its effect once, and none that is done runs again.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use lillux::Digest;
use rye_graph::Event;
use rye_graph::driver::{GraphJournalErrorKind, GraphRuns, Removal, RunStatus};

use crate::execute::rye;
use crate::report::{Bound, Figure, Findings, Unit};
use crate::workshop::Workshop;
use crate::{Effort, Result};

/// The graph, and the tool that its steps execute: those of the tests.
const FORTY_STEPS: &str = include_str!("../../crates/rye/tests/it/graph/forty_steps.yaml");
const EFFECT: &str = include_str!("../../crates/rye/tests/it/graph/effect.yaml");

/// So many steps have an effect.
const EFFECTS: usize = 37;

/// So many lives a run has at least: a process lives for that part of the time that a run takes which nobody kills, or less.
const LIVES: u32 = 3;

/// A machine that is too slow for this is told so.
const ENOUGH: Duration = Duration::from_mins(8);

const SIGKILL: i32 = 9;

/// What all threads have come to.
#[derive(Default)]
struct Tally {
    kills: AtomicUsize,
    runs: AtomicUsize,
    interrupted: AtomicUsize,
    /// Somebody has found something wrong, and the others need not go on.
    failed: AtomicBool,
}

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let wanted = if effort == Effort::Quick { 5 } else { 1_000 };
    let (tally, start) = (Tally::default(), Instant::now());
    // A process that is about to be killed waits for the disk most of the time.
    let threads = std::thread::available_parallelism()?.get() * 2;
    std::thread::scope(|scope| {
        let tally = &tally;
        let workers: Vec<_> = (0..threads)
            .map(|number| {
                // An error of any kind does not go from thread to thread, and its words do.
                scope
                    .spawn(move || kill_runs(number, wanted, start, tally).map_err(|error| error.to_string()))
            })
            .collect();
        let mut told = start;
        while workers.iter().any(|worker| !worker.is_finished()) {
            std::thread::sleep(Duration::from_millis(20));
            if told.elapsed() >= Duration::from_secs(5) {
                told = Instant::now();
                let (kills, runs) = (tally.kills.load(Ordering::Relaxed), tally.runs.load(Ordering::Relaxed));
                eprintln!(
                    "graph-kills: {kills} of {wanted} kills, {runs} runs, {} s",
                    start.elapsed().as_secs()
                );
            }
        }
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has panicked")?)
    })?;
    let what = format!("{} kills in {} graph runs", tally.kills.into_inner(), tally.runs.into_inner());
    let mut findings = Findings::default();
    findings.push(Figure::new(what.clone(), start.elapsed().as_secs_f64(), Unit::Seconds, Bound::Open));
    // A run that is not as it should be ends the benchmark.
    let wrong = "effects or steps made twice or lost";
    findings.push(Figure::count(format!("{what}: {wrong}"), 0, Bound::AtMost(0.0)));
    findings.push(Figure::count(
        format!("{what}: steps marked as interrupted"),
        tally.interrupted.into_inner(),
        Bound::Open,
    ));
    Ok(findings)
}

/// Runs the graph again and again until all threads together have killed often enough.
fn kill_runs(number: usize, wanted: usize, start: Instant, tally: &Tally) -> Result<()> {
    let tools = [("demo/effect.yaml", EFFECT.to_owned()), ("demo/forty.yaml", FORTY_STEPS.to_owned())];
    let mut bench = Bench { workshop: Workshop::new(&tools)?, number, lives: 0, longest: None, tally };
    while tally.kills.load(Ordering::Relaxed) < wanted && !tally.failed.load(Ordering::Relaxed) {
        if start.elapsed() > ENOUGH {
            let kills = tally.kills.load(Ordering::Relaxed);
            return Err(format!("only {kills} of {wanted} kills in {} s", ENOUGH.as_secs()).into());
        }
        let run = bench.one_run();
        tally.failed.fetch_or(run.is_err(), Ordering::Relaxed);
        run?;
    }
    Ok(())
}

struct Bench<'t> {
    workshop: Workshop,
    /// Which of the threads it is.
    number: usize,
    lives: u64,
    /// The longest life of a process. The first one is not killed, and tells.
    longest: Option<Duration>,
    tally: &'t Tally,
}

impl Bench<'_> {
    /// Runs the graph, and kills it again and again, until it is over.
    fn one_run(&mut self) -> Result<()> {
        for name in ["ran", "effects", "lock"] {
            let _ = std::fs::remove_file(self.workshop.path("home").join(name));
        }
        let folder = GraphRuns::new(self.workshop.path("project/.ai/state/graphs"));
        // There is none but ours: what is over is removed.
        let mut id: Option<String> = None;
        let (mut ran, mut done) = (0, Vec::new());
        loop {
            let status = match &id {
                None => self.life(&["graph", "run", "demo/forty"])?,
                Some(id) => self.life(&["graph", "resume", id])?,
            };
            self.tally.kills.fetch_add(usize::from(status.signal() == Some(SIGKILL)), Ordering::Relaxed);
            if id.is_none() {
                id = folder.ids()?.pop();
            }
            let Some(run) = &id else { continue };
            let journal = match folder.open(run) {
                // It was killed before it had begun.
                Err(error) if matches!(error.kind(), GraphJournalErrorKind::NeverBegan) => {
                    folder.remove(run)?;
                    return Ok(());
                }
                opened => opened?,
            };
            let (mut now_done, mut interrupted) = (Vec::new(), 0);
            journal.history(&mut |past| {
                match past.event {
                    Some(Event::StepSucceeded { step, .. }) => now_done.push(step.call()),
                    Some(Event::StepInterrupted { .. }) => interrupted += 1,
                    _ => {}
                }
                true
            })?;
            let lines = self.lines("ran")?;
            let again = lines[ran..]
                .iter()
                .find(|line| done.iter().any(|call| line.starts_with(&format!("{call}@"))));
            if let Some(line) = again {
                return Err(format!("`{line}` was on record as done, and ran again").into());
            }
            if !now_done.starts_with(&done) {
                return Err("what was on record is gone".into());
            }
            (ran, done) = (lines.len(), now_done);
            let how = journal.status()?;
            drop(journal);
            if how.is_over() {
                self.tally.runs.fetch_add(1, Ordering::Relaxed);
                self.tally.interrupted.fetch_add(interrupted, Ordering::Relaxed);
                self.check_end(run, how, &done)?;
                // Processes of the last life may still have a hand on it.
                while folder.remove(run)? != Removal::Removed {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Ok(());
            }
            if status.signal().is_none() {
                return Err(format!("the run stopped: {status}").into());
            }
        }
    }

    /// Every step has had its effect once, under its own key, and is on record once.
    fn check_end(&self, run: &str, how: RunStatus, done: &[String]) -> Result<()> {
        let effects = self.lines("effects")?;
        let keys: HashSet<String> = done.iter().map(|call| format!("{run}/{call}")).collect();
        let is_whole = how == RunStatus::Completed
            && (effects.len(), done.len(), keys.len()) == (EFFECTS, EFFECTS, EFFECTS)
            && effects.iter().collect::<HashSet<_>>() == keys.iter().collect();
        if !is_whole {
            return Err(format!("{how}: {} effects, {} steps done", effects.len(), done.len()).into());
        }
        Ok(())
    }

    /// One life of the process, which may end before its time.
    #[expect(
        clippy::disallowed_methods,
        reason = "it is killed from outside, as nothing of ours would do it"
    )]
    fn life(&mut self, words: &[&str]) -> Result<ExitStatus> {
        self.lives += 1;
        let chance = Digest::of(format!("{}/{}", self.number, self.lives).as_bytes());
        let spread = u16::from_be_bytes([chance.as_bytes()[0], chance.as_bytes()[1]]);
        let arguments: Vec<OsString> = rye(words)?;
        let mut command = Command::new(&arguments[0]);
        command.args(&arguments[1..]).env_clear().envs(self.workshop.environment());
        command
            .current_dir(self.workshop.project())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn()?;
        let start = Instant::now();
        let until =
            start + self.longest.map_or(ENOUGH, |longest| longest * u32::from(spread) / u32::from(u16::MAX));
        while Instant::now() < until {
            if let Some(status) = child.try_wait()? {
                self.longest.get_or_insert_with(|| start.elapsed() / LIVES);
                return Ok(status);
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        child.kill()?;
        Ok(child.wait()?)
    }

    fn lines(&self, name: &str) -> Result<Vec<String>> {
        match std::fs::read_to_string(self.workshop.path("home").join(name)) {
            Ok(text) => Ok(text.lines().map(str::to_owned).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}
