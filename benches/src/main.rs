//! Ratios between ours and a bare floor, both measured in the same run.
//!
//! `cargo run --release -p rye-bench -- [--quick] [GROUP…]` runs all groups or the named ones. The two sides of a
//! comparison alternate sample by sample, so that a machine that changes its speed changes it for both.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the tables are the product")]

mod comparison;
mod floor;
mod process;
mod samples;
mod table;

use std::process::ExitCode;

use comparison::Comparison;

/// How many samples are taken.
#[derive(Clone, Copy)]
pub(crate) enum Effort {
    /// Enough to see that every benchmark works.
    Quick,
    /// Enough for a claim.
    Full,
}

type Group = (&'static str, fn(Effort) -> Result<Vec<Comparison>, Box<dyn std::error::Error>>);

const GROUPS: &[Group] = &[("process", process::compare)];

fn main() -> ExitCode {
    let mut effort = Effort::Full;
    let mut names = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => effort = Effort::Quick,
            name if GROUPS.iter().any(|(group, _)| *group == name) => names.push(argument),
            other => {
                let known: Vec<_> = GROUPS.iter().map(|(group, _)| *group).collect();
                eprintln!("unknown group `{other}`; known: --quick, {}", known.join(", "));
                return ExitCode::from(2);
            }
        }
    }
    for (group, compare) in
        GROUPS.iter().filter(|(group, _)| names.is_empty() || names.iter().any(|name| name == group))
    {
        match compare(effort) {
            Ok(comparisons) => print!("{}", table::render(group, &comparisons)),
            Err(error) => {
                eprintln!("{group}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
