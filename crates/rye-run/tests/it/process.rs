//! Processes that do one job of a test.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Starts a test as a process of its own, with the folder to work in on its standard input.
#[expect(clippy::disallowed_methods, reason = "the tests need processes that nothing contains")]
pub(crate) fn start(test: &str, folder: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--ignored", "--nocapture"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(folder.to_str().unwrap().as_bytes()).unwrap();
    child
}

/// What such a process is told.
pub(crate) fn orders() -> Option<String> {
    let text = std::io::read_to_string(std::io::stdin()).unwrap();
    (!text.is_empty()).then_some(text)
}

/// Says a word to whoever started this process. The test runner may have begun a line before it.
pub(crate) fn say(word: &str) {
    std::io::stdout().write_all(format!("\n{word}\n").as_bytes()).unwrap();
}

/// Waits until a process says a word.
pub(crate) fn wait_for(child: &mut Child, word: &str) {
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == word));
}
