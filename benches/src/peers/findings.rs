//! What came out of the comparisons with others.

use std::fmt::Write as _;

use crate::comparison::Comparison;

/// What came out, and what could not be compared.
#[derive(Default)]
pub(crate) struct Findings {
    comparisons: Vec<Comparison>,
    refusals: Vec<Refusal>,
    memory: Vec<Memory>,
}

/// Something that the peer cannot do.
struct Refusal {
    what: String,
    why: String,
}

/// Memory of two servers, in KiB.
pub(crate) struct Memory {
    pub(crate) what: &'static str,
    pub(crate) ours: u64,
    pub(crate) peer: u64,
    /// How many times less ours has to be, if anything was promised.
    pub(crate) goal: Option<u64>,
}

impl Findings {
    /// Keeps a comparison, and tells whoever waits for the table.
    pub(crate) fn compared(&mut self, comparison: Comparison) {
        let Comparison { what, ours, floor, ratio, .. } = &comparison;
        let (ours, floor) = (ours.quantile(0.5), floor.quantile(0.5));
        eprintln!("{what}: {} µs and {} µs, {ratio}", ours.as_micros(), floor.as_micros());
        self.comparisons.push(comparison);
    }

    pub(crate) fn refused(&mut self, what: String, why: String) {
        eprintln!("{what}: not measured: {why}");
        self.refusals.push(Refusal { what, why });
    }

    pub(crate) fn remembered(&mut self, memory: Memory) {
        self.memory.push(memory);
    }

    pub(crate) fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// What is no comparison of times, as a person reads it.
    pub(crate) fn remarks(&self) -> String {
        let mut text = String::new();
        for Refusal { what, why } in &self.refusals {
            let _ = writeln!(text, "{what:<44} not measured, the peer says: {why}");
        }
        for memory in &self.memory {
            let _ = writeln!(text, "{}", memory.render());
        }
        text
    }
}

impl Memory {
    fn is_reached(&self) -> Option<bool> {
        self.goal.map(|times| self.ours * times <= self.peer)
    }

    fn render(&self) -> String {
        let Self { what, ours, peer, goal } = self;
        #[expect(clippy::cast_precision_loss, reason = "megabytes to be read")]
        let (ours, peer) = (*ours as f64 / 1024.0, *peer as f64 / 1024.0);
        let reached = self.is_reached().map_or("-", |reached| if reached { "yes" } else { "no" });
        let goal = goal.map_or("-".to_owned(), |times| format!("≤ 1/{times}"));
        let ratio = peer / ours;
        format!(
            "{what}: ours {ours:.1} MB, peer {peer:.1} MB, ratio 1/{ratio:.1}, goal {goal}, reached {reached}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_held_against_its_goal() {
        let reaches = |ours| Memory { what: "x", ours, peer: 4000, goal: Some(4) }.is_reached();
        assert_eq!(reaches(1000), Some(true));
        assert_eq!(reaches(1001), Some(false));
    }
}
