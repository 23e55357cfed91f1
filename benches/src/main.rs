//! Ratios between ours and a bare floor or a peer, both measured in the same run.
//!
//! `cargo xtask bench [--quick] [--into FOLDER] [GROUP…]` runs all groups or the named ones, and prints one table. The two
//! sides of a comparison alternate sample by sample, so that a machine that changes its speed changes it for both. Run as
//! root, what depends on the user is measured for an ordinary one too. A full run of all groups writes the page of the
//! book, with plots and all samples.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the tables are the product")]

mod arguments;
mod comparison;
mod containment;
mod endurance;
mod execute;
mod floor;
mod graph_kills;
mod graphs;
mod group;
mod growth;
mod identity;
mod instructions;
mod leftovers;
mod machine;
mod mcp;
mod memory;
mod peers;
mod process;
mod report;
mod run;
mod runtimes;
mod samples;
mod search;
#[cfg(target_arch = "x86_64")]
mod touched;
mod tree;
mod trust;
mod workshop;

use std::process::ExitCode;

use serde::{Deserialize, Serialize};

use crate::arguments::Arguments;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How many samples are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effort {
    /// Enough to see that every benchmark works.
    Quick,
    /// Enough for a claim.
    Full,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let result = match arguments.next() {
        Some(first) if first == floor::PEAK => tell_peak(&arguments.collect::<Vec<_>>()),
        Some(first) if first == mcp::relay::RELAY => mcp::relay::run(&arguments.collect::<Vec<_>>()),
        Some(first) if first == instructions::COUNT => instructions::run(arguments.next().as_deref()),
        #[cfg(target_arch = "x86_64")]
        Some(first) if first == touched::TOUCHED => touched::run(arguments.next().as_deref()),
        _ => Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run::run(&arguments)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rye-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a program in our own place and prints the most memory it had.
fn tell_peak(arguments: &[std::ffi::OsString]) -> Result<()> {
    let environment: Vec<_> = std::env::vars_os().collect();
    println!("{}", floor::run(arguments, &environment, &std::env::current_dir()?)?);
    Ok(())
}
