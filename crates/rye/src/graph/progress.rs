//! Showing how a run goes: bars on a terminal, a line for each step elsewhere, or everything as lines of JSON.

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rye_graph::StepId;
use rye_graph::driver::{ElementsDone, Patience, StepEnd, Told};

use super::stop::in_words;
use crate::output::{Output, Tone};
use crate::table::one_line;

/// What shows how a run goes.
pub(super) struct Progress {
    form: Form,
    patience: Patience,
}

enum Form {
    /// Everything, as lines of JSON on standard output.
    Events,
    /// A line for each step on standard error.
    Lines(Output),
    /// A bar for the node that is under way, and a line for each that is done.
    Bar { output: Output, all: MultiProgress, bar: Option<NodeBar> },
}

/// What is shown of the node that is under way. There is one at a time.
struct NodeBar {
    node: String,
    bar: ProgressBar,
    since: Instant,
}

const TICK: Duration = Duration::from_millis(100);

impl Progress {
    pub(super) fn new(events: bool, patience: Patience, output: Output) -> Self {
        let form = if events {
            Form::Events
        } else if io::stderr().is_terminal() && !output.is_json() {
            Form::Bar { output, all: MultiProgress::new(), bar: None }
        } else {
            Form::Lines(output)
        };
        Self { form, patience }
    }

    pub(super) fn show(&mut self, told: &Told) {
        match &mut self.form {
            Form::Events => {
                if let Ok(line) = serde_json::to_string(told) {
                    // If nobody reads it any more, the run goes on.
                    let _ = writeln!(io::stdout(), "{line}");
                }
            }
            Form::Lines(output) => {
                if let Some((tone, word, text)) = line(told, self.patience) {
                    output.note(tone, word, text);
                }
            }
            Form::Bar { output, all, bar } => {
                let whole_list = match told {
                    Told::StepStarted { step, item, elements } => {
                        started(all, bar, step, item, *elements);
                        None
                    }
                    Told::StepEnded { step, elements, .. } => ended(bar, step, *elements),
                    Told::TimedOut { step } => ended(bar, step, None),
                    _ => None,
                };
                // The steps of a list have a bar, and a line only if they fail.
                let is_plain = matches!(told, Told::StepEnded { step, end: StepEnd::Succeeded { .. }, .. } if step.index.is_some());
                let own = line(told, self.patience).filter(|_| !is_plain);
                for (tone, word, text) in own.into_iter().chain(whole_list) {
                    let line =
                        format!("{} {}", output.paint_error(tone, format_args!("{word}:")), one_line(&text));
                    let _ = all.println(line);
                }
            }
        }
    }

    pub(super) fn end(&mut self) {
        if let Form::Bar { all, .. } = &self.form {
            let _ = all.clear();
        }
    }
}

fn started(
    all: &MultiProgress,
    shown: &mut Option<NodeBar>,
    step: &StepId,
    item: &str,
    elements: Option<ElementsDone>,
) {
    let node = node_of(step);
    if shown.as_ref().is_some_and(|shown| shown.node == node) {
        return;
    }
    clear(shown);
    let (bar, template) = match elements {
        Some(ElementsDone { done, of }) => {
            let bar = ProgressBar::new(u64::from(of)).with_position(u64::from(done));
            (bar, "{prefix} {wide_bar} {pos}/{len} {elapsed}")
        }
        None => (ProgressBar::new_spinner(), "{spinner} {prefix} {msg} {elapsed}"),
    };
    let style = ProgressStyle::with_template(template);
    // What it shows has to be there before it is drawn for the first time.
    let bar = bar.with_prefix(one_line(&node)).with_message(one_line(item));
    let bar = all.add(if let Ok(style) = style { bar.with_style(style) } else { bar });
    bar.enable_steady_tick(TICK);
    *shown = Some(NodeBar { node, bar, since: Instant::now() });
}

/// Takes note of the end of a step. If it was the last one of a list, there is something to say about that.
fn ended(
    shown: &mut Option<NodeBar>,
    step: &StepId,
    elements: Option<ElementsDone>,
) -> Option<(Tone, &'static str, String)> {
    let current = shown.as_ref().filter(|shown| shown.node == node_of(step))?;
    match elements {
        None if step.index.is_none() => {
            clear(shown);
            None
        }
        None => None,
        Some(ElementsDone { done, of }) => {
            current.bar.set_position(u64::from(done));
            if done < of {
                return None;
            }
            let text =
                format!("{} ({of} elements, {} ms)", current.node, current.since.elapsed().as_millis());
            clear(shown);
            Some((Tone::Good, "done", text))
        }
    }
}

fn clear(shown: &mut Option<NodeBar>) {
    if let Some(shown) = shown.take() {
        shown.bar.finish_and_clear();
    }
}

fn node_of(step: &StepId) -> String {
    step.node().map_or_else(|| step.call(), str::to_owned)
}

/// One line for a person.
fn line(told: &Told, patience: Patience) -> Option<(Tone, &'static str, String)> {
    Some(match told {
        Told::Driving { run, resumed: false } => (Tone::Faint, "run", run.clone()),
        Told::Driving { run, .. } => (Tone::Faint, "run", format!("{run} goes on")),
        Told::StepEnded { step, end: StepEnd::Succeeded { cached }, duration, elements } => {
            let how =
                if *cached { "known from before".to_owned() } else { format!("{} ms", duration.as_millis()) };
            let of = elements.map(|list| format!(", {} of {}", list.done, list.of)).unwrap_or_default();
            (Tone::Good, "done", format!("{step} ({how}{of})"))
        }
        Told::StepEnded { step, end: StepEnd::Failed(failure), .. } => {
            (Tone::Bad, "failed", format!("{step}: {} [{}]", failure.message, failure.code))
        }
        Told::StepInterrupted { step } => (Tone::Warning, "interrupted", step.to_string()),
        Told::TimedOut { step } => (Tone::Bad, "timed out", step.to_string()),
        Told::TimerStarted { step, .. } => (Tone::Faint, "later", format!("{step} waits for its turn")),
        // Who does not wait for the answer says at the end what is asked.
        Told::Asked(_) if patience == Patience::Stop => return None,
        Told::Asked(question) => (Tone::Warning, "asks", in_words(question)),
        _ => return None,
    })
}
