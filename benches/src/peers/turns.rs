//! Three ways to do the same, in turns: ours, the peer's, and the bare floor.

use std::time::Duration;

use crate::Result;
use crate::comparison::{Comparison, Goal};
use crate::report::{Findings, Row};
use crate::samples::Samples;

/// Does it once, and tells how long it took.
pub(crate) type Step<'a> = &'a mut dyn FnMut() -> Result<Duration>;

/// What is done, by whom, and how often.
pub(crate) struct Turns<'a> {
    pub(crate) what: &'a str,
    pub(crate) peer_name: &'a str,
    pub(crate) rounds: Rounds,
    pub(crate) ours: Step<'a>,
    pub(crate) peer: Step<'a>,
    /// What it is called, and what it does.
    pub(crate) floor: Option<(&'a str, Step<'a>)>,
}

/// How often something is done.
#[derive(Clone, Copy)]
pub(crate) struct Rounds {
    /// At first, and not counted.
    pub(crate) warm_up: usize,
    pub(crate) counted: usize,
}

/// How many times ours has to be better than a peer.
pub(crate) const BETTER: f64 = 50.0;

/// How many times the bare floor is enough too.
pub(crate) const NEAR: f64 = 1.2;

/// Who does it in one round after the other. Whoever goes next finds the machine as the one before has left it, so in these rounds
/// each comes as often after each.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [2, 0, 1], [1, 0, 2], [2, 1, 0], [0, 2, 1], [1, 2, 0]];

impl Rounds {
    pub(crate) fn new(counted: usize) -> Self {
        Self { warm_up: counted / 10 + 1, counted }
    }
}

impl Turns<'_> {
    /// Measures, with the goal of being so many times better than the peer, or near the floor if there is one.
    ///
    /// A peer that fails is asked no more, and the reason is among the findings; ours must not fail.
    pub(crate) fn measure(mut self, better: f64, findings: &mut Findings) -> Result<()> {
        let (mut ours, mut floor, mut peer) = (Vec::new(), Vec::new(), Vec::new());
        let mut refusal = None;
        for round in 0..self.rounds.warm_up + self.rounds.counted {
            let counts = round >= self.rounds.warm_up;
            for turn in ORDERS[round % ORDERS.len()] {
                let (times, elapsed) = match turn {
                    0 => (&mut ours, (self.ours)().map_err(|error| format!("{}: {error}", self.what))?),
                    1 => match &mut self.floor {
                        Some((_, step)) => (&mut floor, step()?),
                        None => continue,
                    },
                    _ if refusal.is_some() => continue,
                    _ => match (self.peer)() {
                        Ok(elapsed) => (&mut peer, elapsed),
                        Err(error) => {
                            refusal = Some(error.to_string());
                            continue;
                        }
                    },
                };
                if counts {
                    times.push(elapsed);
                }
            }
        }
        let what = format!("{} / {}", self.what, self.peer_name);
        // Some take minutes, and whoever waits wants to know.
        eprintln!("peers: {what}");
        if let Some(why) = refusal {
            findings.push(Row::absent(what, why));
        } else {
            let goal = if self.floor.is_some() {
                let floor = Samples::new(floor.clone()).quantile(0.5);
                Goal::BetterOr { better, times: NEAR, floor }
            } else {
                Goal::Better(better)
            };
            findings.push(Comparison::of_times(what, goal, ours.clone(), peer));
        }
        if let Some((name, _)) = self.floor {
            let what = format!("{} / {name}", self.what);
            findings.push(Comparison::of_times(what, Goal::Open, ours, floor));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_comes_as_often_after_each() {
        let all: Vec<usize> = ORDERS.into_iter().flatten().collect();
        let mut pairs: Vec<_> = all.iter().zip(all.iter().cycle().skip(1)).collect();
        pairs.sort();
        let expect: Vec<_> = pairs.iter().step_by(2).flat_map(|pair| [*pair; 2]).collect();
        assert_eq!(pairs, expect);
        pairs.dedup();
        assert_eq!(pairs.len(), 9);
    }

    fn measure(peer: Step<'_>) -> Findings {
        let mut findings = Findings::default();
        let turns = Turns {
            what: "a thing",
            peer_name: "peer",
            rounds: Rounds { warm_up: 1, counted: 4 },
            ours: &mut || Ok(Duration::from_millis(2)),
            peer,
            floor: Some(("floor", &mut || Ok(Duration::from_millis(1)))),
        };
        turns.measure(BETTER, &mut findings).unwrap();
        findings
    }

    #[test]
    fn a_peer_that_fails_leaves_its_reason_and_the_floor() {
        let mut times = 0;
        let findings = measure(&mut || {
            times += 1;
            Err("it is broken".into())
        });
        assert_eq!(times, 1);
        let [Row::Absent { what, why }, Row::Pair(floor)] = findings.rows.as_slice() else {
            panic!("{findings:?}")
        };
        assert_eq!([what, why, &floor.what], ["a thing / peer", "it is broken", "a thing / floor"]);
    }

    #[test]
    fn a_peer_that_works_is_compared() {
        let findings = measure(&mut || Ok(Duration::from_millis(101)));
        let reached: Vec<_> = findings.rows.iter().map(Row::is_reached).collect();
        assert_eq!(reached, [Some(true), None]);
    }
}
