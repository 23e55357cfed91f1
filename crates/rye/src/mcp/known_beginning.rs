//! Servers with which a session begins better in another way than by asking for the newest form of the protocol: they do
//! not answer that, or late.

use std::path::PathBuf;

use lillux::digest::Hasher;
use rye_engine::EngineSettings;
use rye_mcp::client::{Beginning, Session};

use super::prepared_call::CallFiles;
use super::server_identity::ProgramIdentity;

/// What is remembered about one server. It may be forgotten at any time, and nothing depends on its being true.
#[derive(Debug)]
pub(super) struct KnownBeginning(Option<PathBuf>);

const HANDSHAKE: &str = "handshake";
const NEWEST: &str = "newest";

impl KnownBeginning {
    pub(super) fn of(settings: &EngineSettings, files: &CallFiles, program: &ProgramIdentity) -> Self {
        let file = settings.cache.as_ref().map(|cache| {
            let mut hasher = Hasher::default();
            hasher.update(files.server_digest().to_string().as_bytes());
            program.hash(&mut hasher);
            cache.join("mcp").join("beginnings").join(hasher.finish().to_string())
        });
        Self(file)
    }

    /// How a session with it begins.
    pub(super) fn get(&self) -> Beginning {
        let known = self.0.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        match known.as_deref() {
            Some(HANDSHAKE) => Beginning::Handshake,
            Some(NEWEST) => Beginning::Newest,
            _ => Beginning::Probe,
        }
    }

    /// Remembers what a session has shown.
    pub(super) fn remember(&self, session: &Session) {
        let (Some(file), Some(better)) = (&self.0, session.better_beginning()) else { return };
        let word = match better {
            Beginning::Handshake => HANDSHAKE,
            Beginning::Newest => NEWEST,
            Beginning::Probe => return,
        };
        // The next call is slower if this does not work.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = std::fs::write(file, word);
    }
}
