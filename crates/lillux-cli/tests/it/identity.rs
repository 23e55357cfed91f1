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

const NOBODY: u32 = 65534;

/// A folder with the program and the hostile script, which every user can read.
pub(crate) struct SharedFolder(TempDir);

impl Identity {
    /// All that we can be. Only root can be somebody else.
    pub(crate) fn all() -> &'static [Self] {
        if rustix::process::geteuid().is_root() { &[Self::Root, Self::Nobody] } else { &[Self::Ourselves] }
    }

    fn ourselves() -> Self {
        Self::all()[0]
    }

    pub(crate) fn is_root(self) -> bool {
        self == Self::Root
    }

    /// Makes a file or folder of ours one of this user's.
    pub(crate) fn take(self, path: &Path) {
        match self {
            Self::Root | Self::Ourselves => {}
            Self::Nobody => std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).unwrap(),
        }
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
                command.args([format!("--reuid={NOBODY}"), format!("--regid={NOBODY}")]);
                command.args(["--clear-groups", "--"]);
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
        for (source, target, mode) in [(LILLUX, shared.lillux(), "755"), (HOSTILE, shared.hostile(), "644")] {
            // If we wrote the program ourselves, children of other tests could still hold it open for writing when
            // it is to be executed, which the kernel refuses.
            let mut install = Identity::ourselves().command("/usr/bin/install");
            let status = install.args(["-m", mode, source]).arg(target).status().unwrap();
            assert!(status.success());
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
