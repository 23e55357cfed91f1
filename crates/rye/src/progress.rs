//! How far something is, on a terminal.

use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// What takes longer than this is watched.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many parts take long enough to be watched from the beginning.
const MANY: usize = 200;
/// How often the time that has passed is shown.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error that appears when something takes long, if that is a terminal; nothing anywhere else. It goes away
/// with its end.
pub(crate) struct Progress(Arc<Bar>);

struct Bar {
    drawn: ProgressBar,
    word: &'static str,
    phase: Mutex<Phase>,
    changed: Condvar,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// It may appear.
    Hidden,
    Shown,
    /// It does not appear any more, or never did.
    Over,
}

impl Progress {
    /// Something with so many parts; nobody knows how many, if that is 0.
    pub(crate) fn new(word: &'static str, parts: usize, output: Output) -> Self {
        let is_watched = !output.is_json() && std::io::stderr().is_terminal();
        let phase = if is_watched { Phase::Hidden } else { Phase::Over };
        let drawn = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let progress = Self(Arc::new(Bar { drawn, word, phase: Mutex::new(phase), changed: Condvar::new() }));
        progress.set_length(parts);
        if is_watched {
            let bar = Arc::clone(&progress.0);
            // Whoever works does not wait for this thread.
            std::thread::spawn(move || bar.appear_later());
        }
        progress
    }

    /// Tells how many parts there are.
    pub(crate) fn set_length(&self, parts: usize) {
        if parts > 0 {
            self.0.drawn.set_length(parts as u64);
        }
        if parts >= MANY {
            self.0.appear(&mut self.0.phase.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Tells how many parts are done.
    pub(crate) fn set_position(&self, done: usize) {
        self.0.drawn.set_position(done as u64);
    }

    /// One part more is done.
    pub(crate) fn step(&self) {
        self.0.drawn.inc(1);
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        let mut phase = self.0.phase.lock().unwrap_or_else(PoisonError::into_inner);
        if *phase == Phase::Shown {
            self.0.drawn.finish_and_clear();
        }
        *phase = Phase::Over;
        self.0.changed.notify_all();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

impl Bar {
    fn appear_later(&self) {
        let phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(phase, PATIENCE, |phase| *phase == Phase::Hidden);
        let (mut phase, _) = waited.unwrap_or_else(PoisonError::into_inner);
        self.appear(&mut phase);
    }

    /// Shows it, if it was not shown and is not over.
    fn appear(&self, phase: &mut Phase) {
        if *phase != Phase::Hidden {
            return;
        }
        *phase = Phase::Shown;
        let template = match self.drawn.length() {
            Some(_) => "{msg} {wide_bar} {pos}/{len} {elapsed}",
            None => "{msg} {spinner} {elapsed}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.drawn.set_style(style);
        }
        self.drawn.set_message(self.word);
        self.drawn.set_draw_target(ProgressDrawTarget::stderr());
        self.drawn.enable_steady_tick(TICK);
    }
}
