//! All times of a section: where most of them are, and those that are not.

use std::time::Duration;

use super::super::cells::time;
use super::super::{Row, Section};
use super::canvas::{Anchor, Canvas};
use super::scale::Scale;
use crate::samples::Samples;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 430.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 64.0;
const ROW: f64 = 40.0;

/// The plot, unless the section has no times.
pub(super) fn draw(section: &Section) -> Option<String> {
    let timed: Vec<(&str, Vec<&Samples>)> = section.findings.rows.iter().filter_map(sides).collect();
    if timed.is_empty() {
        return None;
    }
    let ends =
        timed.iter().flat_map(|(_, sides)| sides).flat_map(|side| [0.0, 1.0].map(|end| side.quantile(end)));
    let across = Scale::over(ends.map(|end| end.as_secs_f64()), LEFT, WIDTH - RIGHT);
    let mut bottom = TOP;
    for _ in &timed {
        bottom += ROW;
    }
    let mut canvas = Canvas::new(&format!("Times of {}", section.title()), WIDTH, bottom + 34.0);
    canvas.words("title", (16.0, 28.0), Anchor::Start, &section.title());
    canvas.dot("c0 dot", (LEFT, 24.0), 4.0);
    canvas.words("label", (LEFT + 10.0, 28.0), Anchor::Start, "ours");
    canvas.dot("c1 dot", (LEFT + 60.0, 24.0), 4.0);
    canvas.words("label", (LEFT + 70.0, 28.0), Anchor::Start, "floor or peer");
    for value in across.ticks() {
        let x = across.place(value);
        canvas.line("grid", (x, TOP - 12.0), (x, bottom));
        let label = time(Duration::from_secs_f64(value)).replace(".00 ", " ").replace(".0 ", " ");
        canvas.words("small", (x, bottom + 18.0), Anchor::Middle, &label);
    }
    let mut y = TOP;
    for (what, sides) in timed {
        canvas.words("label", (16.0, y + 14.0), Anchor::Start, what);
        for (index, samples) in sides.into_iter().enumerate() {
            strip(&mut canvas, &across, index, samples, y + if index == 0 { 4.0 } else { 18.0 });
        }
        y += ROW;
    }
    Some(canvas.finish())
}

/// The times of a row, ours first.
fn sides(row: &Row) -> Option<(&str, Vec<&Samples>)> {
    match row {
        Row::Pair(pair) => Some((&pair.what, vec![&pair.ours, &pair.floor])),
        Row::Alone(alone) => Some((&alone.what, vec![&alone.ours])),
        Row::Figure(_) | Row::Absent { .. } => None,
    }
}

fn strip(canvas: &mut Canvas, across: &Scale, colour: usize, samples: &Samples, y: f64) {
    let x = |share| across.place(samples.quantile(share).as_secs_f64());
    canvas.line(&format!("c{colour} thin"), (x(0.05), y), (x(0.95), y));
    canvas.line(&format!("c{colour} thick"), (x(0.25), y), (x(0.75), y));
    canvas.line("mark", (x(0.5), y - 5.0), (x(0.5), y + 5.0));
    let mut last = f64::NEG_INFINITY;
    for outlier in samples.outliers() {
        let place = across.place(outlier.as_secs_f64());
        // Those that would lie on each other are one.
        if place - last >= 1.5 {
            canvas.dot(&format!("c{colour} ring"), (place, y), 2.2);
            last = place;
        }
    }
}
