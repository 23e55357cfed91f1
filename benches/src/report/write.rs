//! The files of a report.

use std::fs;
use std::path::Path;

use super::{Report, page, plot};
use crate::Result;

/// The files that a report consists of, beside its plots.
const RESULTS: &str = "results.json";
const PAGE: &str = "figures.md";

/// Writes the page, the samples and the plots, and removes the plots of an earlier run.
pub(crate) fn write(report: &Report, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "svg") {
            fs::remove_file(path)?;
        }
    }
    let plots = plot::of(report);
    for plot in &plots {
        fs::write(folder.join(&plot.file), &plot.svg)?;
    }
    fs::write(folder.join(PAGE), page::page(report, &plots))?;
    fs::write(folder.join(RESULTS), serde_json::to_string(report)? + "\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Effort;
    use crate::comparison::{Comparison, Goal};
    use crate::report::{
        Bound, Expectation, Figure, Findings, Growth, GrowthPlot, Machine, Row, Section, Timing,
    };
    use crate::samples::Samples;

    fn samples(micros: u64) -> Samples {
        Samples::new((0..20).map(|one| Duration::from_micros(micros + one * one)).collect())
    }

    fn report() -> Report {
        let mut findings = Findings::default();
        let step = || Ok(());
        let pair = Comparison::measure("a <b> / c", 5, Goal::Times(1.5), &mut { step }, &mut { step });
        findings.push(pair.unwrap());
        findings.push(Timing { what: "alone".to_owned(), ours: samples(5), limit: None });
        findings.push(Figure::count("left", 0, Bound::AtMost(0.0)));
        findings.rows.push(Row::absent("peer", "it cannot"));
        let growth = Growth {
            name: "search".to_owned(),
            sizes: vec![10, 100, 1000],
            samples: vec![samples(10), samples(80), samples(900)],
        };
        let plot = GrowthPlot { name: "items", title: "Search over items", unit: "items" };
        findings.grow(plot, &[(growth, Expectation::ForEach(1.5))]);
        let section = Section {
            group: "some".to_owned(),
            user: "root".to_owned(),
            seconds: 2.0,
            failure: None,
            findings,
        };
        Report { effort: Effort::Full, machine: Machine::here(), sections: vec![section] }
    }

    #[test]
    fn a_report_is_written_whole_and_can_be_read_again() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("old.svg"), "").unwrap();
        write(&report(), folder.path()).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["figures.md", "items.svg", "results.json", "times-some.svg"]);
        let text = fs::read_to_string(folder.path().join(RESULTS)).unwrap();
        let again: Report = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap() + "\n", text);
        let page = fs::read_to_string(folder.path().join(PAGE)).unwrap();
        assert!(page.contains("a &lt;b> / c") && page.contains("src=\"items.svg\""), "{page}");
        assert!(page.contains("not measured: it cannot"), "{page}");
    }
}
