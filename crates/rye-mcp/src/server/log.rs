//! What the server says about itself, for the operator: on standard error or in a file, and never on standard output,
//! which belongs to the protocol.

use std::fs::File;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::str::FromStr;
use std::sync::Mutex;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::layer;
use tracing_subscriber::layer::SubscriberExt as _;

use super::LogSettings;

/// How much the server says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogLevel {
    /// Nothing.
    Off,
    /// What went wrong.
    Error,
    /// What may be wrong.
    #[default]
    Warn,
    /// Who comes and goes, too.
    Info,
    /// Each call, too. What is in it is not said.
    Debug,
}

impl FromStr for LogLevel {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "off" => Self::Off,
            "error" => Self::Error,
            "warn" => Self::Warn,
            "info" => Self::Info,
            "debug" => Self::Debug,
            _ => return Err("expected off, error, warn, info or debug".to_owned()),
        })
    }
}

/// Begins to write what is said from now on.
pub(super) fn begin(settings: &LogSettings) -> io::Result<()> {
    let level = match settings.level {
        LogLevel::Off => return Ok(()),
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
    };
    // The protocol's library writes whole messages at its lower levels, and there may be secrets in them.
    let filter = Targets::new().with_target("rye_mcp", level).with_target("rmcp", LevelFilter::ERROR);
    let registry = tracing_subscriber::registry().with(filter);
    // Nobody may be left to hear it, and that is no reason to end anything.
    let format = || layer().with_ansi(false).without_time().with_target(false).log_internal_errors(false);
    // Somebody may have begun already, and then that stays.
    let _ = match &settings.file {
        None => tracing::subscriber::set_global_default(registry.with(format().with_writer(io::stderr))),
        Some(path) => {
            let file = File::options().append(true).create(true).mode(0o600).open(path)?;
            tracing::subscriber::set_global_default(registry.with(format().with_writer(Mutex::new(file))))
        }
    };
    Ok(())
}
