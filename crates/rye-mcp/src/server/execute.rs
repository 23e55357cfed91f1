//! `execute`.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lillux::clock::SystemClock;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rye_engine::{Cancellation, Engine, EngineError, ExecuteRequest};
use rye_item::{ItemId, ItemRef};
use rye_plan::Parameters;
use rye_run::journal::{RunId, RunIdPrefix, RunStatus};
use serde_json::json;
use tokio::time::Instant;

use super::arguments::{ActionArgument, ExecuteArguments};
use super::blocking::panicked;
use super::consent::{Consent, Question};
use super::direct_answer::DirectAnswer;
use super::failure::Failure;
use super::handler::Shared;
use super::live_runs::Ending;
use super::policy::Policy;
use super::progress::{ProgressLines, Reporter};
use super::reply::Reply;
use super::run_cancel::RunCancel;
use super::shell_command::shell_command;
use super::turn::{Turn, Work};
use super::{direct_answer, plan_answer, run_record, tasks};

/// The record of a run is looked at often at first, for short runs, and less often later.
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// So much of the parameters stands in a question.
const SHOWN: usize = 1000;

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
            return Ok(CallToolResult::from(self.server.places.plan(planning).await?).into());
        }
        let harmless = ExecuteRequest { only_harmless: true, ..request };
        if let Some(answer) = self.begin(&engine, &harmless).await? {
            return Ok(answer);
        }
        match self.consent(&harmless).await? {
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
            let reply = self.server.places.plan(move || start(&engine, &request)).await?;
            return Ok(reply.map(|reply| CallToolResult::from(reply).into()));
        }
        let knows_tasks = self.context.client_capabilities().is_some_and(|known| known.supports_tasks());
        Ok(Some(match self.run(engine, request).await? {
            Waited::Over(reply) => CallToolResult::from(*reply).into(),
            Waited::Answered => direct_answer::given().into(),
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

    async fn consent(&self, request: &ExecuteRequest) -> Result<Consent, Failure> {
        let question = question(self.server, request, self.arguments.project_path.as_deref())?;
        self.server.questions.ask(&question, self.call, self.context).await
    }

    async fn run(&self, engine: Arc<Engine>, request: ExecuteRequest) -> Result<Waited, Failure> {
        let id = RunId::generate(&SystemClock);
        let cancel = RunCancel::default();
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
        let direct = DirectAnswer::to(self.context);
        let turn = Turn { work, cancel, lines, sender, direct: direct.clone() };
        match self.server.places.run_now() {
            Some(place) => turn.take(place),
            None => drop(tokio::spawn(turn.wait())),
        }
        let mut reporter = Reporter::new(self.context, progress);
        let is_over = tokio::select! {
            _ = answer.wait_for(Option::is_some) => Some(true),
            never = reporter.go_on() => match never {},
            () = self.context.ct.cancelled() => Some(false),
            () = self.server.closing.cancelled() => Some(false),
            () = tokio::time::sleep(self.server.settings.inline_wait) => None,
        };
        let is_over = match is_over {
            Some(is_over) => is_over,
            None if direct.as_ref().is_none_or(DirectAnswer::claim) => {
                guard.0 = None;
                return Ok(Waited::GoesOn(id));
            }
            // It is being answered at this moment.
            None => answer.wait_for(Option::is_some).await.is_ok(),
        };
        if is_over {
            reporter.finish().await;
        } else {
            drop(guard.0.take().inspect(RunCancel::cancel));
            // Nothing of it is left when this is answered.
            let _ = answer.wait_for(Option::is_some).await;
        }
        guard.0 = None;
        self.server.live.forget(id);
        if direct.is_some_and(|direct| direct.is_given()) {
            return Ok(Waited::Answered);
        }
        let ending = answer.borrow().clone();
        match ending {
            Some(Ending::Answered(reply)) => Ok(Waited::Over(Box::new(reply))),
            Some(Ending::NotAgreed(_)) => Ok(Waited::NotAgreed),
            // The thread is gone without an answer.
            None => Err(panicked()),
        }
    }

    /// How a run stands, now or after a while.
    async fn look(&self, engine: Arc<Engine>, id: &RunIdPrefix) -> Result<Reply, Failure> {
        let most = self.server.settings.inline_wait;
        let wait = match self.arguments.action {
            ActionArgument::Wait => self.arguments.timeout()?.unwrap_or(most).min(most),
            _ => Duration::ZERO,
        };
        if let Some((id, mut answer)) = own_run(id, |id| self.server.live.answer(id)) {
            if !wait.is_zero() {
                tokio::select! {
                    _ = answer.wait_for(Option::is_some) => {}
                    () = tokio::time::sleep(wait) => {}
                    () = self.context.ct.cancelled() => return Err(Failure::cancelled()),
                }
            }
            let reply = answer.borrow().as_ref().map(|ending| ending.reply().clone());
            return Ok(reply.unwrap_or_else(|| goes_on(id)));
        }
        tokio::select! {
            reply = self.look_at_record(&engine, id, wait) => reply,
            () = self.context.ct.cancelled() => Err(Failure::cancelled()),
            () = self.server.closing.cancelled() => Err(Failure::cancelled()),
        }
    }

    /// How a run stands that goes on elsewhere. Between two looks nothing is kept open, since many may wait for very long.
    async fn look_at_record(
        &self,
        engine: &Arc<Engine>,
        id: &RunIdPrefix,
        wait: Duration,
    ) -> Result<Reply, Failure> {
        let until = Instant::now() + wait;
        let mut pause = FIRST_PAUSE;
        let (resolving, id) = (Arc::clone(engine), id.clone());
        let id = self.server.places.look(move || Ok(resolving.resolve_run(&id)?)).await?;
        loop {
            let (engine, project) = (Arc::clone(engine), self.arguments.project_path.clone());
            let look = move || {
                let (record, _) = engine.find_run(id)?;
                Ok((record.status(), run_record::answer(&engine, &record, project.as_deref())?))
            };
            let (status, reply) = self.server.places.look(look).await?;
            let now = Instant::now();
            if status != RunStatus::Running || now >= until {
                return Ok(reply);
            }
            tokio::time::sleep_until(until.min(now + pause)).await;
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
    }

    async fn cancel(&self, engine: Arc<Engine>, id: &RunIdPrefix) -> Result<Reply, Failure> {
        if let Some((id, (mut answer, was_running))) = own_run(id, |id| self.server.live.cancel(id)) {
            let _ = answer.wait_for(Option::is_some).await;
            let status =
                answer.borrow().as_ref().map_or(RunStatus::Lost, |ending| ending.reply().run_status());
            return Ok(is_over(id, was_running, status));
        }
        let id = id.clone();
        let cancelling = move || {
            let (record, was_running) = match engine.cancel_run(engine.resolve_run(&id)?)? {
                Cancellation::Ended(record) => (record, true),
                Cancellation::WasOver(record) => (record, false),
            };
            Ok(is_over(record.id(), was_running, record.status()))
        };
        self.server.places.look(cancelling).await
    }
}

/// What became of a run while somebody waited for it.
enum Waited {
    Over(Box<Reply>),
    /// It is over, and that was said.
    Answered,
    GoesOn(RunId),
    /// There is none: the operator has to agree first.
    NotAgreed,
}

/// Items that say that they may destroy something need the operator's consent.
pub(super) fn question(
    server: &Shared,
    request: &ExecuteRequest,
    project: Option<&Path>,
) -> Result<Question, Failure> {
    let (id, parameters) = (&request.item.id, request.parameters.to_json());
    let project = project.map(Path::to_string_lossy);
    let mut words = vec!["rye", "execute", id.as_str()];
    let mut message = format!("`{id}` may destroy something. Run it");
    if let Some(project) = &project {
        words.extend(["--project", project]);
        let _ = write!(message, " in `{}`", project.escape_debug());
    }
    if !request.parameters.is_empty() {
        words.extend(["--params", &parameters]);
        let shown: String = parameters.chars().take(SHOWN).collect();
        let more = if shown.len() < parameters.len() { "…" } else { "" };
        let _ = write!(message, " with {shown}{more}");
    }
    message.push('?');
    Ok(Question {
        rule: Policy::read(&server.user_space()?)?.destructive,
        name: "destructive",
        action: format!("running `{id}`, which may destroy something,"),
        message,
        command: shell_command(&words),
        about: None,
    })
}

/// A run that this server watches over.
fn own_run<T>(id: &RunIdPrefix, find: impl Fn(RunId) -> Option<T>) -> Option<(RunId, T)> {
    let id: RunId = id.to_string().parse().ok()?;
    find(id).map(|found| (id, found))
}

/// Cancels what nobody waits for any more.
struct CancelOnDrop(Option<RunCancel>);

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

pub(super) fn goes_on(id: RunId) -> Reply {
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
