//! Two ways to do the same, measured in turns.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::Result;
use crate::samples::{Ratio, Samples};

/// What is compared, and what came out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Comparison {
    pub(crate) what: String,
    pub(crate) ours: Samples,
    pub(crate) floor: Samples,
    pub(crate) ratio: Ratio,
    pub(crate) goal: Goal,
}

/// What ours must not exceed.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Goal {
    /// This many times the floor.
    Times(f64),
    /// This much, whatever the floor is.
    Most(Duration),
    /// Nothing was promised; the ratio is for orientation.
    Open,
    /// The floor and this much more.
    Plus(Duration),
    /// This many times the floor, and this much more.
    TimesPlus(f64, Duration),
    /// So many times less than the other side.
    Better(f64),
    /// So many times less than the other side, or at most so many times a bare floor of the same run.
    BetterOr { better: f64, times: f64, floor: Duration },
}

type Step<'a> = dyn FnMut() -> Result<()> + 'a;

impl Comparison {
    /// Measures `ours` and `floor` in turns, after a few rounds that do not count.
    pub(crate) fn measure(
        what: impl Into<String>,
        samples: usize,
        goal: Goal,
        ours: &mut Step<'_>,
        floor: &mut Step<'_>,
    ) -> Result<Self> {
        Self::measure_answers(what, samples, goal, (ours, &mut || Ok(())), floor)
    }

    /// The same for something that has a rest to do after its answer, which does not count.
    pub(crate) fn measure_answers(
        what: impl Into<String>,
        samples: usize,
        goal: Goal,
        (ours, rest): (&mut Step<'_>, &mut Step<'_>),
        floor: &mut Step<'_>,
    ) -> Result<Self> {
        let warm_up = samples / 10 + 1;
        let mut times = [Vec::with_capacity(samples), Vec::with_capacity(samples)];
        for round in 0..warm_up + samples {
            // Whoever goes second finds the caches as the first has left them, so they swap.
            let order = if round % 2 == 0 { [0, 1] } else { [1, 0] };
            for side in order {
                let start = Instant::now();
                if side == 0 {
                    ours()?;
                } else {
                    floor()?;
                }
                let time = start.elapsed();
                if round >= warm_up {
                    times[side].push(time);
                }
                rest()?;
            }
        }
        let [ours, floor] = times;
        Ok(Self::of_times(what, goal, ours, floor))
    }

    /// Compares what was measured in turns elsewhere.
    pub(crate) fn of_times(
        what: impl Into<String>,
        goal: Goal,
        ours: Vec<Duration>,
        floor: Vec<Duration>,
    ) -> Self {
        let ratio = Ratio::of_pairs(&ours, &floor);
        Self { what: what.into(), ours: Samples::new(ours), floor: Samples::new(floor), ratio, goal }
    }

    /// Whether the goal is reached, if there is one.
    pub(crate) fn is_reached(&self) -> Option<bool> {
        let (ours, floor) = (self.ours.median(), self.floor.median());
        match self.goal {
            Goal::Open => None,
            Goal::Times(limit) => Some(self.ratio.value <= limit),
            Goal::Most(limit) => Some(ours <= limit),
            Goal::Plus(more) => Some(ours <= floor + more),
            Goal::TimesPlus(times, more) => Some(ours <= floor.mul_f64(times) + more),
            Goal::Better(times) => Some(self.ratio.value * times <= 1.0),
            Goal::BetterOr { better, times, floor } => {
                Some(self.ratio.value * better <= 1.0 || ours <= floor.mul_f64(times))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reaches(goal: Goal, ours: u64, other: u64) -> Option<bool> {
        let times = |ms| vec![Duration::from_millis(ms); 3];
        Comparison::of_times("x", goal, times(ours), times(other)).is_reached()
    }

    #[test]
    fn so_many_times_better() {
        assert_eq!(reaches(Goal::Better(50.0), 2, 101), Some(true));
        assert_eq!(reaches(Goal::Better(50.0), 2, 99), Some(false));
    }

    #[test]
    fn a_floor_is_enough() {
        let goal = |ms| Goal::BetterOr { better: 50.0, times: 1.2, floor: Duration::from_millis(ms) };
        assert_eq!(reaches(goal(10), 11, 20), Some(true));
        assert_eq!(reaches(goal(10), 13, 20), Some(false));
        assert_eq!(reaches(goal(10), 13, 700), Some(true));
    }
}
