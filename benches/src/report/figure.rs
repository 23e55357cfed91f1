//! A measured number that is no series of times: memory, a count, a rate.

use serde::{Deserialize, Serialize};

/// A number, perhaps with that of the other side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Figure {
    pub(crate) what: String,
    pub(crate) ours: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) other: Option<f64>,
    pub(crate) unit: Unit,
    pub(crate) bound: Bound,
}

/// What a number counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Unit {
    Megabytes,
    Pieces,
    /// Times something that is ideal.
    Times,
    PerSecond,
    Seconds,
}

/// What a number has to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Bound {
    /// Nothing was promised.
    Open,
    AtMost(f64),
    AtLeast(f64),
    /// At most this many times the number of the other side.
    TimesOther(f64),
}

impl Figure {
    pub(crate) fn new(what: impl Into<String>, ours: f64, unit: Unit, bound: Bound) -> Self {
        Self { what: what.into(), ours, other: None, unit, bound }
    }

    /// A number of things, which is small enough for a float.
    #[expect(clippy::cast_precision_loss, reason = "it is shown with few digits")]
    pub(crate) fn count(what: impl Into<String>, ours: usize, bound: Bound) -> Self {
        Self::new(what, ours as f64, Unit::Pieces, bound)
    }

    /// An amount of memory that was counted in KiB.
    #[expect(clippy::cast_precision_loss, reason = "it is shown with few digits")]
    pub(crate) fn memory(what: impl Into<String>, kibibytes: u64, bound: Bound) -> Self {
        Self::new(what, kibibytes as f64 / 1024.0, Unit::Megabytes, bound)
    }

    pub(crate) fn against(self, other: f64) -> Self {
        Self { other: Some(other), ..self }
    }

    pub(crate) fn ratio(&self) -> Option<f64> {
        self.other.filter(|other| *other > 0.0).map(|other| self.ours / other)
    }

    /// Whether the number is what it has to be, if it has to be something.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        match self.bound {
            Bound::Open => None,
            Bound::AtMost(limit) => Some(self.ours <= limit),
            Bound::AtLeast(limit) => Some(self.ours >= limit),
            Bound::TimesOther(limit) => Some(self.ratio().is_some_and(|ratio| ratio <= limit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_kept_or_not() {
        let reached = |figure: Figure| figure.is_reached();
        assert_eq!(reached(Figure::count("x", 3, Bound::Open)), None);
        assert_eq!(reached(Figure::count("x", 0, Bound::AtMost(0.0))), Some(true));
        assert_eq!(reached(Figure::memory("x", 2048, Bound::AtMost(1.9))), Some(false));
        assert_eq!(reached(Figure::new("x", 5.0, Unit::PerSecond, Bound::AtLeast(5.0))), Some(true));
        assert_eq!(reached(Figure::count("x", 5, Bound::TimesOther(0.25)).against(20.0)), Some(true));
        assert_eq!(reached(Figure::count("x", 5, Bound::TimesOther(0.25))), Some(false));
    }
}
