//! Servers that do not answer the question for the newest form of the protocol. They need not be asked each time.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use lillux::Digest;
use lillux::digest::Hasher;
use rye_engine::EngineSettings;
use rye_mcp::client::{Beginning, Session};

use super::prepared_call::CallFiles;
use super::server_identity::ProgramIdentity;

/// What is remembered about one server. It may be forgotten at any time, and nothing depends on its being true.
#[derive(Debug)]
pub(super) struct SilentServer(Option<PathBuf>);

impl SilentServer {
    pub(super) fn of(settings: &EngineSettings, files: &CallFiles, program: &ProgramIdentity) -> Self {
        let file = settings.cache.as_ref().map(|cache| {
            let mut hasher = Hasher::default();
            hasher.update(files.server_digest().to_string().as_bytes());
            program.hash(&mut hasher);
            cache.join("mcp").join("silent").join(name(hasher.finish()))
        });
        Self(file)
    }

    /// How a session with it begins.
    pub(super) fn beginning(&self) -> Beginning {
        if self.0.as_ref().is_some_and(|file| file.exists()) {
            Beginning::Handshake
        } else {
            Beginning::Probe
        }
    }

    /// Remembers what a session has shown.
    pub(super) fn remember(&self, session: &Session) {
        let Some(file) = self.0.as_ref().filter(|_| session.ignores_probes()) else { return };
        // The next call is slower if this does not work.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(file, b"");
    }
}

fn name(digest: Digest) -> OsString {
    OsStr::new(&digest.to_string()).to_owned()
}
