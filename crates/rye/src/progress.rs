//! How far something is, on a terminal.

use std::io::IsTerminal;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::Output;

/// What takes longer than this is watched.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the time that has passed is shown.
const TICK: Duration = Duration::from_millis(200);

/// A bar on standard error that appears when something takes long, if that is a terminal; nothing anywhere else. It goes away
/// with its end.
pub(crate) struct Progress {
    bar: ProgressBar,
    ended: Arc<(Mutex<bool>, Condvar)>,
}

impl Progress {
    /// Something with so many parts; nobody knows how many, if that is 0.
    pub(crate) fn new(word: &'static str, parts: usize, output: Output) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let progress = Self { bar, ended: Arc::default() };
        progress.set_length(parts);
        if !output.is_json() && std::io::stderr().is_terminal() {
            progress.appear_later(word);
        }
        progress
    }

    /// Tells how many parts there are.
    pub(crate) fn set_length(&self, parts: usize) {
        if parts > 0 {
            self.bar.set_length(parts as u64);
        }
    }

    /// Tells how many parts are done.
    pub(crate) fn set_position(&self, done: usize) {
        self.bar.set_position(done as u64);
    }

    /// One part more is done.
    pub(crate) fn step(&self) {
        self.bar.inc(1);
    }

    /// Takes the bar away.
    pub(crate) fn end(&self) {
        let (ended, changed) = &*self.ended;
        *ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
        self.bar.finish_and_clear();
    }

    fn appear_later(&self, word: &'static str) {
        let (bar, ended) = (self.bar.clone(), Arc::clone(&self.ended));
        // Whoever waits does not wait for this thread.
        std::thread::spawn(move || {
            let (ended, changed) = &*ended;
            let guard = ended.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = changed.wait_timeout_while(guard, PATIENCE, |ended| !*ended);
            let (ended, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if *ended {
                return;
            }
            let template = match bar.length() {
                Some(_) => "{msg} {wide_bar} {pos}/{len} {elapsed}",
                None => "{msg} {spinner} {elapsed}",
            };
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar.set_message(word);
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(TICK);
        });
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}
