//! The `lillux` command: the microkernel for scripts.
//!
//! Every command prints one JSON object on standard output. Two kinds of command differ: those whose answer is raw
//! bytes give these, or with `--output` put them into a file and print an object; `watch` prints an object for each
//! event as well. What cannot be done is one JSON object on standard error, with `code` and `message`; the codes are
//! listed in `code.rs`. Exit codes: 0 done, and the answer is yes; 1 done, and the answer is no (the program failed,
//! the signature does not verify, there is no such object); 2 the command line is wrong; 3 it could not be done.

mod answer;
mod cas;
mod cli;
mod code;
mod detached;
mod duration;
mod envelope;
mod environment_file;
mod error_codes;
mod exec;
mod failure;
mod input;
mod key_file;
mod keypair;
mod output_file;
mod passphrase;
mod raw_output;
mod signature;
mod stdout;
mod time;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use crate::answer::Answer;
use crate::cli::{Cli, Command};
use crate::failure::Failure;

fn main() -> ExitCode {
    let result = match Cli::try_parse() {
        Ok(cli) => run(cli.command),
        Err(error) if error.use_stderr() => Err(Failure::usage(&error)),
        Err(help) => return answer::print_help(&help),
    };
    match result.and_then(Answer::print) {
        Ok(code) => code,
        Err(failure) => failure.print(),
    }
}

fn run(command: Command) -> Result<Answer, Failure> {
    match command {
        Command::Exec(args) => exec::exec(args),
        Command::Spawn(args) => detached::spawn(args),
        Command::Status(args) => detached::status(&args),
        Command::Kill(args) => detached::kill(&args),
        Command::Watch(args) => watch::watch(args),
        Command::Cas(args) => cas::cas(args),
        Command::Keypair(args) => keypair::keypair(args),
        Command::Sign(args) => signature::sign(args),
        Command::Verify(args) => signature::verify(&args),
        Command::Envelope(args) => envelope::envelope(args),
        Command::Time(args) => time::time(&args),
    }
}
