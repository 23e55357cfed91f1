//! From a value to a place, by powers of ten.

/// A logarithmic axis.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    /// Powers of ten.
    from: f64,
    to: f64,
    /// Places.
    start: f64,
    end: f64,
}

impl Scale {
    /// An axis that has room for all values, with some space at both ends.
    pub(super) fn over(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| *value > 0.0 && value.is_finite()) {
            least = least.min(value.log10());
            most = most.max(value.log10());
        }
        if least > most {
            (least, most) = (0.0, 1.0);
        }
        // Values that are almost the same are still drawn over a whole power, or noise would look like a change.
        let lacking = (1.0 - (most - least)).max(0.0) / 2.0;
        Self { from: least - lacking - 0.05, to: most + lacking + 0.05, start, end }
    }

    pub(super) fn place(&self, value: f64) -> f64 {
        let power = if value > 0.0 { value.log10().max(self.from) } else { self.from };
        self.start + (power - self.from) / (self.to - self.from) * (self.end - self.start)
    }

    /// The powers of ten on it, and their twofold and fivefold if there are few.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let steps: &[f64] = if self.to - self.from < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        #[expect(clippy::cast_possible_truncation, reason = "powers of ten are small")]
        let powers = (self.from.floor() as i32)..=(self.to.ceil() as i32);
        let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)));
        all.filter(|value| (self.from..=self.to).contains(&value.log10())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_on_the_axis_and_ticks_too() {
        let scale = Scale::over([1.0, 10.0, 100_000.0].into_iter(), 0.0, 100.0);
        assert!(scale.place(1.0) > 0.0 && scale.place(100_000.0) < 100.0);
        assert!(scale.place(10.0) < scale.place(11.0));
        assert_eq!(scale.ticks().len(), 6);
        let narrow = Scale::over([3.0, 3.1].into_iter(), 0.0, 100.0);
        assert_eq!(narrow.ticks(), [1.0, 2.0, 5.0, 10.0]);
    }

    #[test]
    fn nothing_is_an_axis_as_well() {
        let scale = Scale::over([0.0, f64::NAN].into_iter(), 0.0, 100.0);
        assert!(scale.place(0.0).is_finite());
    }
}
