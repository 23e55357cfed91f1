//! The command line.

mod cas;
mod envelope;
mod keys;
mod process;
mod time;
mod watch;

use clap::{Parser, Subcommand};

pub(crate) use cas::{CasArgs, CasCommand, SectionArgs};
pub(crate) use envelope::{EnvelopeArgs, EnvelopeCommand, OpenArgs, SealArgs};
pub(crate) use keys::{KeyKind, KeypairArgs, KeypairCommand, PassphraseArgs, SignArgs, VerifyArgs};
pub(crate) use process::{EnvAssignment, ExecArgs, KillArgs, ProgramArgs, SpawnArgs, StatusArgs};
pub(crate) use time::{TimeArgs, TimeCommand};
pub(crate) use watch::WatchArgs;

/// The microkernel for scripts: answers in JSON.
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
    3  it could not be done\n\
    Except for a no in the answer itself, a JSON object with `code` and `message` is on standard error then.";

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
    /// Wait for files to change: one JSON object per event, and one at the end
    Watch(WatchArgs),
    /// Keep bytes by their SHA-256 digest
    Cas(CasArgs),
    /// Make and show keys
    Keypair(KeypairArgs),
    /// Sign a file
    Sign(SignArgs),
    /// Tell whether a signature is one of a key for a file
    Verify(VerifyArgs),
    /// Seal secrets, and open what was sealed
    Envelope(EnvelopeArgs),
    /// Tell, read and compare times
    Time(TimeArgs),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_arguments_fit_together() {
        Cli::command().debug_assert();
    }
}
