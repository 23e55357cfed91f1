//! Runs whose calls the protocol's library does not see.
//!
//! On its way through the library a call passes several tasks, is read five times, and leaves behind what has to be told of its
//! answer. In a session of the older form of the protocol, a plain call of `execute` needs nothing of that: it is run by the thread
//! that has read it, and answered by the same. A call that turns out to need the operator's consent, before anything of it has
//! run, is handed to the library, which can ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use lillux::clock::SystemClock;
use rmcp::model::RequestId;
use rye_engine::{ExecuteRequest, PendingRecord};
use rye_run::journal::RunId;
use tokio::sync::mpsc::UnboundedSender;
use tokio::task::block_in_place;
use tokio::time::Instant;

use super::execute::goes_on;
use super::failure::Failure;
use super::handler::Shared;
use super::live_runs::Ending;
use super::outlet::Outlet;
use super::progress::ProgressLines;
use super::run_cancel::RunCancel;
use super::short_call::ShortCall;
use super::turn::Work;

/// Takes calls of one client.
#[derive(Debug, Clone)]
pub(super) struct ShortWay(Arc<Way>);

#[derive(Debug)]
struct Way {
    server: Arc<Shared>,
    outlet: Outlet,
    /// Where calls go that need the library after all.
    library: UnboundedSender<HandedOver>,
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    by_request: HashMap<RequestId, Arc<ShortRun>>,
    /// Whether somebody waits for the first of them to take too long.
    is_timed: bool,
}

/// A run that was called for. Its call is answered once, or not at all.
#[derive(Debug)]
struct ShortRun {
    id: RunId,
    cancel: RunCancel,
    /// When the call is answered with the id of the run, if ever.
    patience: Option<Instant>,
    /// What is done about the call, which one decides.
    fate: OnceLock<Fate>,
}

/// A call that needs the library after all.
#[derive(Debug)]
pub(super) struct HandedOver {
    run: Arc<ShortRun>,
    text: Bytes,
}

impl HandedOver {
    /// The message, unless it was cancelled on the way.
    pub(super) fn take(self) -> Option<Bytes> {
        self.run.decide(Fate::Answered).then_some(self.text)
    }
}

/// What is done about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is answered, or handed to the library.
    Answered,
    /// It was cancelled, and is not answered.
    Cancelled,
}

impl ShortWay {
    pub(super) fn new(server: Arc<Shared>, outlet: Outlet, library: UnboundedSender<HandedOver>) -> Self {
        Self(Arc::new(Way { server, outlet, library, runs: Mutex::default() }))
    }

    /// Whether a request with this id has not been answered yet.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.0.runs().by_request.get(id).is_some_and(|run| !run.is_decided())
    }

    /// Runs what a message calls for, unless that is for the library.
    pub(super) fn take(&self, call: ShortCall, text: &Bytes) -> bool {
        let ShortCall { id, request, project } = call;
        let server = &self.0.server;
        let Ok(engine) = server.projects.engine(project.as_deref()) else { return false };
        let Some(place) = server.places.run_now() else { return false };
        tracing::debug!("call of execute");
        let cancel = RunCancel::default();
        let patience = Instant::now().checked_add(server.settings.inline_wait);
        let run = RunId::generate(&SystemClock);
        let request = ExecuteRequest { run_id: Some(run), ..request };
        let run = Arc::new(ShortRun { id: run, cancel, patience, fate: OnceLock::new() });
        self.remember(&id, &run);
        let (sender, _) = server.live.begin(run.id, &run.cancel);
        let work = Work { engine, request, server: Arc::clone(server), project, with_plan: false };
        let (way, text) = (Arc::clone(&self.0), text.clone());
        let work = Box::new(move || {
            let (lines, _) = ProgressLines::new();
            let (ending, record) = match run.cancel.begin() {
                Ok(token) => work.run(&token, lines),
                Err(error) => (Ending::Answered(Failure::from(error).into()), None),
            };
            way.end(&id, &run, &ending, text);
            sender.send_replace(Some(ending));
            // Whoever was woken up by the answer may be waiting for this very processor.
            std::thread::yield_now();
            if let Some(Err(error)) = record.map(PendingRecord::write) {
                tracing::warn!("a run is not on record: {}", rye_engine::with_sources(&error));
            }
            drop(place);
        });
        // The thread that has read the call does the work, and another one reads on: nobody has to wake up for it first.
        tokio::spawn(async { block_in_place(work) });
        true
    }

    /// Ends a run whose call is cancelled, if it is one of these and not answered yet. It has no answer then.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let run = self.0.runs().by_request.remove(id).filter(|run| run.decide(Fate::Cancelled));
        run.inspect(|run| run.cancel.cancel()).is_some()
    }

    /// Waits until all of them are answered, but no longer than this.
    pub(super) async fn is_idle(&self, end: Instant) {
        const PAUSE: Duration = Duration::from_millis(5);
        while Instant::now() < end && !self.0.runs().by_request.values().all(|run| run.is_decided()) {
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn remember(&self, id: &RequestId, run: &Arc<ShortRun>) {
        let mut runs = self.0.runs();
        runs.by_request.retain(|_, run| !run.is_decided());
        runs.by_request.insert(id.clone(), Arc::clone(run));
        if !runs.is_timed {
            runs.is_timed = true;
            tokio::spawn(Arc::clone(&self.0).tell_of_long_ones());
        }
    }
}

impl Way {
    fn end(&self, id: &RequestId, run: &Arc<ShortRun>, ending: &Ending, text: Bytes) {
        // Whoever waits for all answers to be written waits for this one from here on.
        let _waiting = self.outlet.backlog.begin();
        let reply = match ending {
            Ending::NotAgreed(_) if !run.is_decided() => {
                // If nobody receives it, the connection is over.
                let _ = self.library.send(HandedOver { run: Arc::clone(run), text });
                return;
            }
            Ending::Answered(reply) | Ending::NotAgreed(reply) => reply,
        };
        if !run.decide(Fate::Answered) {
            // Whoever has the id of the run may ask for it. Nobody has that of one whose call was cancelled.
            if run.fate.get() == Some(&Fate::Cancelled) {
                self.server.live.forget(run.id);
            }
            return;
        }
        self.outlet.answer(id, reply);
        self.server.live.forget(run.id);
    }

    /// Answers calls whose runs take too long with the ids of these, for as long as there are runs. All have the same time, so the
    /// first of them is the one to wait for.
    async fn tell_of_long_ones(self: Arc<Self>) {
        loop {
            let next = {
                let mut runs = self.runs();
                runs.by_request.retain(|_, run| !run.is_decided());
                let next = runs.by_request.values().filter_map(|run| run.patience).min();
                runs.is_timed = next.is_some();
                next
            };
            let Some(next) = next else { return };
            tokio::time::sleep_until(next).await;
            let now = Instant::now();
            let _waiting = self.outlet.backlog.begin();
            let has_time = |run: &ShortRun| run.patience.is_none_or(|patience| patience > now);
            let is_late = |run: &ShortRun| !has_time(run) && run.decide(Fate::Answered);
            let late: Vec<_> = {
                let runs = self.runs();
                let late = runs.by_request.iter().filter(|(_, run)| is_late(run));
                late.map(|(id, run)| (id.clone(), run.id)).collect()
            };
            for (id, run) in late {
                self.outlet.answer(&id, &goes_on(run));
            }
        }
    }

    /// What is known stays true if a thread panics, so nobody minds.
    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ShortRun {
    /// Decides what is done about the call. That is up to the first who does.
    fn decide(&self, fate: Fate) -> bool {
        self.fate.set(fate).is_ok()
    }

    fn is_decided(&self) -> bool {
        self.fate.get().is_some()
    }
}
