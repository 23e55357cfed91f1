//! A call of one tool of a server: what it needs, and what it says and does, whoever carries it out.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lillux::Digest;
use lillux::process::Channel;
use rye_engine::EngineSettings;
use rye_mcp::client::oauth::{LoginStore, OAuth};
use rye_mcp::client::{
    Answer, ClientError, ClientErrorKind, ClientEvent, Patience, ResolvedServer, ServerConfig, Session,
    SessionOptions, Transport, Variables,
};
use rye_run::sessions::VerifiedCopy;
use serde_json::{Map, Value};

use super::drift;
use super::login_store::SealedLogin;
use super::tool_file::ImportedTool;
use crate::cli::{McpCallArgs, TransportName};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, json_line};
use crate::table::printable;

/// What the files say that a call names.
#[derive(Debug)]
pub(super) struct CallFiles {
    /// What the server is called.
    pub(super) name: String,
    server_digest: Digest,
    tool_digest: Option<Digest>,
    pub(super) config: ServerConfig,
    imported: Option<ImportedTool>,
}

/// A call that can be carried out.
#[derive(Debug)]
pub(super) struct PreparedCall<'a> {
    pub(super) files: &'a CallFiles,
    pub(super) server: &'a ResolvedServer,
    pub(super) tool: &'a str,
    pub(super) arguments: Map<String, Value>,
    pub(super) folder: Option<PathBuf>,
    /// Where the login at the server is kept, if it wants one.
    pub(super) login: Option<Arc<SealedLogin>>,
}

/// Why a call has no answer.
#[derive(Debug)]
pub(super) enum CallFailure {
    /// Because of the server.
    Server(ClientError),
    /// Because of something else.
    Other(CommandError),
}

/// What is told while a call is carried out.
#[derive(Debug)]
pub(super) enum CallEvent<'a> {
    GoesOn,
    Written(Channel, &'a [u8]),
}

/// The exit code of a tool that says that it failed.
const FAILED: u8 = 1;

impl CallFiles {
    pub(super) fn read(args: &McpCallArgs) -> Result<Self, CommandError> {
        let name = server_name(&args.server_config);
        let server_bytes = read(&args.server_config)?;
        let config =
            ServerConfig::parse(&server_bytes).map_err(|error| CommandError::server_config(&name, &error))?;
        check_transport(&name, &config, args.transport)?;
        let tool_bytes = args.tool_file.as_deref().map(read).transpose()?;
        let imported = tool_bytes.as_deref().and_then(ImportedTool::read).filter(|tool| tool.pin.is_some());
        let server_digest = Digest::of(&server_bytes);
        let tool_digest = tool_bytes.as_deref().map(Digest::of);
        Ok(Self { name, server_digest, tool_digest, config, imported })
    }

    /// Whether the files are still as they were. Those whose verified content is known need not be read again.
    pub(super) fn is_current(&self, args: &McpCallArgs, copies: &[VerifiedCopy<'_>]) -> bool {
        let now = |path: &Path| {
            let known = copies.iter().find(|copy| copy.path.as_os_str() == path.as_os_str());
            known.map(|copy| copy.content).or_else(|| Some(Digest::of(&std::fs::read(path).ok()?)))
        };
        now(&args.server_config) == Some(self.server_digest)
            && match (&args.tool_file, self.tool_digest) {
                (Some(path), Some(digest)) => now(path) == Some(digest),
                (path, digest) => path.is_none() && digest.is_none(),
            }
    }

    /// The server, as it is reached with these variables.
    pub(super) fn resolve(&self, variables: &Variables) -> Result<ResolvedServer, CommandError> {
        self.config.resolve(variables).map_err(|error| CommandError::server_config(&self.name, &error))
    }

    /// The digest of the description of the server.
    pub(super) fn server_digest(&self) -> Digest {
        self.server_digest
    }

    /// Whether the operator has seen what the server said about the tool.
    pub(super) fn is_pinned(&self) -> bool {
        self.imported.is_some()
    }
}

impl<'a> PreparedCall<'a> {
    pub(super) fn new(
        files: &'a CallFiles,
        args: &'a McpCallArgs,
        settings: &EngineSettings,
        server: &'a ResolvedServer,
        input: &[u8],
    ) -> Result<Self, CommandError> {
        let arguments = arguments(input)?;
        let login = SealedLogin::of(settings, &files.name, server)?.map(Arc::new);
        Ok(Self { files, server, tool: &args.tool, arguments, folder: args.project_path.clone(), login })
    }

    pub(super) fn options(&self) -> SessionOptions {
        let mut options = SessionOptions::new(&self.files.name);
        if let Some(login) = &self.login {
            options = options.oauth(OAuth::new(Arc::clone(login) as Arc<dyn LoginStore>));
        }
        match &self.folder {
            Some(folder) => options.folder(folder),
            None => options,
        }
    }

    /// Calls the tool, unless the server describes it otherwise than when it was imported. Such a description may be so
    /// old. Returns the exit code.
    pub(super) fn carry_out(
        self,
        session: &Session,
        age: Duration,
        patience: &Patience,
        events: &mut dyn FnMut(CallEvent<'_>),
    ) -> Result<u8, CallFailure> {
        if let Some(imported) = &self.files.imported {
            let current = session.tool(self.tool, age, patience)?;
            if let Some(difference) = drift::drift(imported, &current) {
                return Err(CommandError::drifted(&self.files.name, self.tool, &difference).into());
            }
        }
        let answer = session.call(self.tool, self.arguments, patience, &mut |event| match event {
            ClientEvent::GoesOn => events(CallEvent::GoesOn),
            event => {
                if let Some(line) = in_words(event).map(|line| session.concealed(line)) {
                    events(CallEvent::Written(Channel::Stderr, line.as_bytes()));
                }
            }
        })?;
        let Answer { data, failure } = answer;
        events(CallEvent::Written(Channel::Stdout, &concealed(session, json_line(&data)?)));
        let Some(message) = failure else { return Ok(0) };
        let line = Output::new(false).note_line(Tone::Bad, "error", session.concealed(message));
        events(CallEvent::Written(Channel::Stderr, line.as_bytes()));
        Ok(FAILED)
    }
}

impl CallFailure {
    /// What the server did or did not do, if that is why.
    pub(super) fn kind(&self) -> Option<&ClientErrorKind> {
        match self {
            Self::Server(error) => Some(&error.kind),
            Self::Other(_) => None,
        }
    }
}

impl From<ClientError> for CallFailure {
    fn from(error: ClientError) -> Self {
        Self::Server(error)
    }
}

impl From<CommandError> for CallFailure {
    fn from(error: CommandError) -> Self {
        Self::Other(error)
    }
}

impl From<CallFailure> for CommandError {
    fn from(failure: CallFailure) -> Self {
        match failure {
            CallFailure::Server(error) => error.into(),
            CallFailure::Other(error) => error,
        }
    }
}

/// Output without the tokens that the server was sent, in case that it repeats them.
fn concealed(session: &Session, output: Vec<u8>) -> Vec<u8> {
    match String::from_utf8(output) {
        Ok(text) => session.concealed(text).into_bytes(),
        Err(error) => error.into_bytes(),
    }
}

/// The parameters, as JSON.
fn arguments(sent: &[u8]) -> Result<Map<String, Value>, CommandError> {
    if sent.trim_ascii().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_slice(sent).map_err(|error| CommandError::data("the parameters", error))
}

/// What a server says while it works, as a line.
fn in_words(event: ClientEvent) -> Option<String> {
    let line = match event {
        ClientEvent::Progress { done, total, message } => {
            let total = total.map(|total| format!("/{total}")).unwrap_or_default();
            let message = message.map(|message| format!(" {message}")).unwrap_or_default();
            format!("progress: {done}{total}{message}")
        }
        ClientEvent::Log { level, message } => format!("{level}: {message}"),
        _ => return None,
    };
    Some(printable(&line) + "\n")
}

fn check_transport(
    name: &str,
    config: &ServerConfig,
    wanted: Option<TransportName>,
) -> Result<(), CommandError> {
    let is = match config.transport() {
        Transport::Stdio { .. } => TransportName::Stdio,
        Transport::Http { .. } => TransportName::Http,
    };
    match wanted {
        Some(wanted) if wanted != is => Err(CommandError::other_transport(name, is == TransportName::Http)),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> Result<Vec<u8>, CommandError> {
    std::fs::read(path).map_err(|error| CommandError::input(&path.display().to_string(), &error))
}

/// What the server is called by its file.
fn server_name(path: &Path) -> String {
    path.file_stem().map_or_else(|| "server".to_owned(), |stem| stem.to_string_lossy().into_owned())
}
