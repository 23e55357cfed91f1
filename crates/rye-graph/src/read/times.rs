//! Times: `1.5` is seconds, and texts have a unit: `500ms`, `30s`, `5m`, `2h`.

use std::time::Duration;

use rye_metadata::{Placed, PlacedKind};

use super::Report;

/// The longest time that a graph may name.
pub const MAX_TIME: Duration = Duration::from_hours(366 * 24);

const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];

pub(super) fn read(report: &mut Report, field: &str, node: &Placed) -> Option<Duration> {
    let seconds = match &node.kind {
        PlacedKind::Number(number) => number.as_f64(),
        PlacedKind::Text(text) => seconds(text),
        _ => None,
    };
    let found = seconds.filter(|seconds| (0.0..=MAX_TIME.as_secs_f64()).contains(seconds));
    if found.is_none() {
        let message =
            "must be a time of at most a year, such as `30` (seconds), `500ms`, `30s`, `5m` or `2h`";
        report.error(field, node.position, message);
    }
    // Whole milliseconds are what a snapshot can hold.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the bounds above")]
    found.map(|seconds| Duration::from_millis((seconds * 1000.0).round() as u64))
}

/// A time that is not zero.
pub(super) fn read_positive(report: &mut Report, field: &str, node: &Placed) -> Option<Duration> {
    let time = read(report, field, node)?;
    if time.is_zero() {
        report.error(field, node.position, "must be longer than nothing");
    }
    Some(time)
}

fn seconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let (_, factor) = UNITS.into_iter().find(|(known, _)| *known == unit.trim())?;
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_a_unit() {
        let check = |text: &str, expect: Option<f64>| assert_eq!(seconds(text), expect, "{text}");
        check("500ms", Some(0.5));
        check("1.5 s", Some(1.5));
        check("5m", Some(300.0));
        check("2h", Some(7200.0));
        check("2", None);
        check("s", None);
        check("-1s", None);
        check("1d", None);
        check("", None);
    }
}
