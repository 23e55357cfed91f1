//! Where logins at servers are kept: sealed, with the operator's secrets.

use std::fs::OpenOptions;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use lillux::digest::Hasher;
use rustix::fs::{FlockOperation, flock};
use rye_engine::{EngineError, EngineSettings};
use rye_item::{ItemKind, ItemRef, Spaces};
use rye_mcp::client::oauth::{Login, LoginLock, LoginStore, StoreError};
use rye_mcp::client::{ResolvedServer, Transport};
use rye_run::secrets::{SecretError, SecretName, SecretStore};
use secrecy::{ExposeSecret as _, SecretString};

use super::server_identity::hash_text;
use super::tool_file;
use crate::command_error::CommandError;

/// The login at one server. It is kept for the server's name and its address, so a file that has the name of another server
/// and leads elsewhere does not get what that one would.
#[derive(Debug, Clone)]
pub(super) struct SealedLogin {
    store: SecretStore,
    name: SecretName,
    server: ItemRef,
}

impl SealedLogin {
    /// Where the login at a server is kept, if somebody logs in there.
    pub(super) fn of(
        settings: &EngineSettings,
        name: &str,
        server: &ResolvedServer,
    ) -> Result<Option<Self>, CommandError> {
        let Transport::Http { url, auth: Some(_), .. } = &server.transport else { return Ok(None) };
        let user_space = Spaces::user_path(&settings.spaces).ok_or(EngineError::NoUserSpace)?;
        let mut hasher = Hasher::default();
        hash_text(&mut hasher, name);
        hash_text(&mut hasher, url);
        let id = tool_file::server_id(name).map_err(EngineError::from)?;
        Ok(Some(Self {
            store: SecretStore::open(&user_space, &settings.environment),
            name: SecretName::of_login(hasher.finish()),
            server: ItemRef::new(ItemKind::Tool, id),
        }))
    }

    /// What is different after another login, and after the end of one.
    pub(super) fn stamp(&self) -> String {
        let file = std::fs::metadata(self.path("age"));
        file.map(|file| format!("{} {} {}", file.ino(), file.ctime(), file.ctime_nsec())).unwrap_or_default()
    }

    /// Forgets the login, and says whether there was one.
    pub(super) fn remove(&self) -> Result<bool, CommandError> {
        let was_there = self.store.remove(&self.name).map_err(EngineError::from)?;
        // One that is still held is of no more use to whoever holds it.
        let _ = std::fs::remove_file(self.path("lock"));
        Ok(was_there)
    }

    fn path(&self, extension: &str) -> PathBuf {
        self.store.folder().join(format!("{}.{extension}", self.name))
    }
}

impl LoginStore for SealedLogin {
    fn load(&self) -> Result<Option<Login>, StoreError> {
        let values = match self.store.get(std::slice::from_ref(&self.name), &self.server) {
            Ok(values) => values,
            Err(SecretError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        values.get(self.name.as_str()).map(|text| Login::from_text(text.expose_secret())).transpose()
    }

    fn save(&self, login: &Login) -> Result<(), StoreError> {
        let text = SecretString::from(login.to_text()?.as_str());
        self.store.set(&self.name, &text)?;
        Ok(())
    }

    fn try_lock(&self) -> Result<Option<LoginLock>, StoreError> {
        let path = self.path("lock");
        let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(LoginLock::new(file))),
            Err(rustix::io::Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
