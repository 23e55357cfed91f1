//! Signing many tools by one command.

use std::path::Path;
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
    let unsigned = tools::to_sign(count);
    let turns = Turns {
        what: &format!("signing of {count} tools"),
        peer_name: "ryeos",
        rounds,
        ours: &mut || sign(&sides.ours, &unsigned),
        peer: &mut || sign(&sides.ryeos, &unsigned),
        floor: None,
    };
    turns.measure(BETTER, findings)
}

/// Puts the tools there without their signatures, which takes no time here, and signs them. What is there from the round
/// before is written over and not removed: some file systems are slow to make files where many have just gone.
fn sign(side: &Side, unsigned: &[(String, String)]) -> Result<Duration> {
    std::fs::create_dir_all(side.tools().join("many"))?;
    for (name, text) in unsigned {
        std::fs::write(side.tools().join(Path::new(name)), text)?;
    }
    side.sign("many")
}
