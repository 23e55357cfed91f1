//! A server that is a program.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use lillux::process::{Ending, LiveProcess, LiveRequest, LiveStreams, Mechanism, start_live};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::error::ClientErrorKind;
use super::library_pipes::{LibraryInput, LibraryOutput};
use super::server_config::Variables;
use super::server_pipes::ServerPipes;
use super::stderr_tail::StderrTail;
use super::watched_output::{Seen, WatchedOutput};

/// How to start it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) args: &'a [String],
    pub(super) env: &'a Variables,
    pub(super) inherited: &'a Variables,
    pub(super) cwd: Option<&'a Path>,
}

/// A server that runs, contained.
#[derive(Debug)]
pub(super) struct StdioServer {
    process: LiveProcess,
    stderr: StderrTail,
    seen: Arc<Mutex<Seen>>,
}

/// What is left of a server.
#[derive(Debug, Clone, Default)]
pub(super) struct Remains {
    pub(super) ending: Option<Ending>,
    pub(super) stderr: String,
    pub(super) too_long: bool,
    pub(super) noise: Option<String>,
}

/// What the protocol's library reads from a server and writes to it.
pub(super) type LibraryPipes = (LibraryOutput, LibraryInput);

/// How long a server has to exit after its input is closed, and after SIGTERM.
const GRACE: Duration = Duration::from_millis(500);

impl StdioServer {
    /// Starts it. This has to happen inside of a runtime, which watches its pipes.
    pub(super) fn start(
        program: Program<'_>,
    ) -> Result<(Self, Arc<ServerPipes>, LibraryPipes), ClientErrorKind> {
        let mut request = LiveRequest::new(program.command);
        request.args = program.args.iter().map(Into::into).collect();
        request.cwd = program.cwd.map(Path::to_owned);
        let variables = program.inherited.iter().chain(program.env);
        request.env = variables.map(|(name, value)| (name.into(), value.into())).collect();
        let (process, LiveStreams { stdin, stdout, stderr }) =
            start_live(&request).map_err(ClientErrorKind::Start)?;
        let failed = ClientErrorKind::system("use the streams of the server");
        let stderr = StderrTail::read(stderr).map_err(&failed)?;
        let (watch, seen) = WatchedOutput::new();
        let ours = (stdout.try_clone().map_err(&failed)?, stdin.try_clone().map_err(&failed)?);
        let receiver = Receiver::from_owned_fd(stdout).map_err(&failed)?;
        let sender = Sender::from_owned_fd(stdin).map_err(&failed)?;
        let pipes = Arc::new(ServerPipes::new(ours.0, ours.1, watch).map_err(&failed)?);
        let output = LibraryOutput { pipes: Arc::clone(&pipes), receiver };
        let input = LibraryInput { pipes: Arc::clone(&pipes), sender };
        let library = (output, input);
        Ok((Self { process, stderr, seen }, pipes, library))
    }

    /// What keeps its processes together.
    pub(super) fn containment(&self) -> Mechanism {
        self.process.containment()
    }

    /// Whether it has ended by itself.
    pub(super) fn is_over(&self) -> bool {
        self.process.is_over()
    }

    /// What there is to say about it while it runs.
    pub(super) fn remains(&self) -> Remains {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (too_long, noise) = (seen.too_long, seen.noise.clone());
        Remains { ending: None, stderr: self.stderr.so_far(), too_long, noise }
    }

    /// Ends it, if it has not ended, together with everything that it started. Its input has to be closed before.
    pub(super) fn end(self) -> Remains {
        let ending = self.process.end(GRACE).ok();
        let stderr = self.stderr.finish();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Remains { ending, stderr, too_long: seen.too_long, noise: seen.noise.take() }
    }
}
