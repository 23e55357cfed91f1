//! The table at the end of the demo.

use std::fmt::Write as _;
use std::time::Duration;

/// How long a tool took.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) tool: String,
    /// A process of `rye` for each call, which starts the interpreter.
    pub(super) command_line: Duration,
    pub(super) server: Option<ServerFigure>,
}

/// How long a tool took through a server.
#[derive(Debug, Clone, Copy)]
pub(super) struct ServerFigure {
    pub(super) time: Duration,
    pub(super) start: Start,
}

/// How runs began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// A process was ready.
    Warm,
    /// The interpreter was started for each call.
    Cold,
}

/// One line for each tool.
pub(super) fn table(figures: &[Figure]) -> String {
    let mut text =
        format!("{:<20} {:>14} {:>14} {:>8}  start\n", "tool", "command line", "through MCP", "ratio");
    for Figure { tool, command_line, server } in figures {
        let _ = write!(text, "{tool:<20} {:>14}", milliseconds(*command_line));
        if let Some(ServerFigure { time, start }) = server {
            let ratio = command_line.as_secs_f64() / time.as_secs_f64().max(1e-9);
            let start = match start {
                Start::Warm => "warm",
                Start::Cold => "cold",
            };
            let _ = write!(text, " {:>14} {ratio:>7.1}×  {start}", milliseconds(*time));
        }
        text.push('\n');
    }
    text
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_a_ratio_where_there_are_two_figures() {
        let server = ServerFigure { time: Duration::from_millis(4), start: Start::Warm };
        let command_line = Duration::from_millis(40);
        let text = table(&[
            Figure { tool: "a/b".to_owned(), command_line, server: Some(server) },
            Figure { tool: "c".to_owned(), command_line, server: None },
        ]);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["a/b", "40.0", "ms", "4.0", "ms", "10.0×", "warm"]);
        assert_eq!(lines[2], ["c", "40.0", "ms"]);
    }
}
