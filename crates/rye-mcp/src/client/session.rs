//! A connection to a server.

use std::future::Future;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lillux::process::Mechanism;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CallToolResult, CancelledNotificationParam, ClientRequest,
    ListToolsRequest, PaginatedRequestParams, ProtocolVersion, ServerResult,
};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, RunningService, ServiceError};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use super::answer::Answer;
use super::attempt::Attempt;
use super::direct_call;
use super::error::{ClientError, ClientErrorKind};
use super::handler::{ClientEvent, Handler, Route};
use super::oauth::{Authorizer, OAuth};
use super::patience::Patience;
use super::probe::{Beginning, ProbeAnswer};
use super::questions::ROUNDS;
use super::remote_tool::{PinnedTool, RemoteTool};
use super::server_config::ResolvedServer;
use super::server_pipes::{DirectRequest, ServerPipes};
use super::service_error::{is_worth_another_try, kind_of};
use super::stdio_server::{Remains, StdioServer};
use super::watched_output::MAX_MESSAGE;

/// What a session has beside its server.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    pub(super) name: String,
    pub(super) folder: Option<PathBuf>,
    pub(super) beginning: Beginning,
    pub(super) oauth: Option<OAuth>,
}

/// A connection to a server, which any number of threads may use at the same time. There is no thread behind it: whoever
/// waits for an answer does the work. When it is dropped, the server's program is ended, with all that it started.
pub struct Session {
    pub(super) name: String,
    pub(super) handler: Handler,
    pub(super) peer: Peer<RoleClient>,
    /// The pipes to a server that can be called without the library.
    pub(super) direct: Option<Arc<ServerPipes>>,
    pub(super) service: Option<RunningService<RoleClient, Handler>>,
    pub(super) server: Mutex<Server>,
    pub(super) listed: Mutex<Option<Listed>>,
    pub(super) better_beginning: Option<Beginning>,
    pub(super) authorizer: Option<Arc<Authorizer>>,
    pub(super) runtime: Runtime,
}

/// Who a server says that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerIdentity {
    /// Its name.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// The version of the protocol that is spoken.
    pub protocol: String,
}

/// What is at the other end.
pub(super) enum Server {
    /// Nothing of ours.
    Remote,
    Program(StdioServer),
    /// A program that has ended.
    Over(Remains),
}

/// The tools of a server.
type Tools = Arc<[Arc<PinnedTool>]>;

/// The tools of a server, as it has last told.
pub(super) struct Listed {
    at: Instant,
    changes: u64,
    tools: Tools,
}

/// So long a cancellation has to be sent.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// So long is waited for farewells.
const FAREWELL: Duration = Duration::from_millis(250);
/// So often the library may go on with what came before an answer.
const MOMENTS: usize = 16;
/// No server has more pages of tools.
const MAX_PAGES: usize = 200;
/// No server has more tools.
const MAX_TOOLS: usize = 20_000;

impl SessionOptions {
    /// A session with the server of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), folder: None, beginning: Beginning::default(), oauth: None }
    }

    /// Sets the working directory of the server's program.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Says how the session begins.
    #[must_use]
    pub fn beginning(mut self, beginning: Beginning) -> Self {
        self.beginning = beginning;
        self
    }

    /// Says where the login is kept, for a server at which somebody has to log in.
    #[must_use]
    pub fn oauth(mut self, oauth: OAuth) -> Self {
        self.oauth = Some(oauth);
        self
    }
}

impl Session {
    /// Starts or reaches a server, and agrees with it on the protocol.
    ///
    /// # Errors
    /// If that fails.
    pub fn open(
        server: &ResolvedServer,
        options: &SessionOptions,
        patience: &Patience,
    ) -> Result<Self, ClientError> {
        let attempt = |beginning| Attempt { server, options, beginning, patience }.connect();
        let failed = match attempt(options.beginning) {
            Ok(session) => return Ok(session),
            Err(failed) => failed,
        };
        if !is_worth_another_try(&failed.error.kind) {
            return Err(failed.error);
        }
        // What was asked first may be what the server has died of, or what it was too late for.
        let other = match (options.beginning, failed.probed) {
            (Beginning::Probe, ProbeAnswer::Late) | (Beginning::Handshake, _) => Beginning::Newest,
            (Beginning::Probe | Beginning::Newest, _) => Beginning::Handshake,
        };
        attempt(other).map_err(|failed| failed.error)
    }

    /// Who the server says that it is.
    #[must_use]
    pub fn identity(&self) -> Option<ServerIdentity> {
        let about = self.peer.peer_info()?;
        let of = about.server_info.as_ref();
        Some(ServerIdentity {
            name: of.map(|of| of.name.clone()),
            version: of.map(|of| of.version.clone()),
            protocol: about.protocol_version.to_string(),
        })
    }

    /// How the next session with this server begins best, if that is another way than it would: because the server does not
    /// answer the question for the newest form of the protocol, or answers it late.
    #[must_use]
    pub fn better_beginning(&self) -> Option<Beginning> {
        self.better_beginning
    }

    /// What keeps the server's processes together, if it is a program.
    #[must_use]
    pub fn containment(&self) -> Option<Mechanism> {
        match &*self.server() {
            Server::Program(program) => Some(program.containment()),
            Server::Remote | Server::Over(_) => None,
        }
    }

    /// Whether another call could be answered. A server that has ended does not answer any.
    #[must_use]
    pub fn is_usable(&self) -> bool {
        let runs = match &*self.server() {
            Server::Remote => true,
            Server::Program(program) => !program.is_over(),
            Server::Over(_) => false,
        };
        runs && !self.peer.is_transport_closed()
    }

    /// Whether it is known that the server has ended, without looking.
    pub(super) fn is_over(&self) -> bool {
        matches!(&*self.server(), Server::Over(_)) || self.peer.is_transport_closed()
    }

    /// Reads and answers what the server has sent while nobody waited for it.
    pub fn attend(&self) {
        const MOMENT: Duration = Duration::from_millis(1);
        self.drive(async { tokio::time::sleep(MOMENT).await });
    }

    /// The tools of the server.
    ///
    /// # Errors
    /// If it does not tell.
    pub fn tools(&self, patience: &Patience) -> Result<Vec<RemoteTool>, ClientError> {
        self.list(patience).map_err(|kind| self.failed(kind))
    }

    /// One tool of the server, as it describes it now, or has described it a moment ago: not longer than `age`, and it
    /// has not said since then that its tools have changed.
    ///
    /// # Errors
    /// If it is not there.
    pub fn tool(
        &self,
        name: &str,
        age: Duration,
        patience: &Patience,
    ) -> Result<Arc<PinnedTool>, ClientError> {
        let tools = self.listed(age, patience)?;
        if let Some(tool) = tools.iter().find(|tool| tool.tool.name == name) {
            return Ok(Arc::clone(tool));
        }
        let names = tools.iter().map(|tool| tool.tool.name.as_str());
        let mut similar: Vec<(f64, &str)> =
            names.map(|other| (strsim::jaro_winkler(other, name), other)).collect();
        similar.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let similar = similar.into_iter().take(5).map(|(_, name)| name.to_owned()).collect();
        Err(self.failed(ClientErrorKind::NoSuchTool { name: name.to_owned(), similar }))
    }

    /// Asks for the tools, if they are not known or that was longer ago than `age`.
    ///
    /// # Errors
    /// If the server does not tell.
    pub fn renew(&self, age: Duration, patience: &Patience) -> Result<(), ClientError> {
        self.listed(age, patience).map(drop)
    }

    /// Makes sure that the tools are asked for before the next call.
    pub fn forget_tools(&self) {
        *self.known_tools() = None;
    }

    /// Calls a tool. What is given up is cancelled at the server.
    ///
    /// # Errors
    /// If there is no answer. A tool that says that it failed has answered.
    pub fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        patience: &Patience,
        events: &mut dyn FnMut(ClientEvent),
    ) -> Result<Answer, ClientError> {
        if let Some(answered) = self.call_directly(tool, &arguments, patience, events) {
            return answered.map(Answer::from).map_err(|kind| self.failed(kind));
        }
        let mut params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        for _ in 0..ROUNDS {
            let request = ClientRequest::CallToolRequest(CallToolRequest::new(params.clone()));
            let answered = self.drive(self.answer_to(request, patience, events));
            match answered.map_err(|kind| self.failed(kind))? {
                ServerResult::CallToolResult(result) => return Ok(Answer::from(result)),
                ServerResult::InputRequiredResult(asked) => {
                    let answered = self.handler.questions.answered(params, asked);
                    params = answered.map_err(|kind| self.failed(kind))?;
                }
                _ => return Err(self.failed(ClientErrorKind::unexpected("it is no result of a tool"))),
            }
        }
        Err(self.failed(ClientErrorKind::unexpected("it asks again and again")))
    }

    /// A text that the server sent, without the tokens that it was sent.
    #[must_use]
    pub fn concealed(&self, text: String) -> String {
        match &self.authorizer {
            Some(authorizer) => authorizer.concealed(text),
            None => text,
        }
    }

    /// The protocol's library takes whatever version a server answers with.
    pub(super) fn check_version(&self) -> Result<(), ClientError> {
        match self.peer.peer_info() {
            Some(about) if !ProtocolVersion::KNOWN_VERSIONS.contains(&about.protocol_version) => {
                let version = about.protocol_version.to_string();
                Err(self.failed(ClientErrorKind::Version { version }))
            }
            _ => Ok(()),
        }
    }

    /// Says farewell, and waits until the server's program and all that it started are gone.
    pub fn close(mut self) {
        self.hang_up();
    }

    fn listed(&self, age: Duration, patience: &Patience) -> Result<Tools, ClientError> {
        let changes = self.handler.changes();
        if let Some(listed) = &*self.known_tools()
            && listed.changes == changes
            && listed.at.elapsed() <= age
        {
            return Ok(Arc::clone(&listed.tools));
        }
        let at = Instant::now();
        let tools = self.list(patience).map_err(|kind| self.failed(kind))?;
        let tools: Tools = tools.into_iter().map(|tool| Arc::new(PinnedTool::from(tool))).collect();
        *self.known_tools() = Some(Listed { at, changes, tools: Arc::clone(&tools) });
        Ok(tools)
    }

    /// The library remembers lists for as long as the server wants, and what is asked here is what the server says now.
    fn list(&self, patience: &Patience) -> Result<Vec<RemoteTool>, ClientErrorKind> {
        self.drive(async {
            let mut tools: Vec<RemoteTool> = Vec::new();
            let mut cursor = None;
            for _ in 0..MAX_PAGES {
                let params = PaginatedRequestParams::default().with_cursor(cursor);
                let request = ListToolsRequest { params: Some(params), ..Default::default() };
                let request = ClientRequest::ListToolsRequest(request);
                let answer = self.answer_to(request, patience, &mut |_| {}).await?;
                let ServerResult::ListToolsResult(page) = answer else {
                    return Err(ClientErrorKind::unexpected("it is no list of tools"));
                };
                tools.extend(page.tools.into_iter().map(RemoteTool::from));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    return Ok(tools);
                }
                if tools.len() > MAX_TOOLS {
                    break;
                }
            }
            Err(ClientErrorKind::unexpected("its list of tools has no end"))
        })
    }

    async fn answer_to(
        &self,
        request: ClientRequest,
        patience: &Patience,
        events: &mut dyn FnMut(ClientEvent),
    ) -> Result<ServerResult, ClientErrorKind> {
        if let Some(kind) = patience.end() {
            return Err(kind);
        }
        let sent = self.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = patience.wait(async { sent.await.map_err(kind_of) }).await?;
        let mut route = self.handler.route(handle.progress_token.clone());
        match wait_for(&mut handle.rx, &mut route, patience, events).await {
            Ok(answer) => {
                // What came before the answer may be passed on after it.
                tokio::task::yield_now().await;
                route.tell_rest(events);
                answer.map_err(kind_of)
            }
            Err(kind @ ClientErrorKind::Closed { .. }) => Err(kind),
            Err(kind) => {
                give_up(handle.cancel(Some(farewell(&kind).to_owned()))).await;
                Err(kind)
            }
        }
    }

    /// Calls a tool without the library, if the server can be reached so at this moment.
    fn call_directly(
        &self,
        tool: &str,
        arguments: &Map<String, Value>,
        patience: &Patience,
        events: &mut dyn FnMut(ClientEvent),
    ) -> Option<Result<CallToolResult, ClientErrorKind>> {
        let pipes = self.direct.as_ref()?;
        if let Some(kind) = patience.end() {
            return Some(Err(kind));
        }
        let id = pipes.next_id();
        let line = direct_call::request_line(id, tool, arguments)?;
        let mut route = self.handler.route(direct_call::progress_token(id));
        let mut request = pipes.send(id, &line)?;
        let answer = match request.wait(patience) {
            Some(answer) => Ok(answer),
            None => self.drive(self.direct_answer(request, &mut route, patience, events)),
        };
        Some(answer.and_then(|line| direct_call::read_answer(&line)))
    }

    /// The answer to a direct call, while the library takes care of what else the server says.
    async fn direct_answer(
        &self,
        mut request: DirectRequest<'_>,
        route: &mut Route,
        patience: &Patience,
        events: &mut dyn FnMut(ClientEvent),
    ) -> Result<Vec<u8>, ClientErrorKind> {
        match wait_for(&mut request.answer, route, patience, events).await {
            Ok(answer) => {
                // What came before the answer may be passed on after it.
                for _ in 0..MOMENTS {
                    let is_read = !self.direct.as_ref().is_some_and(|pipes| pipes.has_lines());
                    tokio::task::yield_now().await;
                    if is_read {
                        break;
                    }
                }
                route.tell_rest(events);
                Ok(answer)
            }
            Err(kind @ ClientErrorKind::Closed { .. }) => Err(kind),
            Err(kind) => {
                let (id, reason) = (direct_call::request_id(request.id), farewell(&kind).to_owned());
                let cancelled = CancelledNotificationParam::new(Some(id), Some(reason));
                give_up(self.peer.notify_cancelled(cancelled)).await;
                Err(kind)
            }
        }
    }

    /// Does something for which the library has to work.
    fn drive<T>(&self, work: impl Future<Output = T>) -> T {
        let _driver = self.direct.as_ref().map(|pipes| pipes.drive());
        self.runtime.block_on(work)
    }

    /// What happened, with what is left of a server that it has ended.
    fn failed(&self, kind: ClientErrorKind) -> ClientError {
        if matches!(kind, ClientErrorKind::Closed { .. }) {
            self.end();
        }
        let (remains, is_over) = match &*self.server() {
            Server::Remote => (Remains::default(), false),
            Server::Program(program) => (program.remains(), false),
            Server::Over(remains) => (remains.clone(), true),
        };
        let kind = about_login(self.authorizer.as_deref(), kind);
        let kind = match kind {
            _ if is_over && remains.too_long => ClientErrorKind::TooLong { limit: MAX_MESSAGE },
            ClientErrorKind::Closed { .. } => ClientErrorKind::Closed { ending: remains.ending },
            other => other,
        };
        ClientError {
            server: self.name.clone(),
            kind: Box::new(kind),
            stderr: remains.stderr,
            noise: remains.noise,
        }
    }

    /// Ends the server's program, whose connection is gone.
    fn end(&self) {
        let mut server = self.server();
        if let Server::Program(_) = &*server
            && let Server::Program(program) = std::mem::replace(&mut *server, Server::Remote)
        {
            *server = Server::Over(program.end());
        }
    }

    fn hang_up(&mut self) {
        if let Some(mut service) = self.service.take() {
            // A server that does not let go is ended all the same.
            let _ = self.drive(service.close_with_timeout(FAREWELL));
        }
        self.end();
    }

    fn server(&self) -> MutexGuard<'_, Server> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known_tools(&self) -> MutexGuard<'_, Option<Listed>> {
        self.listed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("server", &self.name).finish_non_exhaustive()
    }
}

/// Waits for an answer, and passes on what the server says before it.
async fn wait_for<T>(
    answer: &mut oneshot::Receiver<T>,
    route: &mut Route,
    patience: &Patience,
    events: &mut dyn FnMut(ClientEvent),
) -> Result<T, ClientErrorKind> {
    let mut is_noticed = false;
    loop {
        tokio::select! {
            biased;
            Some(event) = route.events.recv() => events(event),
            answer = &mut *answer => return answer.map_err(|_| ClientErrorKind::Closed { ending: None }),
            kind = patience.ended() => return Err(kind),
            () = patience.noticed(), if !is_noticed => {
                is_noticed = true;
                events(ClientEvent::GoesOn);
            }
        }
    }
}

/// Tells the server that nobody waits any more. If it cannot be told now, it is too busy to care.
async fn give_up(farewell: impl Future<Output = Result<(), ServiceError>>) {
    let _ = tokio::time::timeout(LAST_WORDS, farewell).await;
}

/// Why nobody waits any more.
fn farewell(kind: &ClientErrorKind) -> &'static str {
    match kind {
        ClientErrorKind::TimedOut { .. } => "the time is up",
        _ => "the caller has cancelled",
    }
}

/// What is wrong with the login, if that is what went wrong: the library has only heard that there is no token. Otherwise
/// what went wrong, without tokens.
pub(super) fn about_login(authorizer: Option<&Authorizer>, kind: ClientErrorKind) -> ClientErrorKind {
    let Some(authorizer) = authorizer else { return kind };
    match authorizer.take_failure() {
        Some(failure) => failure.into(),
        None => kind.with_words(|words| authorizer.concealed(words)),
    }
}
