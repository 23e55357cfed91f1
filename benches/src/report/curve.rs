//! How something grows.

use serde::{Deserialize, Serialize};

use crate::comparison::{Comparison, Goal};
use crate::samples::{Ratio, Samples};

/// What is measured while something grows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Curve {
    /// A short name, of which a file is named.
    pub(crate) name: String,
    pub(crate) title: String,
    /// What grows.
    pub(crate) grows: String,
    pub(crate) measures: Measure,
    pub(crate) lines: Vec<Line>,
}

/// What stands at the upright axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Measure {
    Seconds,
    Megabytes,
}

/// One line of a plot.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// What was measured at one size.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) size: f64,
    pub(crate) low: f64,
    pub(crate) middle: f64,
    pub(crate) high: f64,
}

impl Point {
    /// The median, and what one in twenty is below and above.
    pub(crate) fn of_samples(size: usize, samples: &Samples) -> Self {
        let seconds = |share| samples.quantile(share).as_secs_f64();
        Self { size: as_float(size), low: seconds(0.05), middle: seconds(0.5), high: seconds(0.95) }
    }

    pub(crate) fn of_value(size: usize, value: f64) -> Self {
        Self { size: as_float(size), low: value, middle: value, high: value }
    }
}

/// What was measured at sizes that grow.
#[derive(Debug, Clone)]
pub(crate) struct Growth {
    pub(crate) name: String,
    pub(crate) sizes: Vec<usize>,
    pub(crate) samples: Vec<Samples>,
}

/// What is expected of a line.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expectation {
    /// What one of many costs is at most this many times as much among the most as it is in the middle of the line.
    ForEach(f64),
    /// At the largest size it takes at most this many times as long as at the smallest one.
    Flat(f64),
    /// Nothing.
    Nothing,
}

impl Growth {
    pub(crate) fn line(&self) -> Line {
        let points = self.sizes.iter().zip(&self.samples);
        let points = points.map(|(size, samples)| Point::of_samples(*size, samples)).collect();
        Line { name: self.name.clone(), points }
    }

    /// The row that says whether the line is as expected: its end against an earlier place.
    pub(crate) fn verdict(&self, unit: &str, expectation: Expectation) -> Option<Comparison> {
        let last = self.sizes.len().checked_sub(1)?;
        let (before, is_for_each, goal) = match expectation {
            Expectation::ForEach(limit) => (last / 2, true, Goal::Times(limit)),
            Expectation::Flat(limit) => (0, false, Goal::Times(limit)),
            Expectation::Nothing => return None,
        };
        let (ours, floor) = (self.samples.get(last)?.clone(), self.samples.get(before)?.clone());
        let ratio = Ratio::of_pairs(ours.taken(), floor.taken());
        let (large, small) = (self.sizes[last], self.sizes[before]);
        let ratio = if is_for_each { ratio.for_each_of(as_float(large) / as_float(small)) } else { ratio };
        let each = if is_for_each { ", for each" } else { "" };
        let what = format!("{}: {} / {} {unit}{each}", self.name, spelt(large), spelt(small));
        Some(Comparison { what, ours, floor, ratio, goal })
    }
}

/// A number with its thousands apart.
pub(crate) fn spelt(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "sizes are far below what a float holds exactly")]
fn as_float(size: usize) -> f64 {
    size as f64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn growth(millis: &[u64]) -> Growth {
        let samples = millis.iter().map(|one| Samples::new(vec![Duration::from_millis(*one); 3])).collect();
        let sizes = (0..millis.len()).map(|power| 10_usize.pow(u32::try_from(power).unwrap())).collect();
        Growth { name: "it".to_owned(), sizes, samples }
    }

    #[test]
    fn what_grows_with_its_size_costs_the_same_for_each() {
        let row = growth(&[9, 10, 100, 1000]).verdict("items", Expectation::ForEach(1.5)).unwrap();
        assert_eq!(row.what, "it: 1,000 / 10 items, for each");
        assert!((row.ratio.value - 1.0).abs() < 1e-9);
        assert_eq!(row.is_reached(), Some(true));
        let row = growth(&[9, 10, 1000, 100_000]).verdict("items", Expectation::ForEach(1.5)).unwrap();
        assert_eq!(row.is_reached(), Some(false));
    }

    #[test]
    fn what_stays_is_held_against_its_beginning() {
        let row = growth(&[10, 11, 12]).verdict("items", Expectation::Flat(1.25)).unwrap();
        assert_eq!((row.what.as_str(), row.is_reached()), ("it: 100 / 1 items", Some(true)));
        let row = growth(&[10, 11, 13]).verdict("items", Expectation::Flat(1.25)).unwrap();
        assert_eq!(row.is_reached(), Some(false));
    }
}
