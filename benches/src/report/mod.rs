//! What was measured, and the forms in which it is told: a table, a page, JSON and plots.

mod cells;
mod curve;
mod figure;
mod machine;
mod page;
mod plot;
mod row;
mod table;
mod write;

use serde::{Deserialize, Serialize};

use crate::Effort;

pub(crate) use curve::{Curve, Expectation, Growth, Line, Measure, Point, spelt};
pub(crate) use figure::{Bound, Figure, Unit};
pub(crate) use machine::Machine;
pub(crate) use row::{Findings, GrowthPlot, Row, Timing};
pub(crate) use table::{part, whole};
pub(crate) use write::write;

/// Everything that one run has found out.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Report {
    pub(crate) effort: Effort,
    pub(crate) machine: Machine,
    pub(crate) sections: Vec<Section>,
}

/// What one group has found out, for one user.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Section {
    pub(crate) group: String,
    /// Who measured.
    pub(crate) user: String,
    /// How long all of it took.
    pub(crate) seconds: f64,
    /// Why there is less than there should be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) failure: Option<String>,
    #[serde(flatten)]
    pub(crate) findings: Findings,
}

impl Section {
    pub(crate) fn title(&self) -> String {
        format!("{}, as {}", self.group, self.user)
    }
}

/// How many goals there are, and how many of them are reached.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) goals: usize,
    pub(crate) reached: usize,
}

impl Tally {
    pub(crate) fn of(sections: &[Section]) -> Self {
        let verdicts = sections.iter().flat_map(|section| &section.findings.rows).filter_map(Row::is_reached);
        let verdicts: Vec<bool> = verdicts.collect();
        Self { goals: verdicts.len(), reached: verdicts.iter().filter(|one| **one).count() }
    }
}
