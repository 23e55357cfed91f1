//! A folder of its own for each test, and what a command shows in it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use insta::internals::SettingsBindDropGuard;
use tempfile::TempDir;

/// The program that is tested.
pub(crate) const LILLUX: &str = env!("CARGO_BIN_EXE_lillux");

/// A folder that is working directory and home of the commands in it. While it lives, snapshots show placeholders
/// for what differs from run to run.
pub(crate) struct TestSpace {
    folder: TempDir,
    _filters: SettingsBindDropGuard,
}

/// A command that is about to run.
pub(crate) struct Call<'space> {
    space: &'space TestSpace,
    args: Vec<String>,
    stdin: Vec<u8>,
}

impl TestSpace {
    pub(crate) fn new() -> Self {
        let folder =
            tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o700)).tempdir().unwrap();
        let mut settings = insta::Settings::clone_current();
        let path = folder.path().to_str().unwrap();
        for (pattern, placeholder) in [
            (path, "[SPACE]"),
            (r#""duration_ms":[0-9.]+"#, r#""duration_ms":[MS]"#),
            (r#""pid":[0-9]+"#, r#""pid":[PID]"#),
            (r"[0-9]+:[0-9]+:[0-9a-f-]{36}", "[HANDLE]"),
            (r"/[0-9]+-[0-9]+\.out", "/[NUMBER].out"),
        ] {
            settings.add_filter(pattern, placeholder);
        }
        Self { folder, _filters: settings.bind_to_scope() }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn chmod(&self, name: &str, mode: u32) {
        std::fs::set_permissions(self.path(name), PermissionsExt::from_mode(mode)).unwrap();
    }

    /// The command `lillux` with these arguments, without input.
    pub(crate) fn lillux<S: Into<String>>(&self, args: impl IntoIterator<Item = S>) -> Call<'_> {
        Call { space: self, args: args.into_iter().map(Into::into).collect(), stdin: Vec::new() }
    }

    /// A program in this space, with an environment of nothing but the necessary.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tested program must not be started by its own library"
    )]
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", self.folder.path());
        command.current_dir(self.folder.path());
        command
    }
}

impl Call<'_> {
    pub(crate) fn stdin(self, bytes: impl Into<Vec<u8>>) -> Self {
        Self { stdin: bytes.into(), ..self }
    }

    /// Starts it, with pipes for all streams.
    pub(crate) fn start(&self) -> Child {
        let mut command = self.space.command(LILLUX);
        command.args(&self.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    pub(crate) fn output(self) -> Output {
        let mut child = self.start();
        let mut input = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            // Whoever does not want its input closes the pipe, which is no concern of ours.
            scope.spawn(|| _ = input.write_all(&self.stdin).map(|()| drop(input)));
            child.wait_with_output().unwrap()
        })
    }

    /// The whole answer as JSON.
    pub(crate) fn json(self) -> serde_json::Value {
        let output = self.output();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// What a person sees.
    pub(crate) fn show(self) -> String {
        let mut text = "$ lillux".to_owned();
        for arg in &self.args {
            write!(text, " {}", quote(arg)).unwrap();
        }
        let output = self.output();
        match output.status.code() {
            Some(code) => writeln!(text, "\nexit code: {code}").unwrap(),
            None => writeln!(text, "\n{}", output.status).unwrap(),
        }
        for (name, bytes) in [("stdout", output.stdout), ("stderr", output.stderr)] {
            if !bytes.is_empty() {
                let end = if bytes.ends_with(b"\n") { "" } else { "\n(no newline at the end)\n" };
                write!(text, "--- {name}\n{}{end}", String::from_utf8_lossy(&bytes)).unwrap();
            }
        }
        text
    }
}

/// An argument as one would type it.
fn quote(arg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) { arg.to_owned() } else { format!("'{arg}'") }
}
