//! What decides whether two calls could be answered by the same server.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use lillux::Digest;
use lillux::digest::Hasher;
use lillux::process::find_program;
use rye_mcp::client::{ResolvedServer, Transport};

use super::login_store::SealedLogin;
use super::prepared_call::CallFiles;

/// The files that a server's program is made of, as far as its command line names them, as they are at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProgramIdentity(Vec<FileIdentity>);

/// A file: where it is, which one that is, and when it was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileIdentity {
    path: PathBuf,
    numbers: [u64; 7],
}

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
        Self(program.into_iter().chain(named).filter_map(FileIdentity::of).collect())
    }

    pub(super) fn hash(&self, hasher: &mut Hasher) {
        for FileIdentity { path, numbers } in &self.0 {
            hash_bytes(hasher, path.as_os_str().as_bytes());
            for number in numbers {
                hasher.update(&number.to_be_bytes());
            }
        }
    }
}

impl FileIdentity {
    /// Links are followed: what they lead to is what runs.
    fn of(path: PathBuf) -> Option<Self> {
        let found = std::fs::metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
        let times = [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()];
        let [changed, changed_nsec, noted, noted_nsec] = times.map(i64::cast_unsigned);
        let numbers = [found.dev(), found.ino(), found.size(), changed, changed_nsec, noted, noted_nsec];
        Some(Self { path, numbers })
    }
}

/// The digest of how a server is started or reached, with all secrets and variables, and where.
pub(super) fn server_key(files: &CallFiles, folder: Option<&Path>, server: &ResolvedServer) -> Digest {
    let mut hasher = Hasher::default();
    hash_text(&mut hasher, &files.name);
    hash_text(&mut hasher, &files.server_digest().to_string());
    hash_text(&mut hasher, &format!("{folder:?}"));
    let ResolvedServer { transport, questions, environment } = server;
    hash_text(&mut hasher, &format!("{transport:?} {questions:?}"));
    for (name, value) in environment {
        hash_text(&mut hasher, name);
        hash_text(&mut hasher, value);
    }
    hasher.finish()
}

/// The digest of everything that the server could notice about a call beside the call itself. A session is never shared by
/// calls in which any of it differs.
pub(super) fn session_key(server: Digest, login: Option<&SealedLogin>, program: &ProgramIdentity) -> Digest {
    let mut hasher = Hasher::default();
    hasher.update(server.as_bytes());
    // Who logs in again, or out, is somebody else.
    hash_text(&mut hasher, &login.map(SealedLogin::stamp).unwrap_or_default());
    program.hash(&mut hasher);
    hasher.finish()
}

/// No two lists of texts are written the same way.
pub(super) fn hash_text(hasher: &mut Hasher, text: &str) {
    hash_bytes(hasher, text.as_bytes());
}

fn hash_bytes(hasher: &mut Hasher, bytes: &[u8]) {
    hasher.update(&(bytes.len() as u64).to_be_bytes());
    hasher.update(bytes);
}
