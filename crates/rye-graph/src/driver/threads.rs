//! The threads that steps are made on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

use lillux::CancelToken;

use super::{StepCall, StepOutcome, StepRunner};
use crate::{StepFailure, StepId};

/// A step that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) step: StepId,
    pub(super) outcome: StepOutcome,
    pub(super) duration: Duration,
}

/// Threads that make steps. There are never more than steps that are under way at the same time.
#[derive(Debug)]
pub(super) struct Threads<'s, 'e, 'r> {
    scope: &'s Scope<'s, 'e>,
    runner: RunnerRef<'r>,
    jobs: Sender<Job>,
    waiting: Arc<Mutex<Receiver<Job>>>,
    results: Sender<Ended>,
    count: usize,
    busy: usize,
}

#[derive(Clone, Copy)]
struct RunnerRef<'r>(&'r dyn StepRunner);

#[derive(Debug)]
struct Job {
    call: StepCall,
    cancel: CancelToken,
}

impl<'s, 'e, 'r: 's> Threads<'s, 'e, 'r> {
    pub(super) fn new(scope: &'s Scope<'s, 'e>, runner: &'r dyn StepRunner) -> (Self, Receiver<Ended>) {
        let (jobs, waiting) = channel();
        let (results, ended) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        (Self { scope, runner: RunnerRef(runner), jobs, waiting, results, count: 0, busy: 0 }, ended)
    }

    /// Makes a step. How it ended comes through the channel, for a brief one at once.
    pub(super) fn start(&mut self, call: StepCall, cancel: CancelToken) -> std::io::Result<()> {
        if self.runner.0.is_brief(&call.start) {
            self.busy += 1;
            let ended = make(self.runner, Job { call, cancel });
            return self.results.send(ended).map_err(std::io::Error::other);
        }
        // A brief step of which nobody has heard counts as well, so there may be a thread more than needed, and never less.
        if self.busy >= self.count {
            let (runner, waiting, results) = (self.runner, Arc::clone(&self.waiting), self.results.clone());
            std::thread::Builder::new()
                .name("graph step".to_owned())
                .spawn_scoped(self.scope, move || work(runner, &waiting, &results))?;
            self.count += 1;
        }
        self.busy += 1;
        // It can only fail if no thread is left, and one was just made if there was none.
        self.jobs.send(Job { call, cancel }).map_err(std::io::Error::other)
    }

    /// Takes note that somebody has heard how a step ended.
    pub(super) fn heard(&mut self) {
        self.busy = self.busy.saturating_sub(1);
    }
}

impl std::fmt::Debug for RunnerRef<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RunnerRef")
    }
}

fn work(runner: RunnerRef<'_>, waiting: &Mutex<Receiver<Job>>, results: &Sender<Ended>) {
    loop {
        let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if results.send(make(runner, job)).is_err() {
            return;
        }
    }
}

fn make(runner: RunnerRef<'_>, Job { call, cancel }: Job) -> Ended {
    let begin = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| runner.0.run(&call, &cancel)));
    let outcome = outcome.unwrap_or_else(|panic| StepOutcome::Fails(panicked(panic.as_ref())));
    Ended { step: call.start.step, outcome, duration: begin.elapsed() }
}

fn panicked(panic: &(dyn Any + Send)) -> StepFailure {
    let text = panic.downcast_ref::<&str>().copied().map(str::to_owned);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
    let message = format!("this program has a mistake: {text}");
    StepFailure { code: "INTERNAL".to_owned(), message, retryable: false }
}
