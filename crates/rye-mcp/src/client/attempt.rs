//! Beginning a session.

use std::sync::{Arc, Mutex};

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, Peer, RoleClient, serve_client_with_lifecycle};
use rmcp::transport::IntoTransport;
use tokio::runtime::Runtime;

use super::error::{ClientError, ClientErrorKind};
use super::handler::Handler;
use super::http_server;
use super::oauth::{Authorizer, OAuthError};
use super::patience::Patience;
use super::probe::{Beginning, LONG_PROBE, PROBE, ProbeAnswer, Probing};
use super::server_config::{ResolvedServer, Transport};
use super::server_pipes::ServerPipes;
use super::service_error::beginning_kind;
use super::session::{Server, Session, SessionOptions, about_login};
use super::stdio_server::{Program, Remains, StdioServer};
use super::watched_output::MAX_MESSAGE;

/// One attempt to begin a session.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) server: &'a ResolvedServer,
    pub(super) options: &'a SessionOptions,
    pub(super) beginning: Beginning,
    pub(super) patience: &'a Patience,
}

/// An attempt that failed.
pub(super) struct FailedAttempt {
    pub(super) error: ClientError,
    pub(super) probed: ProbeAnswer,
}

impl Attempt<'_> {
    pub(super) fn connect(self) -> Result<Session, FailedAttempt> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|source| ClientErrorKind::System { doing: "watch the streams of the server", source })
            .map_err(|kind| self.failed(kind, None, ProbeAnswer::InTime))?;
        // Pipes and connections belong to the runtime from the moment on in which they are made.
        let entered = runtime.enter();
        match &self.server.transport {
            Transport::Stdio { command, args, env, cwd } => {
                let cwd = match (&self.options.folder, cwd) {
                    (Some(folder), Some(cwd)) => Some(folder.join(cwd)),
                    (folder, cwd) => cwd.clone().or_else(|| folder.clone()),
                };
                let inherited = &self.server.environment;
                let program = Program { command, args, env, inherited, cwd: cwd.as_deref() };
                let started = StdioServer::start(program);
                drop(entered);
                let (server, pipes, library) =
                    started.map_err(|kind| self.failed(kind, None, ProbeAnswer::InTime))?;
                self.agree(library, Some((server, pipes)), None, runtime)
            }
            Transport::Http { url, headers, auth } => {
                let authorizer = match (auth, &self.options.oauth) {
                    (None, _) => None,
                    (Some(auth), Some(oauth)) => {
                        Some(Arc::new(Authorizer::new(url, oauth.clone().with_file(Some(auth)))))
                    }
                    (Some(_), None) => {
                        let why = "nobody can log in here";
                        let kind = OAuthError::LoginNeeded { why }.into();
                        return Err(self.failed(kind, None, ProbeAnswer::InTime));
                    }
                };
                let transport = http_server::transport(url, headers, authorizer.clone());
                drop(entered);
                if let Some(authorizer) = &authorizer {
                    // Renewing a login takes its time, which is not that of the server.
                    let token = async { Ok(authorizer.token().await.map(drop)?) };
                    let ready = runtime.block_on(self.patience.wait(token));
                    ready.map_err(|kind| self.failed(kind, None, ProbeAnswer::InTime))?;
                }
                let transport = transport.map_err(|kind| self.failed(kind, None, ProbeAnswer::InTime))?;
                self.agree(transport, None, authorizer, runtime)
            }
        }
    }

    fn agree<E, A>(
        self,
        transport: impl IntoTransport<RoleClient, E, A>,
        server: Option<(StdioServer, Arc<ServerPipes>)>,
        authorizer: Option<Arc<Authorizer>>,
        runtime: Runtime,
    ) -> Result<Session, FailedAttempt>
    where
        E: std::error::Error + Send + Sync + 'static,
    {
        let (server, pipes) = server.unzip();
        let handler = Handler::new(self.server.questions);
        let limit = if self.beginning == Beginning::Probe { PROBE } else { LONG_PROBE };
        let (transport, note) = Probing::new(transport.into_transport(), limit);
        let session = serve_client_with_lifecycle(handler.clone(), transport, self.mode());
        let agreed = runtime.block_on(self.patience.wait(async { session.await.map_err(beginning_kind) }));
        match agreed {
            Ok(service) => {
                let session = Session {
                    name: self.options.name.clone(),
                    handler,
                    peer: service.peer().clone(),
                    // In the newer form of the protocol each message says who sends it, which the library knows.
                    direct: pipes.filter(|_| is_older(service.peer())),
                    service: Some(service),
                    server: Mutex::new(server.map_or(Server::Remote, Server::Program)),
                    listed: Mutex::default(),
                    better_beginning: self.better_beginning(note.get()),
                    authorizer,
                    runtime,
                };
                match session.check_version() {
                    Ok(()) => Ok(session),
                    Err(error) => {
                        session.close();
                        Err(FailedAttempt { error, probed: note.get() })
                    }
                }
            }
            Err(kind) => {
                // With the runtime the pipes are closed.
                drop(runtime);
                let kind = about_login(authorizer.as_deref(), kind);
                Err(self.failed(kind, server, note.get()))
            }
        }
    }

    fn better_beginning(self, probed: ProbeAnswer) -> Option<Beginning> {
        let better = match (self.beginning, probed) {
            (Beginning::Probe, ProbeAnswer::InTime) => return None,
            (Beginning::Probe, ProbeAnswer::Never) => Beginning::Handshake,
            (Beginning::Probe, ProbeAnswer::Late) => Beginning::Newest,
            (Beginning::Handshake | Beginning::Newest, _) => self.beginning,
        };
        (better != self.options.beginning).then_some(better)
    }

    fn mode(self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::LATEST];
        match self.beginning {
            Beginning::Probe => ClientLifecycleMode::Auto {
                preferred_versions,
                legacy_version: Some(ProtocolVersion::LATEST_WITH_INITIALIZE),
            },
            Beginning::Handshake => ClientLifecycleMode::Initialize,
            Beginning::Newest => ClientLifecycleMode::Discover { preferred_versions },
        }
    }

    fn failed(
        self,
        kind: ClientErrorKind,
        server: Option<StdioServer>,
        probed: ProbeAnswer,
    ) -> FailedAttempt {
        let Remains { ending, stderr, too_long, noise } = server.map(StdioServer::end).unwrap_or_default();
        let kind = match kind {
            _ if too_long => ClientErrorKind::TooLong { limit: MAX_MESSAGE },
            ClientErrorKind::Closed { .. } => ClientErrorKind::Closed { ending },
            other => other,
        };
        let error = ClientError { server: self.options.name.clone(), kind: Box::new(kind), stderr, noise };
        FailedAttempt { error, probed }
    }
}

/// Whether a server speaks a form of the protocol in which there is a session.
fn is_older(peer: &Peer<RoleClient>) -> bool {
    let newer = ProtocolVersion::V_2026_07_28;
    peer.peer_info().is_some_and(|about| about.protocol_version.as_str() < newer.as_str())
}
