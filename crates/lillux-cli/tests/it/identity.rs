//! The users that tests run as.

use std::fmt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::processes::HOSTILE;
use crate::space::LILLUX;

/// Who runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// Root, which is us.
    Root,
    /// An ordinary user that root can become.
    Nobody,
    /// An ordinary user, which is us.
    Ourselves,
}

/// A folder with the program and the hostile script, which every user can read.
pub(crate) struct SharedFolder(TempDir);

impl Identity {
    /// All that we can be. Only root can be somebody else.
    pub(crate) fn all() -> &'static [Self] {
        if rustix::process::geteuid().is_root() { &[Self::Root, Self::Nobody] } else { &[Self::Ourselves] }
    }

    pub(crate) fn is_root(self) -> bool {
        self == Self::Root
    }

    /// A program that this user runs.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tested program must not be started by its own library"
    )]
    pub(crate) fn command(self, program: impl AsRef<Path>) -> Command {
        let mut command = match self {
            Self::Root | Self::Ourselves => Command::new(program.as_ref()),
            Self::Nobody => {
                let mut command = Command::new("/usr/bin/setpriv");
                command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
                command.arg(program.as_ref());
                command
            }
        };
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").current_dir("/");
        command
    }

    /// Whether this user may make namespaces, as somebody else's program finds it.
    pub(crate) fn has_namespaces(self) -> bool {
        let mut command = self.command("/usr/bin/unshare");
        if !self.is_root() {
            command.arg("--user");
        }
        command.args(["--pid", "--fork", "/bin/true"]).output().unwrap().status.success()
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Root => "root",
            Self::Nobody => "nobody",
            Self::Ourselves => "ourselves",
        })
    }
}

impl SharedFolder {
    pub(crate) fn new() -> Self {
        let folder =
            tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o755)).tempdir().unwrap();
        let shared = Self(folder);
        std::fs::copy(LILLUX, shared.lillux()).unwrap();
        std::fs::copy(HOSTILE, shared.hostile()).unwrap();
        for (path, mode) in [(shared.0.path(), 0o755), (&shared.lillux(), 0o755), (&shared.hostile(), 0o644)]
        {
            std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
        }
        shared
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn lillux(&self) -> PathBuf {
        self.path("lillux")
    }

    pub(crate) fn hostile(&self) -> PathBuf {
        self.path("hostile.pl")
    }
}
