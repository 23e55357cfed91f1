//! The page of the book that shows the last table and its plots.

use std::fmt::Write as _;

use super::cells::{Cells, HEADINGS};
use super::plot::Plot;
use super::{Report, Tally};
use crate::Effort;

/// The page, with the plots that lie beside it.
pub(super) fn page(report: &Report, plots: &[Plot]) -> String {
    let Tally { goals, reached } = Tally::of(&report.sections);
    let mut text = format!(
        "<!-- Made by `cargo xtask bench`. -->\n\n# Figures\n\n\
         `cargo xtask bench` has measured this, and writes it anew. Ours and the other side took turns in one run, in the same \
         folder and with the same environment, and no sample was dropped; all of them are in `results.json` beside this page. \
         Of {goals} goals {reached} are reached. The times are those of one machine, which is told at the end; the ratios are what \
         another machine should show as well.\n\n\
         The ratio is that of the medians, with the interval that holds it with 95 % confidence. Where it says \"for each\", \
         it is what one of many costs at the larger size against the smaller one. In the plots a thin line goes \
         from the fifth percentile to the ninety-fifth, a thick one over the middle half, and each dot is an outlier.\n"
    );
    if report.effort == Effort::Quick {
        let how = format!("quick run of a {} build", report.machine.profile);
        let _ = write!(
            text,
            "\n**This was a {how}, which shows that everything works. It is no basis for a claim.**\n"
        );
    }
    for section in &report.sections {
        let _ = write!(text, "\n## {}\n\n", heading(&section.title()));
        text += &line(HEADINGS);
        text += "|---|---|---|---|---|---|\n";
        for row in &section.findings.rows {
            text += &line(Cells::of(row).columns());
        }
        if let Some(failure) = &section.failure {
            let _ = write!(text, "\nIt failed: {failure}\n");
        }
        for plot in plots.iter().filter(|plot| plot.section == section.title()) {
            let _ = write!(text, "\n<img src=\"{}\" alt=\"{}\">\n", plot.file, escaped(&plot.title));
        }
    }
    text += "\n## The machine\n\n| | |\n|---|---|\n";
    for (name, value) in report.machine.facts() {
        let _ = writeln!(text, "| {name} | {} |", escaped(&value));
    }
    let _ = write!(text, "\n## How long it took\n\n| group | |\n|---|---|\n");
    for section in &report.sections {
        let _ = writeln!(text, "| {} | {:.0} s |", section.title(), section.seconds);
    }
    text
}

fn heading(title: &str) -> String {
    let mut letters = title.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn line(columns: [&str; 6]) -> String {
    format!("| {} |\n", columns.map(escaped).join(" | "))
}

/// What would be read as HTML or as the end of a cell.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
    // Brackets could be read as a link, and stars as emphasis.
    text.replace('|', "\\|").replace('[', "\\[").replace('*', "\\*").replace('\n', " ")
}
