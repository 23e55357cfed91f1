//! Counts, on record and found.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::error::TaskError;

/// What one may differ from the other, in percent.
const TOLERANCE: f64 = 10.0;

const HEAD: &str = "\
# How many instructions pieces of our work take, without optimisation, as Valgrind counts them.
# Made by `cargo xtask instructions --update`; the CI wants each within a tenth.
";

/// Instructions by case, and the compiler that chose them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) compiler: String,
    pub(super) counts: BTreeMap<String, u64>,
}

impl Counts {
    pub(super) fn to_toml(&self) -> String {
        let mut text = format!("{HEAD}compiler = \"{}\"\n\n[instructions]\n", self.compiler);
        for (case, count) in &self.counts {
            let _ = writeln!(text, "\"{case}\" = {count}");
        }
        text
    }

    /// Reads what [`Self::to_toml`] has written.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut found = Self { compiler: String::new(), counts: BTreeMap::new() };
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with('#') || line == "[instructions]" {
                continue;
            }
            let no = || format!("`benches/instructions.toml` has a line that nobody understands: {line}");
            let (name, value) = line.split_once(" = ").ok_or_else(no)?;
            if name == "compiler" {
                value.trim_matches('"').clone_into(&mut found.compiler);
            } else {
                let count = value.parse().map_err(|_| no())?;
                found.counts.insert(name.trim_matches('"').to_owned(), count);
            }
        }
        Ok(found)
    }

    /// One line for each case.
    pub(super) fn table(&self, known: &Self) -> String {
        let mut text = String::new();
        for (case, count) in &self.counts {
            let before = known.counts.get(case);
            let change =
                before.map_or("not on record".to_owned(), |old| format!("{:+.1} %", change(*old, *count)));
            let _ = writeln!(text, "{case:<32} {count:>12} {change:>10}");
        }
        text
    }

    /// Finds what differs by more than it may.
    pub(super) fn compare(&self, known: &Self) -> Result<(), TaskError> {
        let mut violations = Vec::new();
        for (case, count) in &self.counts {
            match known.counts.get(case) {
                None => violations.push(format!("`{case}` is not on record")),
                Some(old) if change(*old, *count).abs() > TOLERANCE => {
                    violations.push(format!("`{case}` took {old}, and takes {count}"));
                }
                Some(_) => {}
            }
        }
        let gone = known.counts.keys().filter(|case| !self.counts.contains_key(*case));
        violations.extend(gone.map(|case| format!("`{case}` is on record, and is no case any more")));
        if violations.is_empty() {
            return Ok(());
        }
        if self.compiler != known.compiler {
            violations.push(format!("the record is of {}, and this is {}", known.compiler, self.compiler));
        }
        violations.push(
            "if that is meant, run `cargo xtask instructions --update`, and commit what it changes"
                .to_owned(),
        );
        Err(TaskError::Violations { check: "instructions", violations })
    }
}

/// How many percent more it is now.
#[expect(clippy::cast_precision_loss, reason = "a tenth is looked for")]
fn change(before: u64, now: u64) -> f64 {
    (now as f64 / before.max(1) as f64 - 1.0) * 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(compiler: &str, counts: &[(&str, u64)]) -> Counts {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Counts { compiler: compiler.to_owned(), counts }
    }

    fn violations(found: &Counts, known: &Counts) -> Vec<String> {
        match found.compare(known) {
            Ok(()) => Vec::new(),
            Err(TaskError::Violations { violations, .. }) => violations,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let counts = counts("rustc 1", &[("a, first", 12), ("b", 345)]);
        assert_eq!(Counts::parse(&counts.to_toml()).unwrap(), counts);
        assert!(Counts::parse("\"a\" = many").is_err());
    }

    #[test]
    fn more_than_a_tenth_is_a_change_in_both_directions() {
        let known = counts("rustc 1", &[("a", 1000)]);
        assert_eq!(violations(&counts("rustc 1", &[("a", 1099)]), &known), Vec::<String>::new());
        assert_eq!(
            violations(&counts("rustc 1", &[("a", 1101)]), &known)[0],
            "`a` took 1000, and takes 1101"
        );
        assert_eq!(violations(&counts("rustc 1", &[("a", 899)]), &known).len(), 2);
        assert_eq!(violations(&counts("rustc 2", &[("a", 899)]), &known).len(), 3);
    }

    #[test]
    fn cases_that_come_and_go_are_found() {
        let found = violations(&counts("rustc 1", &[("new", 1)]), &counts("rustc 1", &[("old", 1)]));
        assert_eq!(found[..2], ["`new` is not on record", "`old` is on record, and is no case any more"]);
    }
}
