//! Arguments of `exec`, `spawn`, `status` and `kill`.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use lillux::process::{Mechanism, ProcessHandle};

use crate::duration::parse_seconds;
use crate::input::InputSource;

#[derive(Debug, Args)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Seconds that it may take
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(crate) timeout: Option<Duration>,
    /// Seconds between SIGTERM and SIGKILL
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    #[arg(value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(crate) grace: Duration,
    /// File that is its standard input; `-` is ours
    #[arg(long, value_name = "FILE")]
    pub(crate) stdin_file: Option<InputSource>,
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
    #[arg(long, value_name = "NAME=VALUE",
        value_parser = OsStringValueParser::new().try_map(EnvAssignment::parse))]
    pub(crate) env: Vec<EnvAssignment>,
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
    #[arg(long, value_name = "SECONDS", default_value = "2")]
    #[arg(value_parser = parse_seconds, allow_negative_numbers = true)]
    pub(crate) grace: Duration,
}

/// A variable and its value.
#[derive(Debug, Clone)]
pub(crate) struct EnvAssignment {
    pub(crate) name: OsString,
    pub(crate) value: OsString,
}

impl EnvAssignment {
    fn parse(text: OsString) -> Result<Self, &'static str> {
        let mut name = text.into_vec();
        let middle = name.iter().position(|&byte| byte == b'=').filter(|&middle| middle > 0);
        let value = name.split_off(middle.ok_or("expected a name, `=` and a value")?);
        Ok(Self { name: OsString::from_vec(name), value: OsString::from_vec(value[1..].to_vec()) })
    }
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
