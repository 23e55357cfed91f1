//! Calls of tools of servers whose sessions are kept: what `rye mcp call` does, without a process for it.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use clap::Parser as _;
use lillux::Digest;
use lillux::process::{Channel, Ending};
use rye_engine::EngineSettings;
use rye_mcp::client::{ClientErrorKind, Kept, Patience, PoolError, ResolvedServer, Session, SessionPool};
use rye_run::sessions::{SessionEvent, SessionJob, SessionOutcome, Sessions};
use rye_run::workers::ColdReason;

use super::connection::texts;
use super::known_beginning::KnownBeginning;
use super::prepared_call::{CallEvent, CallFailure, CallFiles, PreparedCall};
use super::server_identity::{ProgramIdentity, server_key, session_key};

use crate::cli::{Cli, Command, McpArgs, McpCallArgs, McpCommand};
use crate::command_error::CommandError;
use crate::output::Output;

/// Sessions with the servers of all projects.
#[derive(Debug)]
pub(super) struct ServerSessions {
    settings: EngineSettings,
    pool: SessionPool,
    known: Mutex<HashMap<Vec<OsString>, Arc<KnownCall>>>,
}

/// A command line that was read before, with the files that it names.
#[derive(Debug)]
struct KnownCall {
    args: McpCallArgs,
    files: CallFiles,
    /// Its server, as the call before has reached it.
    reached: Mutex<Option<Arc<ReachedServer>>>,
}

/// A server, as it is reached with certain variables.
#[derive(Debug)]
struct ReachedServer {
    variables: Arc<BTreeMap<OsString, OsString>>,
    server: ResolvedServer,
    key: Digest,
}

/// So many sessions are kept.
const SESSIONS: usize = 16;
/// So many command lines are remembered.
const KNOWN: usize = 256;
/// A server that said how its tools are, and not that they have changed, is taken at its word for so long. A call that
/// starts the server asks each time; within this time after an answer a change that the server hides is not noticed.
const WORD: Duration = Duration::from_secs(1);
/// A server that was asked for something else before has so long to show that it still answers.
const SIGN_OF_LIFE: Duration = Duration::from_secs(2);

impl ServerSessions {
    pub(super) fn new(settings: &EngineSettings) -> Self {
        Self { settings: settings.clone(), pool: SessionPool::new(SESSIONS), known: Mutex::default() }
    }

    /// The call that a command line stands for, if it stands for one.
    fn known(&self, job: &SessionJob<'_>) -> Result<Arc<KnownCall>, ColdReason> {
        let request = job.request;
        let declined = |why: &str| ColdReason::Declined { why: why.to_owned() };
        if Path::new(&request.program) != self.settings.program {
            return Err(declined("another program is started"));
        }
        let known = self.known_calls().get(&request.args).cloned();
        if let Some(call) = known.filter(|call| call.files.is_current(&call.args, job.copies)) {
            return Ok(call);
        }
        let words = std::iter::once(OsString::from("rye")).chain(request.args.iter().cloned());
        let Ok(Cli { command: Command::Mcp(McpArgs { command: McpCommand::Call(args) }), .. }) =
            Cli::try_parse_from(words)
        else {
            return Err(declined("it is no call of a tool of a server"));
        };
        let files = CallFiles::read(&args).ok().filter(|files| files.is_current(&args, job.copies));
        let files = files.ok_or_else(|| declined("its files cannot be used"))?;
        let call = Arc::new(KnownCall { args, files, reached: Mutex::default() });
        let mut known = self.known_calls();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(request.args.clone(), Arc::clone(&call));
        Ok(call)
    }

    fn known_calls(&self) -> MutexGuard<'_, HashMap<Vec<OsString>, Arc<KnownCall>>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A session that answers, and why it was made for this call, if it was.
    fn session(
        &self,
        call: &PreparedCall<'_>,
        server_key: Digest,
        job: &SessionJob<'_>,
        patience: &Patience,
        events: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<Result<(Kept, Option<ColdReason>), CallFailure>, ColdReason> {
        let program = ProgramIdentity::of(call.server, call.folder.as_deref(), &job.request.env);
        let key = session_key(server_key, call.login.as_deref(), &program);
        let mut reason = ColdReason::NothingReady;
        loop {
            let begun = self.pool.get(key, job.idle, patience, || {
                // Starting a server takes its time.
                events(SessionEvent::GoesOn);
                let known = KnownBeginning::of(&self.settings, call.files, &program);
                let options = call.options().beginning(known.get());
                let session = Session::open(call.server, &options, patience)?;
                known.remember(&session);
                Ok(session)
            });
            let kept = match begun {
                Ok(kept) => kept,
                Err(PoolError::Server(error)) => return Ok(Err(error.into())),
                Err(PoolError::Full) => {
                    return Err(ColdReason::Failed { why: "all sessions are used".to_owned() });
                }
                Err(PoolError::Busy) => return Err(ColdReason::NothingReady),
            };
            if !kept.was_there {
                return Ok(Ok((kept, Some(reason))));
            }
            let age = if call.files.is_pinned() { WORD } else { Duration::MAX };
            match kept.renew(age, &patience.at_most(SIGN_OF_LIFE)) {
                Ok(()) => return Ok(Ok((kept, None))),
                Err(_) if patience.is_over() => return Ok(Ok((kept, None))),
                // Nothing has been asked of it yet, so another one can be.
                Err(error) => {
                    reason = match *error.kind {
                        ClientErrorKind::TimedOut { .. } => ColdReason::Silent,
                        kind => ColdReason::Failed { why: kind.to_string() },
                    };
                    kept.discard();
                }
            }
        }
    }
}

impl KnownCall {
    /// The server of a run, whose variables are most often those of the run before.
    fn reached(&self, job: &SessionJob<'_>) -> Result<Arc<ReachedServer>, CommandError> {
        let variables = &job.request.env;
        let mut reached = self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = reached.as_ref().filter(|known| known.variables == *variables) {
            return Ok(Arc::clone(known));
        }
        let names = variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
        let server = self.files.resolve(&texts(names))?;
        let key = server_key(&self.files, self.args.project_path.as_deref(), &server);
        let made = Arc::new(ReachedServer { variables: Arc::clone(variables), server, key });
        *reached = (!job.has_secrets).then(|| Arc::clone(&made));
        Ok(made)
    }
}

impl Sessions for ServerSessions {
    fn run(
        &self,
        job: &SessionJob<'_>,
        events: &mut dyn FnMut(SessionEvent<'_>),
    ) -> Result<SessionOutcome, ColdReason> {
        let request = job.request;
        let known = self.known(job)?;
        let patience = patience(job);
        let reached = match known.reached(job) {
            Ok(reached) => reached,
            Err(error) => return Ok(failed(error.into(), None, events)),
        };
        let server = &reached.server;
        let call = match PreparedCall::new(&known.files, &known.args, &self.settings, server, &request.stdin)
        {
            Ok(call) => call,
            Err(error) => return Ok(failed(error.into(), None, events)),
        };
        let (session, opened) = match self.session(&call, reached.key, job, &patience, events)? {
            Ok(session) => session,
            Err(failure) => return Ok(failed(failure, Some(ColdReason::NothingReady), events)),
        };
        let containment = session.containment();
        let done = call.carry_out(&session, WORD, &patience, &mut |event| match event {
            CallEvent::GoesOn => events(SessionEvent::GoesOn),
            CallEvent::Written(channel, bytes) => events(SessionEvent::Output { channel, bytes }),
        });
        let outcome = match done {
            Ok(code) => SessionOutcome { ending: Ending::Exited { code: code.into() }, containment, opened },
            Err(failure) => {
                if matches!(
                    failure.kind(),
                    Some(ClientErrorKind::Cancelled | ClientErrorKind::TimedOut { .. })
                ) {
                    // Before it is asked for anything else, it has to show that it answers.
                    session.forget_tools();
                }
                SessionOutcome { containment, ..failed(failure, opened, events) }
            }
        };
        Ok(outcome)
    }
}

fn patience(job: &SessionJob<'_>) -> Patience {
    let mut patience = Patience::endless();
    if let Some(timeout) = job.request.timeout {
        patience = patience.timeout(timeout);
    }
    if let Some(notice) = job.request.notice {
        patience = patience.notice(notice);
    }
    match job.cancel {
        Some(cancel) => patience.cancel(cancel.clone()),
        None => patience,
    }
}

/// What a program writes that failed, and how it ends.
fn failed(
    failure: CallFailure,
    opened: Option<ColdReason>,
    events: &mut dyn FnMut(SessionEvent<'_>),
) -> SessionOutcome {
    let ended = match failure.kind() {
        Some(ClientErrorKind::Cancelled) => Some(Ending::Cancelled { killed: false }),
        Some(ClientErrorKind::TimedOut { limit }) => Some(Ending::TimedOut { limit: *limit, killed: false }),
        _ => None,
    };
    let error = CommandError::from(failure);
    let text = error.render(Output::new(false).plain());
    events(SessionEvent::Output { channel: Channel::Stderr, bytes: text.as_bytes() });
    let ending = ended.unwrap_or(Ending::Exited { code: error.exit_code().into() });
    SessionOutcome { ending, containment: None, opened }
}
