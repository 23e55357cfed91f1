//! Measured durations and what can be said of them.

use std::time::Duration;

/// Durations of the same thing, sorted.
pub(crate) struct Samples(Vec<Duration>);

impl Samples {
    pub(crate) fn new(mut durations: Vec<Duration>) -> Self {
        durations.sort_unstable();
        Self(durations)
    }

    /// The duration that `share` of the samples do not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index"
        )]
        let index = ((self.0.len() as f64 - 1.0) * share).round() as usize;
        self.0.get(index).copied().unwrap_or_default()
    }
}

/// The ratio of two medians, with the interval that holds it with 95 % confidence.
pub(crate) struct Ratio {
    pub(crate) value: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Ratio {
    /// Draws the pairs again many times over (a bootstrap), with a generator of fixed seed.
    pub(crate) fn of_pairs(ours: &[Duration], theirs: &[Duration]) -> Self {
        const DRAWS: usize = 400;
        let count = ours.len().min(theirs.len());
        let mut random = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random >> 33).unwrap_or(0) % count.max(1)
        };
        let mut ratios: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let picks: Vec<usize> = (0..count).map(|_| next()).collect();
                let median =
                    |side: &[Duration]| Samples::new(picks.iter().map(|&i| side[i]).collect()).quantile(0.5);
                median(ours).as_secs_f64() / median(theirs).as_secs_f64()
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        let value = Samples::new(ours.to_vec()).quantile(0.5).as_secs_f64()
            / Samples::new(theirs.to_vec()).quantile(0.5).as_secs_f64();
        Self { value, low: ratios[DRAWS / 40], high: ratios[DRAWS - DRAWS / 40 - 1] }
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { value, low, high } = self;
        // What is far below the floor is better seen from there.
        if *value < 0.2 {
            write!(f, "1/{:.0} [1/{:.0}, 1/{:.0}]", value.recip(), high.recip(), low.recip())
        } else {
            write!(f, "{value:.2} [{low:.2}, {high:.2}]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(values: &[u64]) -> Vec<Duration> {
        values.iter().map(|&value| Duration::from_millis(value)).collect()
    }

    #[test]
    fn quantiles_are_samples() {
        let samples = Samples::new(ms(&[5, 1, 4, 2, 3]));
        assert_eq!(samples.quantile(0.5), Duration::from_millis(3));
        assert_eq!(samples.quantile(0.95), Duration::from_millis(5));
    }

    #[test]
    fn a_ratio_lies_in_its_interval() {
        let ratio = Ratio::of_pairs(&ms(&[20, 22, 19, 21, 20, 23]), &ms(&[10, 11, 9, 10, 10, 12]));
        assert!(ratio.low <= ratio.value && ratio.value <= ratio.high);
        assert!((1.5..2.5).contains(&ratio.value));
    }
}
