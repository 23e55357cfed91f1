//! The table at the end of the demo.

use std::fmt::Write as _;
use std::time::Duration;

/// How long a tool took.
#[derive(Debug)]
pub(super) struct Figure {
    pub(super) tool: String,
    /// A process of `rye` for each call, the interpreter started by it.
    pub(super) cold: Duration,
    /// A call to a server that has a process ready, and whether it had one each time.
    pub(super) warm: Option<Duration>,
}

/// One line for each tool.
pub(super) fn table(figures: &[Figure]) -> String {
    let mut text = format!("{:<20} {:>14} {:>16} {:>12}\n", "tool", "command line", "through MCP", "ratio");
    for Figure { tool, cold, warm } in figures {
        let _ = match warm {
            Some(warm) => writeln!(
                text,
                "{tool:<20} {:>14} {:>16} {:>11.1}×",
                milliseconds(*cold),
                milliseconds(*warm),
                cold.as_secs_f64() / warm.as_secs_f64().max(1e-9),
            ),
            None => writeln!(text, "{tool:<20} {:>14} {:>16} {:>12}", milliseconds(*cold), "–", "–"),
        };
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
        let cold = Duration::from_millis(40);
        let warm = Some(Duration::from_millis(4));
        let figures = [
            Figure { tool: "a/b".to_owned(), cold, warm },
            Figure { tool: "c".to_owned(), cold, warm: None },
        ];
        let text = table(&figures);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[1], ["a/b", "40.0", "ms", "4.0", "ms", "10.0×"]);
        assert_eq!(lines[2], ["c", "40.0", "ms", "–", "–"]);
    }
}
