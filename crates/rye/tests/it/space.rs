//! A folder of its own for each test, and what a command shows in it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use insta::internals::SettingsBindDropGuard;
use tempfile::TempDir;

/// The program that is tested.
pub(crate) const RYE: &str = env!("CARGO_BIN_EXE_rye");

/// The extractors that come with the program.
const EXTRACTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundle/.ai/tools/rye/core/extractors");

/// What comes with the program.
const BUNDLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundle/.ai");

/// A folder with a `home`, a `project` that commands run in, a `cache` and a `system` space. While it lives,
/// snapshots show placeholders for what differs from run to run.
pub(crate) struct TestSpace {
    folder: TempDir,
    system: System,
    _filters: SettingsBindDropGuard,
}

/// Which system space commands see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum System {
    /// The folder `system`, which holds a few extractors and nothing else, however much the program has inside.
    Folder,
    /// What the program has inside.
    Bundle,
}

/// A command that is about to run.
pub(crate) struct Call<'space> {
    space: &'space TestSpace,
    args: Vec<OsString>,
    folder: PathBuf,
    variables: Vec<(&'static str, Option<OsString>)>,
    open_files: Option<u32>,
}

impl TestSpace {
    pub(crate) fn new() -> Self {
        let space = Self::open(System::Folder);
        for name in ["json", "markdown", "python", "shell", "yaml"] {
            let file = format!("{name}.yaml");
            let bytes = std::fs::read(Path::new(EXTRACTORS).join(&file)).unwrap();
            space.write(&format!("system/tools/rye/core/extractors/{file}"), bytes);
        }
        space
    }

    /// A space that sees what the program has inside.
    pub(crate) fn with_bundle() -> Self {
        Self::open(System::Bundle)
    }

    /// A space that sees what the program has inside, in which `ada` can sign and the project is trusted. Snapshots show
    /// placeholders for keys and times.
    pub(crate) fn with_key() -> Self {
        let space = Self::with_bundle();
        space.run(["keys", "generate", "--owner", "ada"]);
        space.run(["trust", "--yes"]);
        space
    }

    /// A space whose system space is a folder with everything that the program has inside, in which `ada` can sign and the
    /// project is trusted.
    pub(crate) fn with_bundle_as_folder() -> Self {
        let space = Self::open(System::Folder);
        copy(Path::new(BUNDLE), &space.path("system"));
        space.run(["keys", "generate", "--owner", "ada"]);
        space.run(["trust", "--yes"]);
        space.run(["sign", "--space", "system", "**"]);
        space
    }

    /// Runs a command that has to succeed.
    pub(crate) fn run<S: Into<OsString>>(&self, args: impl IntoIterator<Item = S>) {
        let output = self.rye(args).output();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }

    fn open(system: System) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project/.ai", "elsewhere"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let mut settings = insta::Settings::clone_current();
        let path = folder.path().canonicalize().unwrap();
        for (pattern, placeholder) in [
            (path.to_str().unwrap(), "[SPACE]"),
            (r"rye/bundle/[0-9a-f]{64}", "rye/bundle/[DIGEST]"),
            (r"rye/snapshots/[0-9a-f]{64}", "rye/snapshots/[DIGEST]"),
            (r"\b([0-9a-f]{8})[0-9a-f]{56}\b", "$1[…]"),
            (r#""score": [0-9.e-]+"#, r#""score": [SCORE]"#),
            (r"\b[0-9a-f]{32}\b", "[KEY]"),
            (r"\bage1[0-9a-z]{58}\b", "[RECIPIENT]"),
            (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "[TIME]"),
        ] {
            settings.add_filter(pattern, placeholder);
        }
        Self { folder, system, _filters: settings.bind_to_scope() }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Writes a file, and makes the folders on the way to it.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, contents).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn remove(&self, name: &str) {
        std::fs::remove_file(self.path(name)).unwrap();
    }

    pub(crate) fn folder(&self, name: &str) {
        std::fs::create_dir_all(self.path(name)).unwrap();
    }

    /// The command `rye` with these arguments, run in the project.
    pub(crate) fn rye<S: Into<OsString>>(&self, args: impl IntoIterator<Item = S>) -> Call<'_> {
        let args = args.into_iter().map(Into::into).collect();
        Call { space: self, args, folder: self.path("project"), variables: Vec::new(), open_files: None }
    }

    /// What a command shows on a terminal, which `script` provides, while somebody types.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tested program must not be started by its own library"
    )]
    pub(crate) fn on_terminal(&self, args: &str, typed: &str) -> String {
        let mut command = Command::new("/usr/bin/script");
        command.args(["-qec", &format!("{RYE} {args}"), "/dev/null"]).current_dir(self.path("project"));
        command.env_clear().env("PATH", "/usr/bin:/bin").env("SHELL", "/bin/sh").env("TERM", "xterm");
        command.env("HOME", self.path("home")).env("XDG_CACHE_HOME", self.path("cache")).env("NO_COLOR", "1");
        if self.system == System::Folder {
            command.env("RYE_SYSTEM_SPACE", self.path("system"));
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.as_mut().unwrap().write_all(typed.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    }

    /// What a shell prints that runs this line in the project.
    #[expect(clippy::disallowed_methods, reason = "a shell of the user, not of the tested program")]
    pub(crate) fn shell(&self, line: &str) -> String {
        let output =
            Command::new("/bin/sh").args(["-c", line]).current_dir(self.path("project")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The ids that a search finds, in the order of their names.
    pub(crate) fn found<'a>(&self, query: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let args = ["search", "--detail", "names", "--sort", "id"];
        let found = self.rye(args.into_iter().chain(query)).json();
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["id"].as_str().unwrap().to_owned()).collect()
    }
}

impl Call<'_> {
    /// Runs it in another folder of the space.
    pub(crate) fn within(self, folder: &str) -> Self {
        Self { folder: self.space.path(folder), ..self }
    }

    /// Sets a variable.
    pub(crate) fn set(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, Some(value.into())));
        self
    }

    /// Takes a variable away.
    pub(crate) fn unset(mut self, name: &'static str) -> Self {
        self.variables.push((name, None));
        self
    }

    /// Lets it have so many files open at a time.
    pub(crate) fn open_files(self, most: u32) -> Self {
        Self { open_files: Some(most), ..self }
    }

    /// The command, with an environment of nothing but the necessary.
    #[expect(
        clippy::disallowed_methods,
        reason = "the tested program must not be started by its own library"
    )]
    pub(crate) fn command(&self) -> Command {
        let mut command = match self.open_files {
            None => Command::new(RYE),
            Some(most) => {
                let mut shell = Command::new("/bin/sh");
                shell.args(["-c", &format!("ulimit -n {most}; exec \"$0\" \"$@\""), RYE]);
                shell
            }
        };
        command.args(&self.args).current_dir(&self.folder).stdin(Stdio::null()).env_clear();
        command.env("PATH", "/usr/bin:/bin");
        command.env("HOME", self.space.path("home")).env("XDG_CACHE_HOME", self.space.path("cache"));
        if self.space.system == System::Folder {
            command.env("RYE_SYSTEM_SPACE", self.space.path("system"));
        }
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    pub(crate) fn output(self) -> Output {
        self.command().output().unwrap()
    }

    /// Runs it with this on its standard input; it has to succeed.
    pub(crate) fn read(self, input: &str) {
        let mut child = self.command().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
    }

    /// What it prints for programs.
    pub(crate) fn json(mut self) -> serde_json::Value {
        self.args.push("--json".into());
        let output = self.output();
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
    }

    /// What a person sees.
    pub(crate) fn show(self) -> String {
        let mut text = "$".to_owned();
        for (name, value) in &self.variables {
            match value {
                Some(value) => write!(text, " {name}={}", quote(&value.to_string_lossy())).unwrap(),
                None => write!(text, " {name}=").unwrap(),
            }
        }
        text.push_str(" rye");
        for arg in &self.args {
            write!(text, " {}", quote(&arg.to_string_lossy())).unwrap();
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

/// Copies a folder with everything in it.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// An argument as one would type it.
fn quote(arg: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_=./:,+@[]".contains(c);
    if !arg.is_empty() && arg.chars().all(is_plain) { arg.to_owned() } else { format!("'{arg}'") }
}
