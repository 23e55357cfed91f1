//! Looking for inputs that break a parser, guided by which code they reach.
//!
//! The targets are in the package `rye-fuzz`. libFuzzer needs code that counts where it goes, which the stable
//! compiler makes if LLVM is told so; everything is therefore built again, in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::TaskError;
use crate::invocation::Invocation;
use crate::workspace::Workspace;

/// What makes the code count. `--cfg fuzzing` is what crates look for that behave differently then.
const RUSTFLAGS: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0 \
    --cfg fuzzing";

/// What libFuzzer calls a failure besides a crash: ten seconds, or two gigabytes.
const LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=2048", "-max_len=8192"];

/// How long it looks if nothing else is said, in seconds.
const DEFAULT_SECONDS: u32 = 60;

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
enum Work {
    /// To look for so many seconds.
    Search { seconds: u32 },
    /// To try one input.
    Replay { file: PathBuf },
}

/// Fuzzes the target that `args` name.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let seeds = workspace.root().join("fuzz/corpus");
    let target = args.first().map_or("", String::as_str);
    let known = folders(&seeds)?;
    if !known.iter().any(|name| name == target) {
        return Err(TaskError::FuzzTarget { target: target.to_owned(), known: known.join(", ") });
    }
    let program = build(workspace)?;
    let found = workspace.root().join("target/fuzz/found").join(target);
    let corpus = workspace.root().join("target/fuzz/corpus").join(target);
    for folder in [&found, &corpus] {
        fs::create_dir_all(folder).map_err(|source| TaskError::File {
            action: "make the folder",
            path: folder.clone(),
            source,
        })?;
    }
    let in_flight = found.join("in-flight");
    let fuzzer = Invocation::new(program)
        .in_folder(workspace.root())
        .env("RYE_FUZZ_TARGET", target)
        .env("RYE_FUZZ_IN_FLIGHT", &in_flight)
        .args(LIMITS);
    match Work::parse(args.get(1).map(String::as_str)) {
        Work::Replay { file } => fuzzer.arg(file).run()?,
        Work::Search { seconds } => fuzzer
            .arg(format!("-max_total_time={seconds}"))
            .arg("-dict=fuzz/dictionary.txt")
            .arg(format!("-artifact_prefix={}/", found.display()))
            // What reaches new code is kept in the first folder; the second is only read.
            .args([corpus, seeds.join(target)])
            .run()?,
    }
    // The last input was as good as all others.
    let _ = fs::remove_file(in_flight);
    Ok(())
}

/// Builds the fuzzer, and says where it is.
fn build(workspace: &Workspace) -> Result<PathBuf, TaskError> {
    // With a target given, the flags are not for build scripts.
    let host = Invocation::new("rustc").args(["--print", "host-tuple"]).read()?;
    let host = host.trim();
    Invocation::cargo(workspace)
        .env("RUSTFLAGS", RUSTFLAGS)
        .args(["build", "--locked", "--package", "rye-fuzz", "--features", "libfuzzer"])
        .args(["--profile", "fuzz", "--target", host, "--target-dir", "target/fuzz"])
        .run()?;
    Ok(workspace.root().join("target/fuzz").join(host).join("fuzz/rye-fuzz"))
}

fn folders(parent: &Path) -> Result<Vec<String>, TaskError> {
    let failed = |source| TaskError::File { action: "read", path: parent.to_path_buf(), source };
    let entries = fs::read_dir(parent).map_err(failed)?.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    let mut names: Vec<_> =
        entries.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

impl Work {
    fn parse(arg: Option<&str>) -> Self {
        match arg.map(|arg| (arg, arg.parse())) {
            None => Self::Search { seconds: DEFAULT_SECONDS },
            Some((_, Ok(seconds))) => Self::Search { seconds },
            Some((file, Err(_))) => Self::Replay { file: PathBuf::from(file) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_a_time_and_anything_else_a_file() {
        assert_eq!(Work::parse(None), Work::Search { seconds: DEFAULT_SECONDS });
        assert_eq!(Work::parse(Some("5")), Work::Search { seconds: 5 });
        assert_eq!(Work::parse(Some("a/crash-1")), Work::Replay { file: PathBuf::from("a/crash-1") });
    }

    #[test]
    fn an_unknown_target_is_told_which_there_are() {
        let error = run(&Workspace::here(), &["pyhton".to_owned()]).unwrap_err();
        let TaskError::FuzzTarget { target, known } = error else { panic!("{error}") };
        assert_eq!(target, "pyhton");
        assert!(known.split(", ").any(|name| name == "python"), "{known}");
    }
}
