//! One line of the table, as data.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::curve::{Curve, Expectation, Growth, Measure};
use super::figure::Figure;
use crate::comparison::Comparison;
use crate::samples::Samples;

/// One line of the table.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Row {
    /// Ours and the other side, in turns.
    Pair(Comparison),
    /// Ours alone.
    Alone(Timing),
    /// A number.
    Figure(Figure),
    /// Something that could not be measured, and why.
    Absent { what: String, why: String },
}

/// How long something of ours takes for which there is no other side.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Timing {
    pub(crate) what: String,
    pub(crate) ours: Samples,
    /// What the median must not exceed.
    pub(crate) limit: Option<Duration>,
}

/// What a group has found out.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Findings {
    pub(crate) rows: Vec<Row>,
    pub(crate) curves: Vec<Curve>,
}

impl Row {
    pub(crate) fn what(&self) -> &str {
        match self {
            Self::Pair(Comparison { what, .. })
            | Self::Alone(Timing { what, .. })
            | Self::Figure(Figure { what, .. })
            | Self::Absent { what, .. } => what,
        }
    }

    /// Whether the goal is reached, if there is one.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        match self {
            Self::Pair(pair) => pair.is_reached(),
            Self::Alone(alone) => alone.limit.map(|limit| alone.ours.median() <= limit),
            Self::Figure(figure) => figure.is_reached(),
            Self::Absent { .. } => None,
        }
    }

    pub(crate) fn absent(what: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Absent { what: what.into(), why: why.into() }
    }
}

impl From<Comparison> for Row {
    fn from(pair: Comparison) -> Self {
        Self::Pair(pair)
    }
}

impl From<Timing> for Row {
    fn from(alone: Timing) -> Self {
        Self::Alone(alone)
    }
}

impl From<Figure> for Row {
    fn from(figure: Figure) -> Self {
        Self::Figure(figure)
    }
}

impl Findings {
    pub(crate) fn push(&mut self, row: impl Into<Row>) {
        self.rows.push(row.into());
    }

    pub(crate) fn extend<R: Into<Row>>(&mut self, rows: impl IntoIterator<Item = R>) {
        self.rows.extend(rows.into_iter().map(Into::into));
    }

    /// A plot of lines over the same sizes, and a row for each of them that says whether it is as expected.
    pub(crate) fn grow(&mut self, plot: GrowthPlot<'_>, lines: &[(Growth, Expectation)]) {
        let GrowthPlot { name, title, unit } = plot;
        for (growth, expectation) in lines {
            self.extend(growth.verdict(unit, *expectation));
        }
        self.curves.push(Curve {
            name: name.to_owned(),
            title: title.to_owned(),
            grows: unit.to_owned(),
            measures: Measure::Seconds,
            lines: lines.iter().map(|(growth, _)| growth.line()).collect(),
        });
    }
}

/// What a plot is called, and what its sizes count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GrowthPlot<'a> {
    pub(crate) name: &'a str,
    pub(crate) title: &'a str,
    pub(crate) unit: &'a str,
}

/// A group that only compares.
impl From<Vec<Comparison>> for Findings {
    fn from(pairs: Vec<Comparison>) -> Self {
        let mut findings = Self::default();
        findings.extend(pairs);
        findings
    }
}
