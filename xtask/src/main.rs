//! The project's own commands, run as `cargo xtask <command>`.
//!
//! Everything that a newcomer or the CI needs is here, so that both run the same thing. This program is not part
//! of RYE: it starts compilers and package managers, which is why it may start processes without lillux.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a build script in Rust: it talks to a terminal and starts cargo, pip and npm, which need no containment"
)]

mod cargo_program;
mod demo;
mod deny;
mod docs;
mod error;
mod fuzz;
mod instructions;
mod invocation;
mod layers;
mod link_order;
mod lint;
mod lock_peers;
mod parts;
mod program;
mod runtime_ids;
mod setup;
mod size;
mod task;
mod test;
mod workspace;

use std::process::ExitCode;

use crate::task::Task;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1);
    let Some(task) = Task::parse(args.next().as_deref().unwrap_or("help")) else {
        eprint!("{}", Task::USAGE);
        return ExitCode::from(2);
    };
    match task.run(&Workspace::here(), &args.collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", error::with_causes(&error));
            ExitCode::FAILURE
        }
    }
}
