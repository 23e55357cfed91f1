//! Running the server until it is told to end.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use lillux::CancelToken;
use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use rustix::event::{PollFd, PollFlags, poll};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::handler::Server;
use super::http_token::Token;
use super::responder::Responder;
use super::settings::{HttpSettings, ServerSettings};
use super::stdio::Stdio;
use super::{http, log};

/// How long runs have to end when the server does. Their processes have two seconds before they are killed.
const GRACE: Duration = Duration::from_secs(5);
/// Enough for whatever has a place.
const THREADS: usize = 1024;

/// The server cannot run, or could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// There is no thread or descriptor left.
    #[error("the server cannot be started")]
    Start(#[source] io::Error),
    /// The log cannot be written.
    #[error("cannot write the log `{}`", path.display())]
    Log {
        /// Its file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The token cannot be read or made.
    #[error("the token in `{}` cannot be used", path.display())]
    Token {
        /// Its file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The address is taken, or not ours.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The connection broke.
    #[error("the connection is gone")]
    Connection(#[source] io::Error),
}

/// Serves one client on standard input and output, until the input ends or somebody cancels.
///
/// # Errors
/// If it cannot be started.
pub fn serve_stdio(settings: ServerSettings, cancel: &CancelToken) -> Result<(), ServeError> {
    begin_log(&settings)?;
    // One thread is enough to pass messages on; the work is done by others.
    let runtime = runtime(Builder::new_multi_thread().worker_threads(1))?;
    let server = Server::new(settings);
    runtime.block_on(async {
        close_on(cancel, server.closing())?;
        let closing = server.closing().clone();
        let transport = Stdio::new(&server.0);
        match Box::pin(server.clone().serve_with_ct(transport, closing)).await {
            Ok(running) => {
                tracing::info!("a client is connected");
                // However it ended, it has.
                let _ = running.waiting().await;
            }
            Err(ServerInitializeError::ConnectionClosed(_) | ServerInitializeError::Cancelled) => {}
            Err(error) => tracing::error!("{error}"),
        }
        Ok(())
    })?;
    end(&server, runtime);
    Ok(())
}

/// Serves any number of clients over HTTP, until somebody cancels.
///
/// # Errors
/// If it cannot be started.
pub fn serve_http(
    settings: ServerSettings,
    http: &HttpSettings,
    cancel: &CancelToken,
) -> Result<(), ServeError> {
    begin_log(&settings)?;
    respond_over_http(&Server::new(settings), http, cancel, |address, token| {
        // If nobody reads it, it stands in the file.
        let _ = writeln!(
            io::stderr(),
            "rye mcp serves http://{address}{}\ntoken: {} (kept in {})",
            http::PATH,
            token.as_str(),
            http.token_file.display()
        );
    })
}

/// Lets something answer over HTTP until somebody cancels, and says where that is once it is reachable.
pub(super) fn respond_over_http<R: Responder>(
    responder: &R,
    http: &HttpSettings,
    cancel: &CancelToken,
    announce: impl FnOnce(SocketAddr, &Token),
) -> Result<(), ServeError> {
    let path = &http.token_file;
    let token = Token::open(path).map_err(|source| ServeError::Token { path: path.clone(), source })?;
    let runtime = runtime(&mut Builder::new_multi_thread())?;
    runtime.block_on(async {
        close_on(cancel, responder.closing())?;
        let failed = |source| ServeError::Listen { address: http.address, source };
        let listener = TcpListener::bind(http.address).await.map_err(failed)?;
        announce(listener.local_addr().map_err(failed)?, &token);
        let answering = http::answer(responder.clone(), listener, http, token.clone());
        let closed = async {
            responder.closing().cancelled().await;
            responder.end_work().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            answered = answering => answered.map_err(ServeError::Connection),
            () = closed => Ok(()),
        }
    })?;
    end(responder, runtime);
    Ok(())
}

fn begin_log(settings: &ServerSettings) -> Result<(), ServeError> {
    let path = || settings.log.file.clone().unwrap_or_default();
    log::begin(&settings.log).map_err(|source| ServeError::Log { path: path(), source })
}

fn runtime(builder: &mut Builder) -> Result<Runtime, ServeError> {
    builder.enable_all().max_blocking_threads(THREADS).build().map_err(ServeError::Start)
}

/// Closes the server when somebody cancels. A thread waits for that, which ends with the process.
fn close_on(cancel: &CancelToken, closing: &CancellationToken) -> Result<(), ServeError> {
    let (cancel, closing) = (cancel.clone(), closing.clone());
    let wait = move || {
        while !cancel.is_cancelled() {
            // If it is interrupted, it looks again.
            let _ = poll(&mut [PollFd::new(&cancel, PollFlags::IN)], None);
        }
        closing.cancel();
    };
    let thread = std::thread::Builder::new().name("closing".to_owned()).stack_size(64 * 1024);
    thread.spawn(wait).map(drop).map_err(ServeError::Start)
}

/// Ends what is left, so that no process outlives us.
fn end<R: Responder>(responder: &R, runtime: Runtime) {
    responder.closing().cancel();
    let ending = async { tokio::time::timeout(GRACE, responder.end_work()).await };
    if runtime.block_on(ending).is_err() {
        tracing::error!("a run does not end");
    }
    responder.let_go();
    // A thread may wait for input that never comes.
    runtime.shutdown_background();
}
