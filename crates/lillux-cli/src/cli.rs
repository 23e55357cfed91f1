//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use lillux::process::{Mechanism, ProcessHandle};

use crate::duration::parse_seconds;

/// The microkernel for scripts: one JSON object per command.
#[derive(Debug, Parser)]
#[command(name = "lillux", version, after_help = EXIT_CODES, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes:\n  \
    0  done, and the answer is yes\n  \
    1  done, and the answer is no: the program failed, the signature does not verify, there is no such object\n  \
    2  the command line is wrong\n  \
    3  it could not be done; a JSON object with `code` and `message` is on standard error";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a program to its end, with everything that it starts
    Exec(ExecArgs),
    /// Start a program that outlives this command
    Spawn(SpawnArgs),
    /// Tell whether a spawned process still runs
    Status(StatusArgs),
    /// End a spawned process and its process group
    Kill(KillArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Seconds that it may take
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) timeout: Option<Duration>,
    /// Seconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "2")]
    pub(crate) grace: Duration,
    /// File that is its standard input; `-` is ours
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin_file: Option<PathBuf>,
    /// Bytes of each output stream that are kept in the answer
    #[arg(long, value_name = "BYTES", default_value_t = 1024 * 1024)]
    pub(crate) max_output: usize,
    /// Folder for output over the limit; without it, such output is cut
    #[arg(long, value_name = "DIR", conflicts_with = "stop_on_excess")]
    pub(crate) spool: Option<PathBuf>,
    /// Stop a program that writes more than the limit
    #[arg(long)]
    pub(crate) stop_on_excess: bool,
    /// Ways to keep its descendants together, the preferred one first [default: the strongest that works]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "MECHANISM")]
    pub(crate) containment: Vec<MechanismArg>,
}

#[derive(Debug, Args)]
pub(crate) struct ProgramArgs {
    /// Working directory
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Variable to set; can be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<OsString>,
    /// Start from an empty environment instead of ours
    #[arg(long)]
    pub(crate) clear_env: bool,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct SpawnArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// File that its output is appended to; without it, output is discarded
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// The handle that `spawn` printed
    pub(crate) handle: ProcessHandle,
}

#[derive(Debug, Args)]
pub(crate) struct KillArgs {
    /// The handle that `spawn` printed
    pub(crate) handle: ProcessHandle,
    /// Seconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, default_value = "2")]
    pub(crate) grace: Duration,
}

/// A [`Mechanism`] by its name in reports.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MechanismArg(pub(crate) Mechanism);

impl ValueEnum for MechanismArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self(Mechanism::PidNamespace),
            Self(Mechanism::Cgroup),
            Self(Mechanism::Subreaper),
            Self(Mechanism::ProcessGroup),
        ]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(self.0.name().into())
    }
}
