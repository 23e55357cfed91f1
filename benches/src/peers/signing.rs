//! Signing many tools by one command.

use std::cell::Cell;
use std::time::Duration;

use super::Sides;
use super::side::Side;
use super::tools;
use super::turns::{Rounds, Turns};
use crate::report::Findings;
use crate::{Effort, Result};

/// How many times more tools in the same time.
const BETTER: f64 = 30.0;

pub(crate) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let (count, rounds) = match effort {
        Effort::Quick => (50, Rounds { warm_up: 0, counted: 1 }),
        Effort::Full => (1_000, Rounds { warm_up: 1, counted: 5 }),
    };
    let sides = Sides::new(&tools::demo())?;
    sides.prepare(findings)?;
    let rounds_done = [Cell::new(0), Cell::new(0)];
    let turns = Turns {
        what: &format!("signing of {count} tools"),
        peer_name: "ryeos",
        rounds,
        ours: &mut || sign(&sides.ours, count, &rounds_done[0]),
        peer: &mut || sign(&sides.ryeos, count, &rounds_done[1]),
        floor: None,
    };
    turns.measure(BETTER, findings)
}

/// Puts tools there without signatures and on the disk, which takes no time here, and signs them. They are new ones each
/// time: where many files have just gone, as those do that are replaced, some file systems are slow to make others.
fn sign(side: &Side, count: usize, round: &Cell<usize>) -> Result<Duration> {
    let folder = format!("many{}", round.replace(round.get() + 1));
    std::fs::create_dir_all(side.tools().join(&folder))?;
    for (name, text) in tools::to_sign(count, &folder) {
        std::fs::write(side.tools().join(name), text)?;
    }
    rustix::fs::sync();
    side.sign(&folder)
}
