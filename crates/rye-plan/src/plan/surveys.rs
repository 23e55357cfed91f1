//! What was found outside of the process for a chain before.

use rye_env::Surveyed;

use crate::Chain;

/// Remembers which interpreters were found for a chain.
pub trait Surveys: std::fmt::Debug {
    /// What was found for this chain with these values in the options of its interpreters, or else what `make` finds. It
    /// counts only if nothing that it depends on can have changed.
    fn get(&self, chain: &Chain, values: Vec<String>, make: &mut dyn FnMut() -> Surveyed) -> KnownSurvey;
}

/// What was found, and for how long that holds.
#[derive(Debug)]
pub struct KnownSurvey {
    /// What was found.
    pub surveyed: Surveyed,
    /// Whether nothing that it depends on can change for as long as the chain is used.
    pub is_lasting: bool,
}
