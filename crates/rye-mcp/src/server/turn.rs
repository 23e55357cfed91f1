//! A run of this server: its turn, and its work on a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use lillux::CancelToken;
use rye_engine::{Engine, EngineError, ExecuteReport, ExecuteRequest, Executed, PendingRecord};
use rye_run::runner::Start;
use tokio::sync::watch;
use tokio::task::block_in_place;

use super::blocking::panicked;
use super::consent::Question;
use super::direct_answer::DirectAnswer;
use super::execute::question;
use super::failure::Failure;
use super::handler::Shared;
use super::live_runs::Ending;
use super::places::RunPlace;
use super::policy::Rule;
use super::progress::ProgressLines;
use super::reply::Reply;
use super::run_cancel::RunCancel;
use super::{plan_answer, run_answer};

/// A run that is about to begin.
pub(super) struct Turn {
    pub(super) work: Work,
    pub(super) cancel: RunCancel,
    pub(super) lines: ProgressLines,
    pub(super) sender: watch::Sender<Option<Ending>>,
    /// The answer of the call, if it can be given here.
    pub(super) direct: Option<DirectAnswer>,
}

impl Turn {
    /// Waits for a place, unless the run is given up before there is one.
    pub(super) async fn wait(self) {
        let place = tokio::select! {
            place = self.work.server.places.run() => place,
            () = self.cancel.cancelled() => Err(Failure::cancelled()),
        };
        match place {
            Ok(place) => self.take(place),
            Err(failure) => drop(self.sender.send_replace(Some(Ending::Answered(failure.into())))),
        }
    }

    /// Begins on a thread of its own, and keeps the place until everything is done.
    pub(super) fn take(self, place: RunPlace) {
        let Self { work, cancel, lines, sender, direct } = self;
        let work = move || {
            let (mut ending, record) = match cancel.begin() {
                Ok(token) => work.run(&token, lines),
                Err(error) => (Ending::Answered(Failure::from(error).into()), None),
            };
            if let (Some(direct), Ending::Answered(reply), false) = (direct, &mut ending, cancel.is_asked()) {
                direct.give(reply);
            }
            sender.send_replace(Some(ending));
            // Whoever was woken up by that may be waiting for this very processor.
            std::thread::yield_now();
            if let Some(Err(error)) = record.map(PendingRecord::write) {
                tracing::warn!("a run is not on record: {}", rye_engine::with_sources(&error));
            }
            drop(place);
        };
        // The runtime moves what it is given from place to place, so that should be small.
        let work = Box::new(work);
        // The thread that has read the call does the work, and another one reads on: nobody has to wake up for it first.
        tokio::spawn(async { block_in_place(work) });
    }
}

/// A run on its own thread.
pub(super) struct Work {
    pub(super) engine: Arc<Engine>,
    pub(super) request: ExecuteRequest,
    pub(super) server: Arc<Shared>,
    pub(super) project: Option<PathBuf>,
    pub(super) with_plan: bool,
}

impl Work {
    /// What came of it, and the record that is still to be written.
    pub(super) fn run(
        &self,
        cancel: &CancelToken,
        mut lines: ProgressLines,
    ) -> (Ending, Option<PendingRecord>) {
        let done = catch_unwind(AssertUnwindSafe(|| self.execute(cancel, &mut lines)));
        let done = done.unwrap_or_else(|_| Err(panicked()));
        done.unwrap_or_else(|failure| (Ending::Answered(failure.into()), None))
    }

    /// Executes the item, unless the operator has to agree first. What the policy allows is done at once, because the call
    /// may have been answered by now.
    fn execute(
        &self,
        cancel: &CancelToken,
        lines: &mut ProgressLines,
    ) -> Result<(Ending, Option<PendingRecord>), Failure> {
        let mut execute =
            |request: &ExecuteRequest| match self
                .engine
                .execute(request, Some(cancel), &mut |event| lines.take(&event))
            {
                Ok((report, record)) => Ok(Some((Ending::Answered(self.reply(&report)), Some(record)))),
                Err(EngineError::NotAgreed { .. }) => Ok(None),
                Err(error) => Err(Failure::from(error)),
            };
        if let Some(done) = execute(&self.request)? {
            return Ok(done);
        }
        let failure = match question(&self.server, &self.request, self.project.as_deref()) {
            Ok(Question { rule: Rule::Allow, .. }) => {
                let agreed = ExecuteRequest { only_harmless: false, ..self.request.clone() };
                return execute(&agreed)?.ok_or_else(panicked);
            }
            Ok(question) => question.unasked(),
            Err(failure) => failure,
        };
        Ok((Ending::NotAgreed(failure.into()), None))
    }

    fn reply(&self, report: &ExecuteReport) -> Reply {
        let mut reply = run_answer::answer(report, &self.server, self.project.as_deref());
        if let (Some(plan), true) = (&report.plan, self.with_plan) {
            let view = self.server.settings.plan_view;
            plan_answer::put_plan(&mut reply, plan, &self.engine.mask(plan), view);
            if let Executed::Run { outcome, .. } = &report.result
                && let Start::ColdInstead(reason) = &outcome.start
            {
                reply.note(format!("it started cold: {reason}"));
            }
        }
        reply
    }
}
