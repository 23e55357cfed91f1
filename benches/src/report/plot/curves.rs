//! How something grows: lines over sizes.

use std::time::Duration;

use super::super::cells::{digits, time};
use super::super::{Curve, Measure, Point};
use super::canvas::{Anchor, Canvas};
use super::scale::Scale;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 230.0;
const TOP: f64 = 48.0;
const BOTTOM: f64 = 52.0;
const COLOURS: usize = 6;

pub(super) fn draw(curve: &Curve) -> String {
    let points = || curve.lines.iter().flat_map(|line| &line.points);
    let across = Scale::over(points().map(|point| point.size), LEFT, WIDTH - RIGHT);
    let up = Scale::over(points().flat_map(|Point { low, high, .. }| [*low, *high]), HEIGHT - BOTTOM, TOP);
    let mut canvas = Canvas::new(&curve.title, WIDTH, HEIGHT);
    canvas.words("title", (LEFT, 28.0), Anchor::Start, &curve.title);
    for value in across.ticks() {
        let x = across.place(value);
        canvas.line("grid", (x, TOP), (x, HEIGHT - BOTTOM));
        canvas.words("small", (x, HEIGHT - BOTTOM + 18.0), Anchor::Middle, &size(value));
    }
    for value in up.ticks() {
        let y = up.place(value);
        canvas.line("grid", (LEFT, y), (WIDTH - RIGHT, y));
        canvas.words("small", (LEFT - 8.0, y + 4.0), Anchor::End, &amount(curve.measures, value));
    }
    let middle = f64::midpoint(LEFT, WIDTH - RIGHT);
    canvas.words("label", (middle, HEIGHT - 12.0), Anchor::Middle, &curve.grows);
    let mut key = TOP + 8.0;
    for (index, line) in curve.lines.iter().enumerate() {
        let colour = format!("c{}", index % COLOURS);
        let places: Vec<_> =
            line.points.iter().map(|point| (across.place(point.size), up.place(point.middle))).collect();
        canvas.path(&format!("{colour} line"), &places);
        for (point, place) in line.points.iter().zip(&places) {
            let x = place.0;
            canvas.line(&format!("{colour} thin"), (x, up.place(point.low)), (x, up.place(point.high)));
            canvas.dot(&format!("{colour} dot"), *place, 3.5);
        }
        let x = WIDTH - RIGHT + 16.0;
        canvas.dot(&format!("{colour} dot"), (x, key - 4.0), 4.0);
        canvas.words("label", (x + 10.0, key), Anchor::Start, &line.name);
        key += 20.0;
    }
    canvas.finish()
}

/// A size, in few letters.
fn size(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{} M", digits(v / 1e6).trim_end_matches(".00")),
        v if v >= 1e3 => format!("{} k", digits(v / 1e3).trim_end_matches(".00").trim_end_matches(".0")),
        v => format!("{v}"),
    }
}

fn amount(measure: Measure, value: f64) -> String {
    let text = match measure {
        Measure::Seconds => time(Duration::from_secs_f64(value)),
        Measure::Megabytes => format!("{} MB", digits(value)),
    };
    text.replace(".00 ", " ").replace(".0 ", " ")
}
