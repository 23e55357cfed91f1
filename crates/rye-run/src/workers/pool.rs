//! The pool itself: where a run gets a process that is ready.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use lillux::process::Remains;
use lillux::process::spare::{Spare, Verdict};
use rye_metadata::metadata::WorkerMode;
use rye_plan::WorkerPlan;

use super::cold_reason::ColdReason;
use super::entry::{Discarded, Entry, Recipe, RecipeTerms};
use super::job::WarmJob;
use super::keeper::keep;
use super::key::PoolKey;
use super::known_jobs::KnownJobs;
use super::stillness::{Start, Stillness, UNCHANGED};
use super::verdict::judge;

/// Processes that are ready. Any number of threads can take some; when it is dropped, they all end.
#[derive(Debug)]
pub struct WorkerPool {
    shared: Arc<Shared>,
    known: KnownJobs,
    keeper: Option<JoinHandle<()>>,
}

/// How much a pool keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    /// For how many ways to start a helper processes are kept; the one that was not used for the longest time leaves.
    pub keys: usize,
    /// How long a process may take to answer before the run starts cold.
    pub patience: Duration,
}

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) changed: Condvar,
    pub(super) limits: PoolLimits,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) entries: HashMap<PoolKey, Entry>,
    pub(super) discarded: Discarded,
    pub(super) made: u64,
    pub(super) is_closed: bool,
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self { keys: 16, patience: Duration::from_secs(2) }
    }
}

impl Default for WorkerPool {
    fn default() -> Self {
        Self::new(PoolLimits::default())
    }
}

impl WorkerPool {
    /// A pool that has nothing yet: it learns from the runs what is needed.
    #[must_use]
    pub fn new(limits: PoolLimits) -> Self {
        let shared = Arc::new(Shared { state: Mutex::default(), changed: Condvar::new(), limits });
        let keeps = Arc::clone(&shared);
        // Without the thread nothing is ever ready, and every run starts cold.
        let keeper = std::thread::Builder::new().name("workers".to_owned()).spawn(move || keep(&keeps)).ok();
        Self { shared, known: KnownJobs::default(), keeper }
    }

    /// A process that has taken the job, or why there is none. Then nothing of the job has been done.
    pub(crate) fn begin(
        &self,
        worker: &mut WorkerPlan,
        job: WarmJob<'_>,
        stillness: Option<&dyn Stillness>,
        cancel: Option<&CancelToken>,
    ) -> Result<Spare, ColdReason> {
        let told = self.known.told(job, &worker.keyed_by)?;
        let start = worker.start.as_ref().ok_or(ColdReason::NoHelper)?;
        let key = PoolKey::of(worker, start, job.request, &told)?;
        // Before one is taken: of a helper that fails meanwhile, none is given out that this would be said of.
        let (known, generation) = self.start_of(&key, stillness);
        let mut spare = self.take(&key, told.example.clone(), || {
            let copy = worker.start.take().ok_or(ColdReason::NoHelper)?.copy;
            Ok(Recipe::new(RecipeTerms::of(worker), &key, Some(copy)))
        })?;
        let unchanged = if known == Start::Unchanged { UNCHANGED } else { &[] };
        let message = [&told.message, unchanged].concat();
        let answer = spare.offer(&message, &job.request.stdin, self.shared.limits.patience, cancel);
        match judge(answer, cancel) {
            Ok(()) => {
                self.succeed(&key);
                if !spare.told().is_empty() {
                    self.confirm(&key, (known, generation), spare.told());
                }
                Ok(spare)
            }
            Err((Verdict::Unfit, reason)) => {
                self.fail(&key, reason.clone());
                Err(reason)
            }
            Err((_, reason)) => {
                self.refill();
                Err(reason)
            }
        }
    }

    /// What is known about the start of the helper of a key, and of which one of them.
    fn start_of(&self, key: &PoolKey, stillness: Option<&dyn Stillness>) -> (Start, u64) {
        let mut state = self.shared.lock();
        let entry = state.entries.get_mut(key);
        entry
            .map_or((Start::Unsure(None), 0), |entry| (entry.dependencies.state(stillness), entry.generation))
    }

    /// Notes what a spare has looked at before it took its job.
    fn confirm(&self, key: &PoolKey, (known, generation): (Start, u64), told: &[u8]) {
        let mut state = self.shared.lock();
        if let Some(entry) = state.entries.get_mut(key).filter(|entry| entry.generation == generation) {
            entry.dependencies.confirm(known, told);
        }
    }

    /// Notes that a spare took its job.
    pub(super) fn succeed(&self, key: &PoolKey) {
        if let Some(entry) = self.shared.lock().entries.get_mut(key) {
            entry.succeed();
        }
    }

    /// Throws away what is ready for a key.
    pub(super) fn fail(&self, key: &PoolKey, reason: ColdReason) {
        let mut state = self.shared.lock();
        let State { entries, discarded, .. } = &mut *state;
        if let Some(entry) = entries.get_mut(key) {
            entry.fail(reason, discarded);
        }
        self.shared.changed.notify_one();
    }

    /// Waits for what is left of a run, but not here, and has what is missing made. It is best said after the answer, since it wakes
    /// somebody up.
    pub fn bury(&self, remains: Remains) {
        self.shared.lock().discarded.remains.push(remains);
        self.refill();
    }

    /// Has what is missing made.
    pub(crate) fn refill(&self) {
        self.shared.changed.notify_one();
    }

    /// How many processes are ready.
    #[must_use]
    pub fn ready(&self) -> usize {
        self.shared.lock().entries.values().map(|entry| entry.spares.len()).sum()
    }

    /// Ends all processes that are ready, and keeps no others.
    pub fn close(&self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let entries = std::mem::take(&mut state.entries);
        let discarded = std::mem::take(&mut state.discarded);
        drop(state);
        self.shared.changed.notify_one();
        drop((entries, discarded));
    }

    /// A spare that was ready, or that a server makes at once. If nothing is known about the key, it is from now on.
    pub(super) fn take(
        &self,
        key: &PoolKey,
        example: Option<Arc<str>>,
        recipe: impl FnOnce() -> Result<Recipe, ColdReason>,
    ) -> Result<Spare, ColdReason> {
        let mut state = self.shared.lock();
        let State { entries, discarded, made, is_closed } = &mut *state;
        let Some(entry) = entries.get_mut(key) else {
            if !*is_closed {
                let mut entry = Entry::new(recipe()?);
                entry.example = example;
                entries.insert(key.clone(), entry);
                self.shared.changed.notify_one();
            }
            return Err(ColdReason::NothingReady);
        };
        entry.last_used = Instant::now();
        entry.example = example;
        if let Some(server) = &entry.server {
            if server.is_over() {
                let reason = ColdReason::Failed { why: server.errors() };
                entry.fail(reason.clone(), discarded);
                self.refill();
                return Err(reason);
            }
            // A server that is still starting would take longer than the run does by itself.
            if !entry.is_proven && !server.is_attentive() {
                return Err(ColdReason::NothingReady);
            }
        }
        while let Some(spare) = entry.spares.pop_front() {
            if !spare.is_over() {
                // Whoever takes it has another one made when the run is over, or takes long. The next must not wait for that.
                if entry.spares.is_empty() {
                    self.refill();
                }
                return Ok(spare);
            }
            discarded.push(spare);
        }
        self.refill();
        if let Some(reason) = entry.blocked_for(Instant::now()) {
            return Err(reason.clone());
        }
        match (entry.recipe.mode, entry.server.clone()) {
            (WorkerMode::Fork, Some(server)) if entry.is_proven => {
                let (recipe, example, number) = (Arc::clone(&entry.recipe), entry.example.clone(), *made);
                *made += 1;
                drop(state);
                recipe
                    .spare(Some(&server), number, example.as_deref())
                    .map_err(|error| ColdReason::Failed { why: error.kind().to_string() })
            }
            _ => Err(ColdReason::NothingReady),
        }
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.shared.lock().is_closed = true;
        self.shared.changed.notify_one();
        if let Some(keeper) = self.keeper.take() {
            // A thread that has panicked keeps nothing.
            let _ = keeper.join();
        }
    }
}

impl Shared {
    /// What is known stays true if a thread panics, so nobody minds.
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
