//! The commands of the project that need the program: `cargo xtask demo`, `docs` and `size`.
//!
//! They get the program that is tested, so that nothing but xtask itself is built, which whoever runs the tests has mostly done
//! already.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use crate::space::RYE;
use crate::workshop::eventually;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Where xtask is, once it is built.
#[expect(clippy::disallowed_methods, reason = "cargo is not part of the tested program")]
fn xtask() -> &'static Path {
    static XTASK: OnceLock<PathBuf> = OnceLock::new();
    XTASK.get_or_init(|| {
        let folder = Path::new(RYE).parent().unwrap();
        let profile = match folder.file_name().unwrap().to_str().unwrap() {
            "debug" => "dev",
            other => other,
        };
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let arguments = ["build", "--quiet", "--locked", "--package", "xtask", "--profile", profile];
        let built = Command::new(cargo).args(arguments).current_dir(ROOT).output().unwrap();
        assert!(built.status.success(), "{built:?}");
        folder.join("xtask")
    })
}

#[expect(clippy::disallowed_methods, reason = "xtask is not part of the tested program")]
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(xtask());
    command.args(args).current_dir(ROOT).stdin(Stdio::null());
    command
}

fn text(output: &Output) -> String {
    String::from_utf8([output.stdout.clone(), output.stderr.clone()].concat()).unwrap()
}

/// The folder that a demo says it works in.
fn folder(first_line: &str) -> PathBuf {
    let (_, rest) = first_line.split_once("This happens in ").unwrap();
    PathBuf::from(rest.split_once(',').unwrap().0)
}

#[test]
fn the_demo_shows_what_it_should_and_leaves_nothing() {
    let output = command(&["demo", "--rye", RYE]).output().unwrap();
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(!folder(&shown).exists(), "{shown}");
    for expected in [
        "$ rye init",
        "rye/core/runtimes/python/function",
        "\n    {\"greeting\": \"Hello World\"}\n",
        "\n    Hello World\n",
        "\n    {\"greeting\":\"Hello World\"}\n",
        "6 passed, 0 failed",
        "[SIGNATURE_INVALID]",
        "tools/list -> search, load, execute, sign, help\n",
        "refused: SIGNATURE_INVALID",
        "with your key, so that it can run?\" yes",
        "{\"greeting\":\"Goodbye World\"}",
        "valid: demo/everybody has 2 nodes",
        "│ for each person: demo/python_greet │",
        "\"greeting\": \"Goodbye Barbara\"",
        "rye mcp install",
    ] {
        assert!(shown.contains(expected), "`{expected}` is not in\n{shown}");
    }
    // The table has both figures and their ratio, and tells of which runtimes processes are kept ready.
    for (tool, start) in
        [("demo/python_greet", "warm"), ("demo/bash_greet", "cold"), ("demo/node_greet", "warm")]
    {
        let row = shown.lines().rfind(|line| line.trim_start().starts_with(tool)).unwrap();
        assert_eq!(row.split_whitespace().count(), 7, "{row}");
        assert!(row.ends_with(&format!("×  {start}")), "{row}");
    }
}

#[test]
fn a_language_that_is_not_there_is_left_out_of_the_demo() {
    // The shell of the bundle's runtime has a fixed place, and is found without any PATH.
    let tools = tempfile::tempdir().unwrap();
    for name in ["sh", "cat", "chmod", "rm", "sleep"] {
        std::os::unix::fs::symlink(Path::new("/bin").join(name), tools.path().join(name)).unwrap();
    }
    let output = command(&["demo", "--rye", RYE]).env("PATH", tools.path()).output().unwrap();
    let shown = text(&output);
    assert!(output.status.success(), "{shown}");
    assert!(shown.contains("what runs python is not on this machine"), "{shown}");
    assert!(shown.contains("what runs node is not on this machine"), "{shown}");
    assert!(shown.contains("2 passed, 0 failed"), "{shown}");
    assert!(!folder(&shown).exists(), "{shown}");
}

#[test]
fn a_demo_that_fails_says_why_and_leaves_nothing() {
    let output = command(&["demo", "--rye", "/bin/false"]).output().unwrap();
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(
        shown.contains("error: the demo stopped: `rye init --owner ada` ended with exit status: 1"),
        "{shown}"
    );
    assert!(!folder(&shown).exists(), "{shown}");
}

#[test]
fn a_demo_that_is_killed_leaves_nothing() {
    for signal in ["INT", "TERM", "KILL"] {
        // On a busy machine it may be over before the signal comes.
        assert!((0..10).any(|_| demo_is_killed(signal)), "{signal}");
    }
}

/// Kills a demo in the midst of something. Tells whether that was in time.
fn demo_is_killed(signal: &str) -> bool {
    let mut demo = command(&["demo", "--rye", RYE]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(demo.stdout.take().unwrap()).lines().map(Result::unwrap);
    let folder = folder(&lines.next().unwrap());
    let was_there = folder.is_dir();
    lines.find(|line| line.contains("$ rye execute")).unwrap();
    kill(signal, demo.id());
    let is_killed = !demo.wait().unwrap().success();
    assert!(
        is_killed || lines.any(|line| line.contains("passed, 0 failed")),
        "{signal}: half a demo has succeeded"
    );
    eventually("the end of the folder", || (!folder.exists()).then_some(()));
    is_killed && was_there
}

#[expect(clippy::disallowed_methods, reason = "somebody at a terminal, not the tested program")]
fn kill(signal: &str, process: u32) {
    let status = Command::new("kill").args(["-s", signal, &process.to_string()]).status().unwrap();
    assert!(status.success());
}

#[test]
fn the_pages_that_are_made_are_up_to_date_and_links_lead_somewhere() {
    let output = command(&["docs", "--check", "--rye", RYE]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn the_size_of_a_program_is_printed() {
    let size = std::fs::metadata(RYE).unwrap().len();
    let small = tempfile::NamedTempFile::new().unwrap();
    small.as_file().set_len(1_234_567).unwrap();
    let output = command(&["size", "--rye", small.path().to_str().unwrap()]).output().unwrap();
    assert!(output.status.success() && text(&output).contains("has 1.2 MB"), "{}", text(&output));
    let output = command(&["size", "--rye", RYE]).output().unwrap();
    assert_eq!(output.status.success(), size < 30_000_000, "{}", text(&output));
}
