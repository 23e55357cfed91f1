//! What was measured on: enough to judge the figures, and nothing that says whose machine it is.

use std::fs;

use lillux::clock::{Clock as _, SystemClock};
use lillux::process::{RunRequest, run};
use serde::{Deserialize, Serialize};

/// Facts about a machine and what is installed on it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Machine {
    pub(crate) date: String,
    pub(crate) commit: String,
    pub(crate) processor: String,
    pub(crate) cores: usize,
    pub(crate) memory: String,
    pub(crate) kernel: String,
    pub(crate) compiler: String,
    pub(crate) profile: String,
    /// Interpreters and other programs that take part, with their versions.
    pub(crate) programs: Vec<(String, String)>,
}

/// What tells its version, and how it is asked.
const PROGRAMS: [(&str, &str); 7] = [
    ("bash", "--version"),
    ("python3", "--version"),
    ("node", "--version"),
    ("ruby", "--version"),
    ("perl", "-v"),
    ("rg", "--version"),
    ("git", "--version"),
];

impl Machine {
    /// Asks this machine.
    pub(crate) fn here() -> Self {
        let field = |file: &str, name: &str| {
            let text = fs::read_to_string(file).unwrap_or_default();
            let line = text.lines().find(|line| line.starts_with(name))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let kibibytes: Option<f64> =
            field("/proc/meminfo", "MemTotal").and_then(|value| value.trim_end_matches(" kB").parse().ok());
        let programs = PROGRAMS.iter().map(|(name, flag)| ((*name).to_owned(), version(name, flag)));
        Self {
            date: SystemClock.now().whole_seconds().to_string(),
            commit: commit(),
            processor: field("/proc/cpuinfo", "model name").unwrap_or_else(unknown),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: kibibytes.map_or_else(unknown, |kib| format!("{:.0} GiB", kib / 1024.0 / 1024.0)),
            kernel: fs::read_to_string("/proc/sys/kernel/osrelease")
                .map_or_else(|_| unknown(), |text| text.trim().to_owned()),
            compiler: version("rustc", "--version"),
            profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
            programs: programs.collect(),
        }
    }

    /// The facts, one after the other, with their names.
    pub(crate) fn facts(&self) -> Vec<(&str, String)> {
        let mut facts = vec![
            ("date", self.date.clone()),
            ("commit", self.commit.clone()),
            ("processor", format!("{}, {} cores", self.processor, self.cores)),
            ("memory", self.memory.clone()),
            ("kernel", self.kernel.clone()),
            ("compiler", format!("{}, {}", self.compiler, self.profile)),
        ];
        facts.extend(self.programs.iter().map(|(name, version)| (name.as_str(), version.clone())));
        facts
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// The first line with a digit of what a program says about itself.
fn version(program: &str, flag: &str) -> String {
    let said = output(program, &[flag]).unwrap_or_default();
    let line = said.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()));
    line.map_or_else(|| "not there".to_owned(), |line| line.trim().to_owned())
}

/// The commit that is checked out, and whether files differ from it.
fn commit() -> String {
    let Some(head) = output("git", &["rev-parse", "--short=12", "HEAD"]) else { return unknown() };
    let changed = output("git", &["status", "--porcelain", "--untracked-files=no"]);
    let more = if changed.is_none_or(|changed| changed.trim().is_empty()) { "" } else { ", with changes" };
    format!("{}{more}", head.trim())
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let request = RunRequest::new(program)
        .args(arguments.iter().copied())
        .envs(std::env::vars_os())
        .cwd(env!("CARGO_MANIFEST_DIR"));
    let outcome = run(&request).ok().filter(|outcome| outcome.ending.is_success())?;
    String::from_utf8(outcome.stdout.bytes).ok()
}
