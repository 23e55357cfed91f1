//! The table that a person reads in a terminal.

use std::fmt::Write as _;

use super::cells::{Cells, HEADINGS};
use super::{Section, Tally};

/// One group, as soon as it is done.
pub(crate) fn part(sections: &[Section]) -> String {
    aligned(sections)
}

/// Everything, how long each group took, and how many goals are reached.
pub(crate) fn whole(sections: &[Section]) -> String {
    let mut text = aligned(sections);
    text.push('\n');
    for section in sections {
        let _ = writeln!(text, "{:<40} {:>7.1} s", section.title(), section.seconds);
    }
    let seconds: f64 = sections.iter().map(|section| section.seconds).sum();
    let _ = writeln!(text, "{:<40} {seconds:>7.1} s", "all groups");
    let Tally { goals, reached } = Tally::of(sections);
    let _ = writeln!(text, "\n{reached} of {goals} goals reached");
    text
}

fn aligned(sections: &[Section]) -> String {
    let rows: Vec<Vec<Cells>> =
        sections.iter().map(|section| section.findings.rows.iter().map(Cells::of).collect()).collect();
    let mut widths = HEADINGS.map(|heading| heading.chars().count());
    for cells in rows.iter().flatten() {
        for (index, text) in cells.columns().into_iter().enumerate() {
            // A reason is a sentence, and the columns behind it have nothing to say.
            if !text.starts_with("not measured") {
                widths[index] = widths[index].max(text.chars().count());
            }
        }
    }
    let line = |columns: [&str; 6]| {
        let padded: Vec<_> =
            columns.iter().zip(widths).map(|(text, width)| format!("{text:<width$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    let mut text = line(HEADINGS);
    for (section, rows) in sections.iter().zip(&rows) {
        let _ = writeln!(text, "── {}", section.title());
        for cells in rows {
            text += &line(cells.columns());
        }
        if let Some(failure) = &section.failure {
            let _ = writeln!(text, "FAILED: {failure}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Bound, Figure, Findings, Row};

    #[test]
    fn columns_stand_below_each_other_and_goals_are_counted() {
        let mut findings = Findings::default();
        findings.push(Figure::count("processes left", 0, Bound::AtMost(0.0)));
        findings.push(Figure::count("µ", 12, Bound::AtMost(3.0)));
        findings.rows.push(Row::absent("search of a peer", "it has none, and a long reason for it"));
        let section = Section {
            group: "some".to_owned(),
            user: "root".to_owned(),
            seconds: 1.5,
            failure: None,
            findings,
        };
        let text = whole(&[section]);
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "── some, as root");
        assert_eq!(lines[2].find("≤ 0"), lines[0].find("goal"), "{text}");
        assert!(lines[4].contains("not measured: it has none"), "{text}");
        assert_eq!(lines.last(), Some(&"1 of 2 goals reached"));
    }
}
