//! How long each part of a task took.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::error::TaskError;

/// The parts that have run so far, in order.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    done: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    name: &'static str,
    time: Duration,
    passed: bool,
}

impl Parts {
    /// Runs one part under its name and remembers its time, whether it passes or not.
    pub(crate) fn run(
        &mut self,
        name: &'static str,
        part: impl FnOnce() -> Result<(), TaskError>,
    ) -> Result<(), TaskError> {
        eprintln!("\n== {name}");
        let start = Instant::now();
        let result = part();
        self.done.push(Part { name, time: start.elapsed(), passed: result.is_ok() });
        result
    }

    /// One line for each part, and their sum.
    pub(crate) fn table(&self) -> String {
        let mut table = String::from("\n");
        for Part { name, time, passed } in &self.done {
            let verdict = if *passed { "ok" } else { "FAILED" };
            let _ = writeln!(table, "{name:<28} {:>8.1} s  {verdict}", time.as_secs_f64());
        }
        let sum: Duration = self.done.iter().map(|part| part.time).sum();
        let _ = writeln!(table, "{:<28} {:>8.1} s", "total", sum.as_secs_f64());
        table
    }
}

/// Runs a task made of parts and prints their table at its end, which is when a failure needs it most.
pub(crate) fn with_table(parts: impl FnOnce(&mut Parts) -> Result<(), TaskError>) -> Result<(), TaskError> {
    let mut done = Parts::default();
    let result = parts(&mut done);
    println!("{}", done.table());
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_shows_the_part_that_failed() {
        let mut parts = Parts::default();
        parts.run("first", || Ok(())).unwrap();
        let failed = parts.run("second", || Err(TaskError::Unusable { program: "x", why: "y" }));
        assert!(failed.is_err());
        let table = parts.table();
        let lines: Vec<_> = table.lines().filter(|line| !line.is_empty()).collect();
        assert!(lines[0].starts_with("first") && lines[0].ends_with("ok"));
        assert!(lines[1].starts_with("second") && lines[1].ends_with("FAILED"));
        assert!(lines[2].starts_with("total"));
    }
}
