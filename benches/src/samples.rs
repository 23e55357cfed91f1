//! Measured durations and what can be said of them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Durations of the same thing, in the order in which they were taken, none left out.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct Samples {
    taken: Vec<Duration>,
    sorted: Vec<Duration>,
}

impl Samples {
    pub(crate) fn new(taken: Vec<Duration>) -> Self {
        let mut sorted = taken.clone();
        sorted.sort_unstable();
        Self { taken, sorted }
    }

    /// The duration that `share` of the samples do not exceed.
    pub(crate) fn quantile(&self, share: f64) -> Duration {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an index"
        )]
        let index = ((self.sorted.len() as f64 - 1.0) * share).round() as usize;
        self.sorted.get(index).copied().unwrap_or_default()
    }

    pub(crate) fn median(&self) -> Duration {
        self.quantile(0.5)
    }

    pub(crate) fn taken(&self) -> &[Duration] {
        &self.taken
    }

    /// Those that are further away from the middle half than one and a half times what it spans.
    pub(crate) fn outliers(&self) -> impl Iterator<Item = Duration> + '_ {
        let (low, high) = (self.quantile(0.25), self.quantile(0.75));
        let reach = high.saturating_sub(low).mul_f64(1.5);
        let (low, high) = (low.saturating_sub(reach), high + reach);
        self.sorted.iter().copied().filter(move |one| *one < low || *one > high)
    }
}

/// As nanoseconds.
impl From<Samples> for Vec<u64> {
    fn from(samples: Samples) -> Self {
        samples.taken.iter().map(|one| u64::try_from(one.as_nanos()).unwrap_or(u64::MAX)).collect()
    }
}

impl From<Vec<u64>> for Samples {
    fn from(nanoseconds: Vec<u64>) -> Self {
        Self::new(nanoseconds.into_iter().map(Duration::from_nanos).collect())
    }
}

/// The ratio of two medians, with the interval that holds it with 95 % confidence.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
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
                let median = |side: &[Duration]| median_of(picks.iter().map(|&i| side[i]).collect());
                median(ours).as_secs_f64() / median(theirs).as_secs_f64()
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        let value = median_of(ours.to_vec()).as_secs_f64() / median_of(theirs.to_vec()).as_secs_f64();
        Self { value, low: ratios[DRAWS / 40], high: ratios[DRAWS - DRAWS / 40 - 1] }
    }

    /// The ratio of what each costs for one of many, where ours has so many times as many.
    pub(crate) fn for_each_of(self, times_as_many: f64) -> Self {
        let Self { value, low, high } = self;
        Self { value: value / times_as_many, low: low / times_as_many, high: high / times_as_many }
    }
}

fn median_of(mut durations: Vec<Duration>) -> Duration {
    durations.sort_unstable();
    let middle = durations.len() / 2;
    durations.get(middle).copied().unwrap_or_default()
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { value, low, high } = self;
        write!(f, "{} [{}, {}]", factor(*value), factor(*low), factor(*high))
    }
}

/// How many times, in few letters. What is far below one is better seen from the other side.
pub(crate) fn factor(value: f64) -> String {
    match value {
        v if v < 0.2 => format!("1/{:.0}", v.recip()),
        v if v < 99.95 => format!("{v:.2}"),
        v => format!("{v:.0}"),
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
        assert!((0.15..0.25).contains(&ratio.for_each_of(10.0).value));
    }

    #[test]
    fn factors_are_short() {
        assert_eq!([0.02, 0.25, 1.5, 123.4].map(factor), ["1/50", "0.25", "1.50", "123"]);
        let ratio = Ratio { value: 0.1, low: 0.05, high: 1.25 };
        assert_eq!(ratio.to_string(), "1/10 [1/20, 1.25]");
    }

    #[test]
    fn what_is_far_away_from_the_others_is_an_outlier_and_stays() {
        let samples = Samples::new(ms(&[10, 11, 90, 10, 12, 11, 10]));
        assert_eq!(samples.outliers().collect::<Vec<_>>(), ms(&[90]));
        assert_eq!(samples.quantile(1.0), Duration::from_millis(90));
        assert_eq!(samples.taken(), ms(&[10, 11, 90, 10, 12, 11, 10]));
    }

    #[test]
    fn samples_survive_being_written() {
        let written = serde_json::to_string(&Samples::new(ms(&[3, 1, 2]))).unwrap();
        assert_eq!(written, "[3000000,1000000,2000000]");
        let read: Samples = serde_json::from_str(&written).unwrap();
        assert_eq!(read.taken(), ms(&[3, 1, 2]));
    }
}
