//! Ratios between ours and a bare floor, both measured in the same run.
//!
//! `cargo xtask bench [--quick] [GROUP…]` runs all groups or the named ones. The two sides of a
//! comparison alternate sample by sample, so that a machine that changes its speed changes it for both. Run as
//! root, what depends on the user is measured for an ordinary one too.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the tables are the product")]

mod comparison;
mod containment;
mod endurance;
mod execute;
mod floor;
mod graph_kills;
mod graphs;
mod identity;
mod leftovers;
mod mcp;
mod process;
mod runtimes;
mod samples;
mod search;
mod table;
mod tree;
mod trust;
mod workshop;

use std::process::ExitCode;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How many samples are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// Enough to see that every benchmark works.
    Quick,
    /// Enough for a claim.
    Full,
}

/// Something that is measured and reported together.
struct Group {
    name: &'static str,
    report: fn(Effort) -> Result<String>,
    /// Whether the kernel treats root and others differently here.
    depends_on_user: bool,
}

const GROUPS: &[Group] = &[
    Group { name: "process", report: process::report, depends_on_user: true },
    Group { name: "containment", report: containment::report, depends_on_user: true },
    Group { name: "execute", report: execute::report, depends_on_user: false },
    Group { name: "runtimes", report: runtimes::report, depends_on_user: true },
    Group { name: "endurance", report: endurance::report, depends_on_user: false },
    Group { name: "graphs", report: graphs::report, depends_on_user: false },
    Group { name: "graph-kills", report: graph_kills::report, depends_on_user: false },
    Group { name: "search", report: search::report, depends_on_user: false },
    Group { name: "mcp", report: mcp::report, depends_on_user: false },
    Group { name: "trust", report: trust::report, depends_on_user: false },
];

const QUICK: &str = "--quick";

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == floor::PEAK) {
        return tell_peak(&arguments.collect::<Vec<_>>());
    }
    match parse(std::env::args().skip(1)).and_then(|(effort, groups)| run(effort, &groups)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rye-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a program in our own place and prints the most memory it had.
fn tell_peak(arguments: &[std::ffi::OsString]) -> ExitCode {
    let environment: Vec<_> = std::env::vars_os().collect();
    match std::env::current_dir()
        .map_err(Into::into)
        .and_then(|folder| floor::run(arguments, &environment, &folder))
    {
        Ok(peak) => {
            println!("{peak}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("rye-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: impl Iterator<Item = String>) -> Result<(Effort, Vec<&'static Group>)> {
    let mut effort = Effort::Full;
    let mut groups = Vec::new();
    for argument in arguments {
        match GROUPS.iter().find(|group| group.name == argument) {
            Some(group) => groups.push(group),
            None if argument == QUICK => effort = Effort::Quick,
            None => {
                let known: Vec<_> = GROUPS.iter().map(|group| group.name).collect();
                return Err(
                    format!("unknown argument `{argument}`; known: {QUICK}, {}", known.join(", ")).into()
                );
            }
        }
    }
    if groups.is_empty() {
        groups = GROUPS.iter().collect();
    }
    Ok((effort, groups))
}

fn run(effort: Effort, groups: &[&'static Group]) -> Result<()> {
    for group in groups {
        println!("{}, as {}\n{}", group.name, identity::name(), (group.report)(effort)?);
        if group.depends_on_user && identity::is_root() {
            print!("{}", identity::run_as_ordinary_user(group.name, effort)?);
        }
    }
    Ok(())
}
