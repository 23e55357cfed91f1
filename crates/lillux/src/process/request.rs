//! What to run, with what, and within which limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::Mechanism;
use crate::StreamLimit;

/// A program to run to its end.
///
/// The environment is exactly what is given here: nothing is inherited.
#[derive(Debug, Clone)]
pub struct RunRequest {
    /// A path, or a name that is looked up in the `PATH` of [`env`](Self::env).
    /// A relative path with a slash is relative to [`cwd`](Self::cwd).
    pub program: OsString,
    /// The arguments after the program's name.
    pub args: Vec<OsString>,
    /// The working directory; ours if there is none.
    pub cwd: Option<PathBuf>,
    /// The whole environment, which many runs may share.
    pub env: Arc<BTreeMap<OsString, OsString>>,
    /// What the program can read from its standard input.
    pub stdin: Vec<u8>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// How long it may go on before that is told.
    pub notice: Option<Duration>,
    /// How long it has between SIGTERM and SIGKILL.
    pub grace: Duration,
    /// The bound of its standard output.
    pub stdout: StreamLimit,
    /// The bound of its standard error.
    pub stderr: StreamLimit,
    /// The mechanisms that may keep its descendants together: the first that the kernel allows is used.
    pub containment: Vec<Mechanism>,
}

impl RunRequest {
    /// The most that is kept in memory of each stream unless the request says otherwise.
    pub const DEFAULT_STREAM_LIMIT: usize = 16 * 1024 * 1024;

    /// Runs `program` without arguments, environment, input or time limit.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            cwd: None,
            env: Arc::default(),
            stdin: Vec::new(),
            timeout: None,
            notice: None,
            grace: Duration::from_secs(2),
            stdout: StreamLimit::truncate(Self::DEFAULT_STREAM_LIMIT),
            stderr: StreamLimit::truncate(Self::DEFAULT_STREAM_LIMIT),
            containment: Mechanism::STRONGEST_FIRST.to_vec(),
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets the working directory.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Adds a variable to the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        Arc::make_mut(&mut self.env).insert(name.into(), value.into());
        self
    }

    /// Adds all variables of `env`, for example those of `std::env::vars_os()`.
    #[must_use]
    pub fn envs(mut self, env: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Arc::make_mut(&mut self.env).extend(env);
        self
    }

    /// Sets what can be read from the standard input.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Limits the time.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the time between SIGTERM and SIGKILL.
    #[must_use]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Bounds both output streams, each by `limit`.
    #[must_use]
    pub fn output_limit(mut self, limit: StreamLimit) -> Self {
        self.stderr = limit.clone();
        self.stdout = limit;
        self
    }

    /// Allows only these mechanisms, in this order.
    #[must_use]
    pub fn containment(mut self, mechanisms: impl Into<Vec<Mechanism>>) -> Self {
        self.containment = mechanisms.into();
        self
    }
}
