//! What is kept ready for one key.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lillux::process::spare::{SOCKET, Spare, SpareRequest, SpareServer};
use lillux::process::{Remains, RunError, RunErrorKind};
use rye_metadata::metadata::WorkerMode;
use rye_plan::{ToolCopy, WorkerPlan};
use serde::{Deserialize, Serialize};

use super::cold_reason::ColdReason;
use super::job::spare_message;
use super::key::PoolKey;
use super::stillness::StartDependencies;

/// How spares of a key are made.
#[derive(Debug)]
pub(super) struct Recipe {
    pub(super) mode: WorkerMode,
    request: SpareRequest,
    pub(super) spares: usize,
    pub(super) idle: Duration,
    /// The helper stays where it is for as long as it may be started.
    _copy: Option<ToolCopy>,
}

/// What a runtime says about those that are kept ready.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct RecipeTerms {
    pub(super) mode: WorkerMode,
    spares: usize,
    idle: Duration,
}

/// What is ready for one key.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) recipe: Arc<Recipe>,
    pub(super) server: Option<Arc<SpareServer>>,
    pub(super) spares: VecDeque<Spare>,
    /// Whether the server has made a spare that took its job. Then it is ready itself, and can make another at once.
    pub(super) is_proven: bool,
    pub(super) example: Option<Arc<str>>,
    pub(super) last_used: Instant,
    pub(super) dependencies: StartDependencies,
    /// Grows when everything is thrown away, so that what was begun before is not put in afterwards.
    pub(super) generation: u64,
    failures: u32,
    pub(super) blocked: Option<(Instant, ColdReason)>,
}

/// What has to be ended, which may take a moment.
#[derive(Debug, Default)]
pub(super) struct Discarded {
    pub(super) remains: Vec<Remains>,
    spares: Vec<Spare>,
    servers: Vec<Arc<SpareServer>>,
}

/// The pause after the first failure; it doubles with each of them.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// How long a run that has just begun is left alone.
const SETTLING: Duration = Duration::from_millis(4);

impl Recipe {
    pub(super) fn new(terms: RecipeTerms, key: &PoolKey, copy: Option<ToolCopy>) -> Self {
        let RecipeTerms { mode, spares, idle } = terms;
        let mut env: BTreeMap<OsString, OsString> = (*key.env).clone();
        let variable = match mode {
            WorkerMode::Fork => "RYE_SERVER_FD",
            WorkerMode::Oneshot | WorkerMode::Session => "RYE_JOB_FD",
        };
        env.insert(variable.into(), SOCKET.to_string().into());
        let request = SpareRequest {
            program: key.program.clone().into(),
            args: key.args.iter().map(Into::into).collect(),
            // It keeps no folder from being removed.
            cwd: Some("/".into()),
            env,
        };
        Self { mode, request, spares, idle, _copy: copy }
    }

    /// Starts the server, if this recipe has one.
    pub(super) fn server(&self) -> Result<SpareServer, RunError> {
        SpareServer::start(&self.request)
    }

    /// Makes a spare.
    pub(super) fn spare(
        &self,
        server: Option<&SpareServer>,
        number: u64,
        example: Option<&str>,
    ) -> Result<Spare, RunError> {
        match server {
            Some(server) => server.spare(&spare_message(number, example)),
            None => Spare::start(&self.request),
        }
    }
}

impl RecipeTerms {
    pub(super) fn of(plan: &WorkerPlan) -> Self {
        Self { mode: plan.mode, spares: plan.spares, idle: plan.idle }
    }
}

impl Entry {
    pub(super) fn new(recipe: Recipe) -> Self {
        Self {
            recipe: Arc::new(recipe),
            server: None,
            spares: VecDeque::new(),
            is_proven: false,
            example: None,
            last_used: Instant::now(),
            dependencies: StartDependencies::default(),
            generation: 0,
            failures: 0,
            blocked: None,
        }
    }

    /// Whether another spare should be made now.
    pub(super) fn wants_spare(&self, now: Instant) -> bool {
        self.lacks_spares() && self.blocked_for(now).is_none() && self.refill_at() <= now
    }

    /// Why nothing is made for it at this time.
    pub(super) fn blocked_for(&self, now: Instant) -> Option<&ColdReason> {
        self.blocked.as_ref().filter(|(until, _)| *until > now).map(|(_, reason)| reason)
    }

    fn lacks_spares(&self) -> bool {
        self.spares.len() < self.recipe.spares
    }

    /// While a run begins, making the next process would take time from it. If none is left, that cannot wait.
    fn refill_at(&self) -> Instant {
        if self.spares.is_empty() { self.last_used } else { self.last_used + SETTLING }
    }

    /// When there is something to do for it, if nobody uses it.
    pub(super) fn next_deadline(&self) -> Instant {
        let idle = self.last_used + self.recipe.idle;
        let next = if self.lacks_spares() { idle.min(self.refill_at()) } else { idle };
        match &self.blocked {
            Some((until, _)) if self.lacks_spares() => idle.min(next.max(*until)),
            _ => next,
        }
    }

    pub(super) fn is_idle(&self, now: Instant) -> bool {
        now >= self.last_used + self.recipe.idle
    }

    /// Notes that a spare took its job.
    pub(super) fn succeed(&mut self) {
        self.is_proven = true;
        self.failures = 0;
        self.blocked = None;
    }

    /// Throws everything away, and waits a little before it is made again: the longer, the more often this happens.
    pub(super) fn fail(&mut self, reason: ColdReason, discarded: &mut Discarded) {
        let pause = FIRST_PAUSE.saturating_mul(1 << self.failures.min(16)).min(LONGEST_PAUSE);
        self.failures += 1;
        self.blocked = Some((Instant::now() + pause, reason));
        self.is_proven = false;
        self.generation += 1;
        self.dependencies = StartDependencies::default();
        discarded.spares.extend(self.spares.drain(..));
        discarded.servers.extend(self.server.take());
    }

    /// The same for something that will not be different later.
    pub(super) fn fail_for(&mut self, error: &RunError, discarded: &mut Discarded) {
        if matches!(error.kind(), RunErrorKind::NoContainment { .. }) {
            self.failures = 16;
        }
        self.fail(failed(error), discarded);
    }

    pub(super) fn discard(self, discarded: &mut Discarded) {
        discarded.spares.extend(self.spares);
        discarded.servers.extend(self.server);
    }
}

impl Discarded {
    pub(super) fn push(&mut self, spare: Spare) {
        self.spares.push(spare);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.remains.is_empty() && self.spares.is_empty() && self.servers.is_empty()
    }
}

/// A failure in words.
fn failed(error: &RunError) -> ColdReason {
    ColdReason::Failed { why: error.kind().to_string() }
}
