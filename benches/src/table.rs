//! The table that a person reads.

use std::fmt::Write;
use std::time::Duration;

use crate::comparison::{Comparison, Goal};

pub(crate) fn render(comparisons: &[Comparison]) -> String {
    let mut text = format!(
        "{:<44} {:>19} {:>19}  {:<22} {:<16} {}\n",
        "what", "ours p50/p95 µs", "floor p50/p95 µs", "ratio [95 %]", "goal", "reached"
    );
    for one in comparisons {
        let side = |samples: &crate::samples::Samples| {
            format!("{} / {}", micros(samples.quantile(0.5)), micros(samples.quantile(0.95)))
        };
        let ratio = one.ratio.to_string();
        let goal = match one.goal {
            Goal::Open => "-".to_owned(),
            Goal::Times(limit) => format!("≤ {limit} ×"),
            Goal::Most(limit) => format!("≤ {} µs", micros(limit)),
            Goal::Plus(more) => format!("≤ + {} µs", micros(more)),
            Goal::TimesPlus(times, more) => format!("≤ {times} × + {} ms", more.as_millis()),
        };
        let reached = one.is_reached().map_or("-", |reached| if reached { "yes" } else { "no" });
        let (ours, floor) = (side(&one.ours), side(&one.floor));
        let _ = writeln!(text, "{:<44} {ours:>19} {floor:>19}  {ratio:<22} {goal:<16} {reached}", one.what);
    }
    text
}

fn micros(duration: Duration) -> u128 {
    duration.as_micros()
}
