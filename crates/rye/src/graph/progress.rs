//! Showing how a run goes: bars on a terminal, a line for each step elsewhere, or everything as lines of JSON.

use std::collections::HashMap;
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rye_graph::StepId;
use rye_graph::driver::{StepEnd, Told};

use super::stop::in_words;
use crate::output::{Output, Tone};
use crate::table::one_line;

/// What shows how a run goes.
pub(super) enum Progress {
    /// Everything, as lines of JSON on standard output.
    Events,
    /// A line for each step on standard error.
    Lines(Output),
    /// A bar for each node that is under way, and a line for each that is done.
    Bars { output: Output, all: MultiProgress, bars: HashMap<String, Bar> },
}

/// What is shown of a node that is under way.
pub(super) struct Bar {
    bar: ProgressBar,
    running: usize,
}

const TICK: Duration = Duration::from_millis(100);

impl Progress {
    pub(super) fn new(events: bool, output: Output) -> Self {
        if events {
            Self::Events
        } else if io::stderr().is_terminal() && !output.is_json() {
            Self::Bars { output, all: MultiProgress::new(), bars: HashMap::new() }
        } else {
            Self::Lines(output)
        }
    }

    pub(super) fn show(&mut self, told: &Told) {
        match self {
            Self::Events => {
                if let Ok(line) = serde_json::to_string(told) {
                    // If nobody reads it any more, the run goes on.
                    let _ = writeln!(io::stdout(), "{line}");
                }
            }
            Self::Lines(output) => {
                if let Some((tone, word, text)) = line(told) {
                    output.note(tone, word, text);
                }
            }
            Self::Bars { output, all, bars } => {
                match told {
                    Told::StepStarted { step, item, of } => started(all, bars, step, item, *of),
                    Told::StepEnded { step, .. }
                    | Told::StepInterrupted { step }
                    | Told::TimedOut { step } => {
                        ended(bars, step);
                    }
                    _ => {}
                }
                // The steps of a list have a bar, and a line only if they fail.
                let is_plain = matches!(told, Told::StepEnded { step, end: StepEnd::Succeeded { .. }, .. } if step.index.is_some());
                if let Some((tone, word, text)) = line(told).filter(|_| !is_plain) {
                    let line =
                        format!("{} {}", output.paint_error(tone, format_args!("{word}:")), one_line(&text));
                    let _ = all.println(line);
                }
            }
        }
    }

    pub(super) fn end(&mut self) {
        if let Self::Bars { all, .. } = self {
            let _ = all.clear();
        }
    }
}

fn started(all: &MultiProgress, bars: &mut HashMap<String, Bar>, step: &StepId, item: &str, of: Option<u32>) {
    let name = step.node().map_or_else(|| step.call(), str::to_owned);
    let bar = bars.entry(name.clone()).or_insert_with(|| {
        let (bar, template) = match of {
            Some(count) => (ProgressBar::new(u64::from(count)), "{prefix} {wide_bar} {pos}/{len}"),
            None => (ProgressBar::new_spinner(), "{spinner} {prefix} {msg} {elapsed}"),
        };
        let bar = all.add(bar);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_prefix(one_line(&name));
        bar.set_message(one_line(item));
        bar.enable_steady_tick(TICK);
        Bar { bar, running: 0 }
    });
    bar.running += 1;
}

fn ended(bars: &mut HashMap<String, Bar>, step: &StepId) {
    let name = step.node().map_or_else(|| step.call(), str::to_owned);
    let Some(bar) = bars.get_mut(&name) else { return };
    bar.running = bar.running.saturating_sub(1);
    bar.bar.inc(1);
    let is_done = step.index.is_none() || bar.bar.length().is_some_and(|length| bar.bar.position() >= length);
    if is_done && bar.running == 0 {
        bar.bar.finish_and_clear();
        bars.remove(&name);
    }
}

/// One line for a person.
fn line(told: &Told) -> Option<(Tone, &'static str, String)> {
    Some(match told {
        Told::Driving { run, resumed: false } => (Tone::Faint, "run", run.clone()),
        Told::Driving { run, .. } => (Tone::Faint, "run", format!("{run} goes on")),
        Told::StepEnded { step, end: StepEnd::Succeeded { cached }, duration } => {
            let how =
                if *cached { "known from before".to_owned() } else { format!("{} ms", duration.as_millis()) };
            (Tone::Good, "done", format!("{step} ({how})"))
        }
        Told::StepEnded { step, end: StepEnd::Failed(failure), .. } => {
            (Tone::Bad, "failed", format!("{step}: {} [{}]", failure.message, failure.code))
        }
        Told::StepInterrupted { step } => (Tone::Warning, "interrupted", step.to_string()),
        Told::TimedOut { step } => (Tone::Bad, "timed out", step.to_string()),
        Told::TimerStarted { step, .. } => (Tone::Faint, "later", format!("{step} waits for its turn")),
        Told::Asked(question) => (Tone::Warning, "asks", in_words(question)),
        _ => return None,
    })
}
