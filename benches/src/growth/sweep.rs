//! Measuring the same at several sizes, in turns.

use std::time::Instant;

use crate::Result;
use crate::comparison::{Comparison, Goal};
use crate::report::Growth;
use crate::samples::Samples;

/// Sizes, and how often each of them is measured.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sweep<'a> {
    pub(crate) sizes: &'a [usize],
    pub(crate) rounds: usize,
}

/// A name, and what is done at the size of that index.
pub(crate) type SizedStep<'a> = (&'a str, &'a mut dyn FnMut(usize) -> Result<()>);

impl Sweep<'_> {
    /// Goes round all sizes and all steps again and again, so that whatever happens to the machine happens to all of them.
    pub(crate) fn run(self, steps: &mut [SizedStep<'_>]) -> Result<Vec<Growth>> {
        let mut times = vec![vec![Vec::with_capacity(self.rounds); self.sizes.len()]; steps.len()];
        for round in 0..=self.rounds {
            for size in 0..self.sizes.len() {
                for ((_, step), times) in steps.iter_mut().zip(&mut times) {
                    let start = Instant::now();
                    step(size)?;
                    // The first round does not count.
                    if round > 0 {
                        times[size].push(start.elapsed());
                    }
                }
            }
        }
        let growths = steps.iter().zip(times).map(|((name, _), times)| Growth {
            name: (*name).to_owned(),
            sizes: self.sizes.to_vec(),
            samples: times.into_iter().map(Samples::new).collect(),
        });
        Ok(growths.collect())
    }
}

/// Two lines at their largest size, as a row.
pub(super) fn at_the_end(
    what: impl Into<String>,
    ours: &Growth,
    floor: &Growth,
    goal: Goal,
) -> Option<Comparison> {
    let (ours, floor) = (ours.samples.last()?.taken().to_vec(), floor.samples.last()?.taken().to_vec());
    Some(Comparison::of_times(what, goal, ours, floor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_is_taken_at_every_size_in_turns() {
        let mut order = Vec::new();
        let sweep = Sweep { sizes: &[1, 10], rounds: 2 };
        let growths = sweep
            .run(&mut [("one", &mut |size| {
                order.push(size);
                Ok(())
            })])
            .unwrap();
        assert_eq!(order, [0, 1, 0, 1, 0, 1]);
        assert_eq!(growths[0].samples.iter().map(|one| one.taken().len()).collect::<Vec<_>>(), [2, 2]);
        assert!(at_the_end("x", &growths[0], &growths[0], Goal::Open).is_some());
    }
}
