//! Searching in a server that has searched before, and by ripgrep over the same files.

use std::ffi::OsString;
use std::time::Duration;

use super::Sides;
use super::side::PATIENCE;
use super::tools::{self, FOUND, PHRASE, QUERY};
use super::turns::{BETTER, Rounds, Turns};
use crate::report::Findings;
use crate::workshop::settle;
use crate::{Effort, Result};

/// How long the peer may take: it reads every file for every search.
const LONG: Duration = Duration::from_secs(400);

/// How many tools there are, how often they are searched, and how much faster than the peer that has to be.
struct Size {
    tools: usize,
    rounds: Rounds,
    better: f64,
}

const QUICK: &[Size] = &[
    Size { tools: 100, rounds: Rounds { warm_up: 0, counted: 1 }, better: BETTER },
    Size { tools: 1_000, rounds: Rounds { warm_up: 0, counted: 1 }, better: BETTER },
];

const FULL: &[Size] = &[
    Size { tools: 100, rounds: Rounds { warm_up: 1, counted: 5 }, better: BETTER },
    Size { tools: 1_000, rounds: Rounds { warm_up: 1, counted: 4 }, better: BETTER },
    Size { tools: 10_000, rounds: Rounds { warm_up: 0, counted: 3 }, better: 50_000.0 },
];

pub(crate) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let (sizes, ripgrep_rounds) = match effort {
        Effort::Quick => (QUICK, Rounds::new(2)),
        Effort::Full => (FULL, Rounds::new(30)),
    };
    sizes.iter().try_for_each(|size| search(size, ripgrep_rounds, findings))
}

fn search(size: &Size, ripgrep_rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let sides = Sides::new(&tools::to_search(size.tools))?;
    let (mut ours, mut ryeos) = (sides.ours.serve()?.0, sides.ryeos.serve().map(|(client, _)| client));
    let (ours_call, ryeos_call) = (sides.ours.search(QUERY), sides.ryeos.search(QUERY));
    settle();
    ours.call(&ours_call, FOUND, PATIENCE)?;
    let what = format!("warm search, {} tools", size.tools);
    let turns = Turns {
        what: &what,
        peer_name: "ryeos",
        rounds: size.rounds,
        ours: &mut || ours.call(&ours_call, FOUND, PATIENCE),
        peer: &mut || match &mut ryeos {
            Ok(client) => client.call(&ryeos_call, FOUND, LONG),
            Err(error) => Err(error.to_string().into()),
        },
        floor: None,
    };
    turns.measure(size.better, findings)?;
    drop(ryeos);
    let files = sides.ours.tools().into_os_string();
    let ripgrep: Vec<OsString> =
        ["rg", "--hidden", "--count", PHRASE].into_iter().map(OsString::from).chain([files]).collect();
    let turns = Turns {
        what: &what,
        peer_name: "ripgrep",
        rounds: ripgrep_rounds,
        ours: &mut || ours.call(&ours_call, FOUND, PATIENCE),
        peer: &mut || Ok(sides.ours.run(&ripgrep, PATIENCE)?.elapsed),
        floor: None,
    };
    turns.measure(1.0, findings)
}
