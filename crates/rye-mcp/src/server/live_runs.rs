//! The runs that this server watches over: they end with it, and can be waited for.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rye_run::journal::RunId;
use tokio::sync::watch;

use super::reply::Reply;
use super::run_cancel::RunCancel;

/// So many answers are kept of runs that were answered by their id first.
const KEPT: usize = 64;

/// What becomes of a run: nothing yet, or its end.
pub(super) type Answer = watch::Receiver<Option<Ending>>;

/// What a run came to.
#[derive(Debug, Clone)]
pub(super) enum Ending {
    /// Something, or nothing for a reason that counts for everybody.
    Answered(Reply),
    /// Nothing, because the operator has to agree first. The call asks if it still waits; this answer is for whoever asks for
    /// the run later.
    NotAgreed(Reply),
}

/// The runs of this server.
#[derive(Debug, Default)]
pub(super) struct LiveRuns(Mutex<Vec<LiveRun>>);

#[derive(Debug)]
struct LiveRun {
    id: RunId,
    cancel: RunCancel,
    answer: Answer,
}

impl LiveRuns {
    /// A run that begins. Its answer goes to what is returned.
    pub(super) fn begin(&self, id: RunId, cancel: &RunCancel) -> (watch::Sender<Option<Ending>>, Answer) {
        let (sender, answer) = watch::channel(None);
        let mut runs = self.lock();
        runs.push(LiveRun { id, cancel: cancel.clone(), answer: answer.clone() });
        let ended = runs.iter().filter(|run| run.has_ended()).count();
        let mut surplus = ended.saturating_sub(KEPT);
        runs.retain(|run| {
            let leaves = surplus > 0 && run.has_ended();
            surplus -= usize::from(leaves);
            !leaves
        });
        (sender, answer)
    }

    /// A run that was answered, and that nobody will ask for again.
    pub(super) fn forget(&self, id: RunId) {
        self.lock().retain(|run| run.id != id);
    }

    /// The answer of a run, now or later, if it is one of ours.
    pub(super) fn answer(&self, id: RunId) -> Option<Answer> {
        self.lock().iter().find(|run| run.id == id).map(|run| run.answer.clone())
    }

    /// Ends a run, if it is one of ours. Tells whether it went on until then.
    pub(super) fn cancel(&self, id: RunId) -> Option<(Answer, bool)> {
        let runs = self.lock();
        let run = runs.iter().find(|run| run.id == id)?;
        let was_running = !run.has_ended();
        run.cancel.cancel();
        Some((run.answer.clone(), was_running))
    }

    /// Ends all runs, and waits until they are over.
    pub(super) async fn end_all(&self) {
        let mut answers: VecDeque<_> = {
            let runs = self.lock();
            for run in runs.iter() {
                run.cancel.cancel();
            }
            runs.iter().map(|run| run.answer.clone()).collect()
        };
        while let Some(mut answer) = answers.pop_front() {
            // A run whose thread is gone has no answer, and is over too.
            let _ = answer.wait_for(Option::is_some).await;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<LiveRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Ending {
    /// What somebody hears who asks for the run by its id.
    pub(super) fn reply(&self) -> &Reply {
        match self {
            Self::Answered(reply) | Self::NotAgreed(reply) => reply,
        }
    }
}

impl LiveRun {
    fn has_ended(&self) -> bool {
        self.answer.borrow().is_some() || self.answer.has_changed().is_err()
    }
}
