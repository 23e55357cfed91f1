//! Plots as SVG, which need no program and no script to be seen.

mod canvas;
mod curves;
mod scale;
mod spread;

use super::Report;

/// A picture, and the section that it belongs to.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) section: String,
    pub(super) title: String,
    pub(super) file: String,
    pub(super) svg: String,
}

/// A plot of all times of each section, and one of each curve.
pub(super) fn of(report: &Report) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    for section in &report.sections {
        // The sections of an ordinary user have the names of those of root.
        let taken = |file: &str, plots: &[Plot]| plots.iter().any(|plot| plot.file == file);
        if let Some(svg) = spread::draw(section) {
            let file = format!("times-{}.svg", section.group);
            let other = format!("times-{}-ordinary-user.svg", section.group);
            let file = if taken(&file, &plots) { other } else { file };
            let title = format!("Times of the group {}", section.title());
            plots.push(Plot { section: section.title(), title, file, svg });
        }
        for curve in &section.findings.curves {
            let file = format!("{}.svg", curve.name);
            let title = curve.title.clone();
            plots.push(Plot { section: section.title(), title, file, svg: curves::draw(curve) });
        }
    }
    plots
}
