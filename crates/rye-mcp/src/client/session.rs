//! A connection to a server.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use rmcp::model::{CallToolRequestParams, PaginatedRequestParams, ProtocolVersion};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, RoleClient, RunningService, ServiceError,
    serve_client_with_lifecycle,
};
use serde_json::{Map, Value};
use tokio::runtime::Runtime;

use super::answer::Answer;
use super::error::{ClientError, ClientErrorKind};
use super::handler::{ClientEvent, Handler, Listener};
use super::http_server;
use super::remote_tool::RemoteTool;
use super::server_config::{ResolvedServer, Transport};
use super::stdio_server::{Program, Remains, StdioServer};
use super::watched_output::MAX_MESSAGE;

/// What a session has beside its server.
#[derive(Clone)]
pub struct SessionOptions {
    name: String,
    timeout: Option<Duration>,
    cancel: Option<CancelToken>,
    folder: Option<PathBuf>,
    listener: Listener,
}

/// A connection to a server. When it is dropped, the server's program is ended, with all that it started.
pub struct Session {
    options: SessionOptions,
    until: Option<Instant>,
    service: Option<RunningService<RoleClient, Handler>>,
    server: Option<StdioServer>,
    runtime: Runtime,
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

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    /// With the newest form of the protocol, and with a handshake if the server does not know it.
    Probe,
    /// With a handshake.
    Handshake,
}

/// So often it is asked whether somebody has cancelled.
const ATTENTION: Duration = Duration::from_millis(20);
/// So long a cancellation has to be sent.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// So long is waited for farewells.
const FAREWELL: Duration = Duration::from_millis(250);
/// No server has more pages of tools.
const MAX_PAGES: usize = 200;
/// No server has more tools.
const MAX_TOOLS: usize = 20_000;

impl SessionOptions {
    /// A session without limits with the server of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), timeout: None, cancel: None, folder: None, listener: Arc::new(|_| {}) }
    }

    /// Limits the time of the whole session.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Lets somebody end it.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelToken) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Sets the working directory of the server's program.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Tells somebody what the server says while it works.
    #[must_use]
    pub fn listener(mut self, listener: impl Fn(ClientEvent) + Send + Sync + 'static) -> Self {
        self.listener = Arc::new(listener);
        self
    }
}

impl Session {
    /// Starts or reaches a server, and agrees with it on the protocol.
    ///
    /// # Errors
    /// If that fails.
    pub fn open(server: &ResolvedServer, options: SessionOptions) -> Result<Self, ClientError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|source| ClientError {
            server: options.name.clone(),
            kind: Box::new(ClientErrorKind::System { doing: "watch the streams of the server", source }),
            stderr: String::new(),
            noise: None,
        })?;
        let until = options.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut session = Self { options, until, service: None, server: None, runtime };
        let Err(probed) = session.connect(server, Beginning::Probe) else { return Ok(session) };
        if !is_worth_another_try(&probed) {
            return Err(session.failed(probed));
        }
        // What was asked first may be what the server has died of.
        session.hang_up();
        session.connect(server, Beginning::Handshake).map_err(|kind| session.failed(kind))?;
        Ok(session)
    }

    /// Who the server says that it is.
    #[must_use]
    pub fn identity(&self) -> Option<ServerIdentity> {
        let about = self.service.as_ref()?.peer().peer_info()?;
        let of = about.server_info.as_ref();
        Some(ServerIdentity {
            name: of.map(|of| of.name.clone()),
            version: of.map(|of| of.version.clone()),
            protocol: about.protocol_version.to_string(),
        })
    }

    /// The tools of the server.
    ///
    /// # Errors
    /// If it does not tell.
    pub fn tools(&mut self) -> Result<Vec<RemoteTool>, ClientError> {
        let listed = self.with_service(async |service| {
            let mut tools: Vec<RemoteTool> = Vec::new();
            let mut cursor = None;
            for _ in 0..MAX_PAGES {
                let request = PaginatedRequestParams::default().with_cursor(cursor);
                let page = service.peer().list_tools(Some(request)).await.map_err(kind_of)?;
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
        });
        listed.map_err(|kind| self.failed(kind))
    }

    /// One tool of the server.
    ///
    /// # Errors
    /// If it is not there.
    pub fn tool(&mut self, name: &str) -> Result<RemoteTool, ClientError> {
        let mut tools = self.tools()?;
        if let Some(index) = tools.iter().position(|tool| tool.name == name) {
            return Ok(tools.swap_remove(index));
        }
        let mut similar: Vec<(f64, String)> =
            tools.into_iter().map(|tool| (strsim::jaro_winkler(&tool.name, name), tool.name)).collect();
        similar.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let similar = similar.into_iter().take(5).map(|(_, name)| name).collect();
        Err(self.failed(ClientErrorKind::NoSuchTool { name: name.to_owned(), similar }))
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// If there is no answer. A tool that says that it failed has answered.
    pub fn call(&mut self, tool: &str, arguments: Map<String, Value>) -> Result<Answer, ClientError> {
        let request = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let answered = self.with_service(async |service| service.call_tool(request).await.map_err(kind_of));
        answered.map(Answer::from).map_err(|kind| self.failed(kind))
    }

    /// Says farewell, and waits until the server's program and all that it started are gone.
    pub fn close(mut self) {
        self.hang_up();
    }

    fn connect(&mut self, server: &ResolvedServer, beginning: Beginning) -> Result<(), ClientErrorKind> {
        let handler = Handler { listener: Arc::clone(&self.options.listener) };
        let mode = beginning.mode();
        // Pipes and connections belong to the runtime from the moment on in which they are made.
        let entered = self.runtime.enter();
        let service = match &server.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let cwd = match (&self.options.folder, cwd) {
                    (Some(folder), Some(cwd)) => Some(folder.join(cwd)),
                    (folder, cwd) => cwd.clone().or_else(|| folder.clone()),
                };
                let inherited = &server.environment;
                let program = Program { command, args, env, inherited, cwd: cwd.as_deref() };
                let (process, pipes) = StdioServer::start(program)?;
                self.server = Some(process);
                drop(entered);
                self.within(async {
                    serve_client_with_lifecycle(handler, pipes, mode).await.map_err(beginning_kind)
                })
            }
            Transport::Http { url, headers } => {
                let transport = http_server::transport(url, headers)?;
                drop(entered);
                self.within(async {
                    serve_client_with_lifecycle(handler, transport, mode).await.map_err(beginning_kind)
                })
            }
        };
        self.service = Some(service?);
        Ok(())
    }

    fn with_service<T>(
        &self,
        work: impl AsyncFnOnce(&RunningService<RoleClient, Handler>) -> Result<T, ClientErrorKind>,
    ) -> Result<T, ClientErrorKind> {
        match &self.service {
            Some(service) => self.within(work(service)),
            None => Err(ClientErrorKind::Closed { ending: None }),
        }
    }

    /// Does something, unless it takes too long or nobody wants it any more. What is given up is cancelled at the server.
    fn within<T>(
        &self,
        work: impl Future<Output = Result<T, ClientErrorKind>>,
    ) -> Result<T, ClientErrorKind> {
        let limit = self.options.timeout.unwrap_or_default();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                done = work => done,
                () = cancelled(self.options.cancel.as_ref()) => Err(ClientErrorKind::Cancelled),
                () = passed(self.until) => Err(ClientErrorKind::TimedOut { limit }),
            }
        })
    }

    /// Ends the session because of something.
    fn failed(&mut self, kind: ClientErrorKind) -> ClientError {
        if matches!(kind, ClientErrorKind::Cancelled | ClientErrorKind::TimedOut { .. }) {
            // Word of that is on its way to the server, and has a moment to arrive.
            self.runtime.block_on(async { tokio::time::sleep(LAST_WORDS).await });
        }
        let Remains { ending, stderr, too_long, noise } = self.hang_up();
        let kind = match kind {
            _ if too_long => ClientErrorKind::TooLong { limit: MAX_MESSAGE },
            ClientErrorKind::Closed { .. } => ClientErrorKind::Closed { ending },
            other => other,
        };
        ClientError { server: self.options.name.clone(), kind: Box::new(kind), stderr, noise }
    }

    fn hang_up(&mut self) -> Remains {
        if let Some(mut service) = self.service.take() {
            // A server that does not let go is ended all the same.
            let _ = self.runtime.block_on(service.close_with_timeout(FAREWELL));
        }
        self.server.take().map(StdioServer::end).unwrap_or_default()
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("server", &self.options.name).finish_non_exhaustive()
    }
}

impl Beginning {
    fn mode(self) -> ClientLifecycleMode {
        match self {
            Self::Probe => ClientLifecycleMode::Auto {
                preferred_versions: vec![ProtocolVersion::LATEST],
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Self::Handshake => ClientLifecycleMode::Initialize,
        }
    }
}

/// Whether a server that failed when it was probed may answer a handshake.
fn is_worth_another_try(kind: &ClientErrorKind) -> bool {
    matches!(
        kind,
        ClientErrorKind::Handshake { .. } | ClientErrorKind::Closed { .. } | ClientErrorKind::Refused { .. }
    )
}

fn kind_of(error: ServiceError) -> ClientErrorKind {
    match error {
        ServiceError::McpError(error) => {
            ClientErrorKind::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ServiceError::TransportClosed => ClientErrorKind::Closed { ending: None },
        ServiceError::TransportSend(error) => ClientErrorKind::unexpected(http_server::reason(&*error.error)),
        other => ClientErrorKind::unexpected(other),
    }
}

fn beginning_kind(error: ClientInitializeError) -> ClientErrorKind {
    match error {
        ClientInitializeError::JsonRpcError(error) => {
            ClientErrorKind::Refused { code: error.code.0.into(), message: error.message.into_owned() }
        }
        ClientInitializeError::ConnectionClosed(_) => ClientErrorKind::Closed { ending: None },
        ClientInitializeError::TransportError { error, .. } => {
            let pipe = error.error.downcast_ref::<std::io::Error>();
            match pipe.map(std::io::Error::kind) {
                Some(std::io::ErrorKind::BrokenPipe) => ClientErrorKind::Closed { ending: None },
                _ => ClientErrorKind::Handshake { reason: http_server::reason(&*error.error) },
            }
        }
        ClientInitializeError::LegacyFallbackFailed { fallback, .. } => beginning_kind(*fallback),
        other => ClientErrorKind::Handshake { reason: other.to_string() },
    }
}

/// Waits for a cancellation. A token is a descriptor that only unsafe code could wait for here, so it is asked.
async fn cancelled(cancel: Option<&CancelToken>) {
    let Some(cancel) = cancel else { return std::future::pending().await };
    while !cancel.is_cancelled() {
        tokio::time::sleep(ATTENTION).await;
    }
}

/// Waits for a moment.
async fn passed(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}
