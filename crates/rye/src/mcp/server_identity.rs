//! What decides whether two calls could be answered by the same server.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use lillux::Digest;
use lillux::digest::Hasher;
use lillux::process::find_program;
use rye_mcp::client::{ResolvedServer, Transport};

use super::prepared_call::PreparedCall;

/// The files that a server's program is made of, as far as its command line names them, as they are at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProgramIdentity(Vec<String>);

impl ProgramIdentity {
    pub(super) fn of(
        server: &ResolvedServer,
        folder: Option<&Path>,
        env: &BTreeMap<OsString, OsString>,
    ) -> Self {
        let Transport::Stdio { command, args, .. } = &server.transport else { return Self(Vec::new()) };
        let program = find_program(OsStr::new(command), folder, env).ok();
        let folder = folder.unwrap_or(Path::new(""));
        let named = args.iter().filter(|arg| !arg.starts_with('-')).map(|arg| folder.join(arg));
        Self(program.into_iter().chain(named).filter_map(|path| identity(&path)).collect())
    }

    pub(super) fn hash(&self, hasher: &mut Hasher) {
        for file in &self.0 {
            hash_text(hasher, file);
        }
    }
}

/// The digest of everything that the server could notice about a call beside the call itself: how it is started or reached,
/// with all secrets and variables, and where. A session is never shared by calls in which any of it differs.
pub(super) fn session_key(call: &PreparedCall<'_>, program: &ProgramIdentity) -> Digest {
    let mut hasher = Hasher::default();
    hash_text(&mut hasher, &call.files.name);
    hash_text(&mut hasher, &call.files.server_digest().to_string());
    hash_text(&mut hasher, &format!("{:?}", call.folder));
    let ResolvedServer { transport, questions, environment } = &call.server;
    hash_text(&mut hasher, &format!("{transport:?} {questions:?}"));
    for (name, value) in environment {
        hash_text(&mut hasher, name);
        hash_text(&mut hasher, value);
    }
    // Who logs in again, or out, is somebody else.
    hash_text(&mut hasher, &call.login.as_ref().map(|login| login.stamp()).unwrap_or_default());
    program.hash(&mut hasher);
    hasher.finish()
}

/// Links are followed: what they lead to is what runs.
fn identity(path: &Path) -> Option<String> {
    let found = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let place = (found.dev(), found.ino(), found.size());
    let times = (found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec());
    Some(format!("{} {place:?} {times:?}", path.display()))
}

/// No two lists of texts are written the same way.
pub(super) fn hash_text(hasher: &mut Hasher, text: &str) {
    hasher.update(&(text.len() as u64).to_be_bytes());
    hasher.update(text.as_bytes());
}
