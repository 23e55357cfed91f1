//! `execute`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use lillux::CancelToken;
use lillux::clock::SystemClock;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rye_engine::{Cancellation, Engine, EngineError, ExecuteRequest, Executed, PendingRecord};
use rye_item::{ItemId, ItemRef};
use rye_plan::Parameters;
use rye_run::journal::{RunId, RunIdPrefix, RunStatus};
use rye_run::runner::Start;
use serde_json::json;
use tokio::task::spawn_blocking;

use super::arguments::{ActionArgument, ExecuteArguments};
use super::blocking::{blocking, panicked};
use super::consent::{Consent, Question};
use super::failure::Failure;
use super::handler::Shared;
use super::policy::Policy;
use super::progress::{ProgressLines, Reporter};
use super::reply::Reply;
use super::{plan_answer, run_answer, run_record, tasks};

/// A call of `execute`, with what it needs.
pub(super) struct Execution<'a> {
    pub(super) server: &'a Arc<Shared>,
    pub(super) arguments: ExecuteArguments,
    /// The arguments as they were sent, if that is known.
    pub(super) sent: Option<Parameters>,
    pub(super) call: &'a CallToolRequestParams,
    pub(super) context: &'a RequestContext<RoleServer>,
}

impl Execution<'_> {
    pub(super) async fn carry_out(self) -> Result<CallToolResponse, Failure> {
        let engine = self.server.projects.engine(self.arguments.project_path.as_deref())?;
        if self.arguments.action != ActionArgument::Run {
            let id: RunIdPrefix = self.arguments.item_id.parse()?;
            let reply = match self.arguments.action {
                ActionArgument::Cancel => self.cancel(engine, &id).await?,
                _ => self.look(engine, &id).await?,
            };
            return Ok(CallToolResult::from(reply).into());
        }
        let request = self.request()?;
        if self.arguments.dry_run {
            let (server, project) = (Arc::clone(self.server), self.arguments.project_path.clone());
            let planning = move || plan_answer::planned(&engine, &request, &server, project.as_deref());
            return Ok(CallToolResult::from(blocking(planning).await?).into());
        }
        let harmless = ExecuteRequest { only_harmless: true, ..request };
        if let Some(answer) = self.begin(&engine, &harmless).await? {
            return Ok(answer);
        }
        match self.consent(&harmless.item.id).await? {
            Consent::Asked(question) => Ok((*question).into()),
            Consent::Given => {
                let agreed = ExecuteRequest { only_harmless: false, ..harmless };
                self.begin(&engine, &agreed).await?.ok_or_else(panicked)
            }
        }
    }

    /// Begins the run and answers, unless nothing has run because the operator has to agree first.
    async fn begin(
        &self,
        engine: &Arc<Engine>,
        request: &ExecuteRequest,
    ) -> Result<Option<CallToolResponse>, Failure> {
        let (engine, request) = (Arc::clone(engine), request.clone());
        if self.arguments.is_async {
            let reply = blocking(move || start(&engine, &request)).await?;
            return Ok(reply.map(|reply| CallToolResult::from(reply).into()));
        }
        let knows_tasks = self.context.client_capabilities().is_some_and(|known| known.supports_tasks());
        Ok(Some(match self.run(engine, request).await? {
            Waited::Over(reply) => CallToolResult::from(*reply).into(),
            Waited::GoesOn(run) if knows_tasks => tasks::created(run).into(),
            Waited::GoesOn(run) => CallToolResult::from(goes_on(run)).into(),
            Waited::NotAgreed => return Ok(None),
        }))
    }

    fn request(&self) -> Result<ExecuteRequest, Failure> {
        let id = ItemId::new(self.arguments.item_id.as_str()).map_err(EngineError::from)?;
        let item = ItemRef::new(self.arguments.item_type, id);
        let wrong = |error| Failure::arguments(format!("the parameters cannot be read: {error}"));
        let sent = self.sent.as_ref().and_then(|sent| sent.sent("parameters"));
        let parameters = match (sent, &self.arguments.parameters) {
            (Some(sent), Some(_)) => Parameters::parse(sent.get()).map_err(wrong)?,
            (None, Some(read)) => {
                Parameters::from_pairs(read.iter().map(|(name, value)| (name, value.clone())))
                    .map_err(wrong)?
            }
            (_, None) => Parameters::default(),
        };
        let timeout = self.arguments.timeout()?;
        Ok(ExecuteRequest { parameters, timeout, ..ExecuteRequest::new(item) })
    }

    /// Items that say that they may destroy something need the operator's consent.
    async fn consent(&self, id: &ItemId) -> Result<Consent, Failure> {
        let question = Question {
            rule: Policy::read(&self.server.user_space()?)?.destructive,
            name: "destructive",
            action: format!("running `{id}`, which may destroy something,"),
            message: format!("`{id}` says that it may destroy something. Run it?"),
            command: format!("rye execute {id}"),
        };
        self.server.questions.ask(&question, self.call, self.context).await
    }

    async fn run(&self, engine: Arc<Engine>, request: ExecuteRequest) -> Result<Waited, Failure> {
        let id = RunId::generate(&SystemClock);
        let cancel = CancelToken::new()?;
        let mut guard = CancelOnDrop(Some(cancel.clone()));
        let (sender, mut answer) = self.server.live.begin(id, &cancel);
        let (lines, progress) = ProgressLines::new();
        let work = Work {
            engine,
            request: ExecuteRequest { run_id: Some(id), ..request },
            server: Arc::clone(self.server),
            project: self.arguments.project_path.clone(),
            with_plan: self.arguments.trace,
        };
        let thread = spawn_blocking(move || {
            let Some((reply, record)) = work.run(&cancel, lines) else { return Worked::NotAgreed };
            sender.send_replace(Some(reply));
            // Whoever was woken up by that may be waiting for this very processor.
            std::thread::yield_now();
            if let Some(Err(error)) = record.map(PendingRecord::write) {
                tracing::warn!("a run is not on record: {}", rye_engine::with_sources(&error));
            }
            Worked::Answered
        });
        let mut reporter = Reporter::new(self.context, progress);
        let is_over = tokio::select! {
            _ = answer.wait_for(Option::is_some) => true,
            never = reporter.go_on() => match never {},
            () = self.context.ct.cancelled() => false,
            () = self.server.closing.cancelled() => false,
            () = tokio::time::sleep(self.server.settings.inline_wait) => {
                guard.0 = None;
                return Ok(Waited::GoesOn(id));
            }
        };
        if is_over {
            reporter.finish().await;
        } else {
            drop(guard.0.take().inspect(CancelToken::cancel));
            // Nothing of it is left when this is answered.
            let _ = answer.wait_for(Option::is_some).await;
        }
        guard.0 = None;
        self.server.live.forget(id);
        let reply = answer.borrow().clone();
        match reply {
            Some(reply) => Ok(Waited::Over(Box::new(reply))),
            // The thread is gone without an answer.
            None => match thread.await {
                Ok(Worked::NotAgreed) => Ok(Waited::NotAgreed),
                Ok(Worked::Answered) | Err(_) => Err(panicked()),
            },
        }
    }

    /// How a run stands, now or after a while.
    async fn look(&self, engine: Arc<Engine>, id: &RunIdPrefix) -> Result<Reply, Failure> {
        let most = self.server.settings.inline_wait;
        let wait = match self.arguments.action {
            ActionArgument::Wait => self.arguments.timeout()?.unwrap_or(most).min(most),
            _ => std::time::Duration::ZERO,
        };
        if let Some((id, mut answer)) = own_run(id, |id| self.server.live.answer(id)) {
            if !wait.is_zero() {
                tokio::select! {
                    _ = answer.wait_for(Option::is_some) => {}
                    () = tokio::time::sleep(wait) => {}
                    () = self.context.ct.cancelled() => return Err(Failure::cancelled()),
                }
            }
            let reply = answer.borrow().clone();
            return Ok(reply.unwrap_or_else(|| goes_on(id)));
        }
        let never = CancelToken::new()?;
        let guard = CancelOnDrop(Some(never.clone()));
        let (id, project) = (id.clone(), self.arguments.project_path.clone());
        let looking = blocking(move || {
            let id = engine.resolve_run(&id)?;
            if !wait.is_zero() {
                engine.wait_for_run(id, Some(wait), &never)?;
            }
            run_record::answer(&engine, &engine.find_run(id)?.0, project.as_deref())
        });
        let reply = tokio::select! {
            reply = looking => reply,
            () = self.context.ct.cancelled() => Err(Failure::cancelled()),
            () = self.server.closing.cancelled() => Err(Failure::cancelled()),
        };
        drop(guard);
        reply
    }

    async fn cancel(&self, engine: Arc<Engine>, id: &RunIdPrefix) -> Result<Reply, Failure> {
        if let Some((id, (mut answer, was_running))) = own_run(id, |id| self.server.live.cancel(id)) {
            let _ = answer.wait_for(Option::is_some).await;
            let status = answer.borrow().as_ref().map_or(RunStatus::Lost, Reply::run_status);
            return Ok(is_over(id, was_running, status));
        }
        let id = id.clone();
        blocking(move || {
            let (record, was_running) = match engine.cancel_run(engine.resolve_run(&id)?)? {
                Cancellation::Ended(record) => (record, true),
                Cancellation::WasOver(record) => (record, false),
            };
            Ok(is_over(record.id(), was_running, record.status()))
        })
        .await
    }
}

/// What became of a run while somebody waited for it.
enum Waited {
    Over(Box<Reply>),
    GoesOn(RunId),
    /// There is none: the operator has to agree first.
    NotAgreed,
}

/// How the thread of a run ended.
enum Worked {
    Answered,
    NotAgreed,
}

/// A run on its own thread.
struct Work {
    engine: Arc<Engine>,
    request: ExecuteRequest,
    server: Arc<Shared>,
    project: Option<PathBuf>,
    with_plan: bool,
}

impl Work {
    /// What came of it, if anything was allowed to.
    fn run(&self, cancel: &CancelToken, mut lines: ProgressLines) -> Option<(Reply, Option<PendingRecord>)> {
        let work = || {
            let done = self.engine.execute(&self.request, Some(cancel), &mut |event| lines.take(&event));
            match done {
                Ok(done) => Ok(Some(done)),
                Err(EngineError::NotAgreed { .. }) => Ok(None),
                Err(error) => Err(Failure::from(error)),
            }
        };
        Some(match catch_unwind(AssertUnwindSafe(work)) {
            Ok(Ok(None)) => return None,
            Ok(Ok(Some((report, record)))) => {
                let mut reply = run_answer::answer(&report, &self.server.outputs, self.project.as_deref());
                if let (Some(plan), true) = (&report.plan, self.with_plan) {
                    let view = self.server.settings.plan_view;
                    plan_answer::put_plan(&mut reply, plan, &self.engine.mask(plan), view);
                    if let Executed::Run { outcome, .. } = &report.result
                        && let Start::ColdInstead(reason) = &outcome.start
                    {
                        reply.note(format!("it started cold: {reason}"));
                    }
                }
                (reply, Some(record))
            }
            Ok(Err(failure)) => (failure.into(), None),
            Err(_) => (panicked().into(), None),
        })
    }
}

/// A run that this server watches over.
fn own_run<T>(id: &RunIdPrefix, find: impl Fn(RunId) -> Option<T>) -> Option<(RunId, T)> {
    let id: RunId = id.to_string().parse().ok()?;
    find(id).map(|found| (id, found))
}

/// Cancels what nobody waits for any more.
struct CancelOnDrop(Option<CancelToken>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancel) = &self.0 {
            cancel.cancel();
        }
    }
}

fn start(engine: &Engine, request: &ExecuteRequest) -> Result<Option<Reply>, Failure> {
    let id = match engine.start_async(request) {
        Err(EngineError::NotAgreed { .. }) => return Ok(None),
        started => started?,
    };
    let mut reply = Reply::new("running");
    reply.put("run_id", json!(id.to_string()));
    reply.text = format!("run {id} goes on by itself: ask for it with action `wait` and item_id `{id}`\n");
    Ok(Some(reply))
}

fn goes_on(id: RunId) -> Reply {
    let mut reply = Reply::new("running");
    reply.put("run_id", json!(id.to_string()));
    reply.text = format!(
        "run {id} goes on, for as long as this server does: ask for it with action `wait` and item_id `{id}`\n"
    );
    reply
}

fn is_over(id: RunId, was_running: bool, status: RunStatus) -> Reply {
    let mut reply = Reply::new("success");
    reply.put("run_id", json!(id.to_string()));
    reply.put("data", json!({ "was_running": was_running, "state": status }));
    reply.text = if was_running {
        format!("run {id} is over: {status}\n")
    } else {
        format!("run {id} was over already: {status}\n")
    };
    reply
}
