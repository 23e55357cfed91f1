//! One line of the table, as words.

use std::time::Duration;

use super::figure::{Bound, Figure, Unit};
use super::row::{Row, Timing};
use crate::comparison::{Comparison, Goal};
use crate::samples::{Samples, factor};

/// What stands in the columns.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) what: String,
    pub(crate) ours: String,
    pub(crate) other: String,
    pub(crate) ratio: String,
    pub(crate) goal: String,
    pub(crate) reached: String,
}

/// What stands above them.
pub(crate) const HEADINGS: [&str; 6] =
    ["what", "ours p50 / p95", "floor or peer p50 / p95", "ratio [95 %]", "goal", "reached"];

const NOTHING: &str = "-";

impl Cells {
    pub(crate) fn of(row: &Row) -> Self {
        let reached = match row.is_reached() {
            Some(true) => "yes",
            Some(false) => "no",
            None => NOTHING,
        };
        let (ours, other, ratio, goal) = match row {
            Row::Pair(Comparison { ours, floor, ratio, goal, .. }) => {
                (both(ours), both(floor), ratio.to_string(), goal_in_words(*goal))
            }
            Row::Alone(Timing { ours, limit, .. }) => {
                let goal = limit.map_or(NOTHING.to_owned(), |limit| format!("≤ {}", time(limit)));
                (both(ours), NOTHING.to_owned(), NOTHING.to_owned(), goal)
            }
            Row::Figure(figure) => figure_in_words(figure),
            Row::Absent { why, .. } => {
                // The reason has the columns behind it for itself.
                let what = row.what().to_owned();
                let [ours, ratio, goal, reached] = [NOTHING, "", "", ""].map(str::to_owned);
                return Self { what, ours, other: format!("not measured: {why}"), ratio, goal, reached };
            }
        };
        Self { what: row.what().to_owned(), ours, other, ratio, goal, reached: reached.to_owned() }
    }

    pub(crate) fn columns(&self) -> [&str; 6] {
        [&self.what, &self.ours, &self.other, &self.ratio, &self.goal, &self.reached]
    }
}

fn both(samples: &Samples) -> String {
    format!("{} / {}", time(samples.median()), time(samples.quantile(0.95)))
}

/// A time with three digits that mean something.
pub(crate) fn time(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    match micros {
        m if m < 999.5 => format!("{} µs", digits(m)),
        m if m < 999_500.0 => format!("{} ms", digits(m / 1e3)),
        m => format!("{} s", digits(m / 1e6)),
    }
}

/// A number with three digits that mean something, or all of those before the point.
pub(crate) fn digits(number: f64) -> String {
    match number.abs() {
        n if n == 0.0 || n >= 99.95 => format!("{number:.0}"),
        n if n >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

fn goal_in_words(goal: Goal) -> String {
    match goal {
        Goal::Open => NOTHING.to_owned(),
        Goal::Times(limit) => format!("≤ {} ×", chosen(limit)),
        Goal::Most(limit) => format!("≤ {}", time(limit)),
        Goal::Plus(more) => format!("≤ + {}", time(more)),
        Goal::TimesPlus(times, more) => format!("≤ {} × + {}", chosen(times), time(more)),
        Goal::Better(times) => format!("≤ 1/{times} ×"),
        Goal::BetterOr { better, times, floor } => {
            format!("≤ 1/{better} × or {}", time(floor.mul_f64(times)))
        }
    }
}

/// A factor that was chosen, as it was chosen.
fn chosen(value: f64) -> String {
    if value <= 0.2 { format!("1/{}", value.recip().round()) } else { value.to_string() }
}

fn figure_in_words(figure: &Figure) -> (String, String, String, String) {
    let amount = |value: f64| match figure.unit {
        Unit::Megabytes => format!("{} MB", digits(value)),
        Unit::Pieces => format!("{value:.0}"),
        Unit::Times => format!("{value:.2} ×"),
        Unit::PerSecond => format!("{} /s", digits(value)),
        Unit::Seconds => format!("{} s", digits(value)),
    };
    let goal = match figure.bound {
        Bound::Open => NOTHING.to_owned(),
        Bound::AtMost(limit) if figure.unit == Unit::Pieces => format!("≤ {limit:.0}"),
        Bound::AtMost(limit) => format!("≤ {}", amount(limit)),
        Bound::AtLeast(limit) => format!("≥ {}", amount(limit)),
        Bound::TimesOther(limit) => format!("≤ {} ×", chosen(limit)),
    };
    let other = figure.other.map_or(NOTHING.to_owned(), amount);
    let ratio = figure.ratio().map_or(NOTHING.to_owned(), factor);
    (amount(figure.ours), other, ratio, goal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Ratio;

    fn check(row: impl Into<Row>, expect: [&str; 6]) {
        assert_eq!(Cells::of(&row.into()).columns(), expect);
    }

    fn pair(goal: Goal, ours: u64, floor: u64) -> Comparison {
        let [ours, floor] = [ours, floor].map(|one| Samples::new(vec![Duration::from_micros(one); 5]));
        let ratio = Ratio::of_pairs(ours.taken(), floor.taken());
        Comparison { what: "it".to_owned(), ours, floor, ratio, goal }
    }

    #[test]
    fn pairs_have_both_sides_and_a_ratio() {
        check(
            pair(Goal::Times(1.5), 20_000, 10_000),
            ["it", "20.0 ms / 20.0 ms", "10.0 ms / 10.0 ms", "2.00 [2.00, 2.00]", "≤ 1.5 ×", "no"],
        );
        check(
            pair(Goal::Times(0.02), 10, 1_000_000),
            [
                "it",
                "10.0 µs / 10.0 µs",
                "1.00 s / 1.00 s",
                "1/100000 [1/100000, 1/100000]",
                "≤ 1/50 ×",
                "yes",
            ],
        );
        check(
            pair(Goal::TimesPlus(3.0, Duration::from_millis(10)), 10, 5),
            ["it", "10.0 µs / 10.0 µs", "5.00 µs / 5.00 µs", "2.00 [2.00, 2.00]", "≤ 3 × + 10.0 ms", "yes"],
        );
    }

    #[test]
    fn numbers_have_their_unit() {
        check(Figure::count("left", 0, Bound::AtMost(0.0)), ["left", "0", "-", "-", "≤ 0", "yes"]);
        check(
            Figure::memory("idle", 10 * 1024, Bound::TimesOther(0.25)).against(62.0),
            ["idle", "10.0 MB", "62.0 MB", "1/6", "≤ 0.25 ×", "yes"],
        );
    }

    #[test]
    fn what_cannot_be_measured_says_why() {
        check(
            Row::absent("search / peer", "it does not search"),
            ["search / peer", "-", "not measured: it does not search", "", "", ""],
        );
    }
}
