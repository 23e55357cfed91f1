//! Writing down that a run goes on, once it has gone on for a while.
//!
//! Most runs are short, and their records are written when they have ended. Those that are not can be seen meanwhile,
//! and be cancelled from elsewhere. One thread does this for all of them, so that it costs a short run nothing.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use lillux::CancelToken;
use lillux::process::ProcessHandle;
use rye_run::journal::Journal;
use rye_run::runner::SHORT_RUN;

use crate::pending_record::RunFacts;

/// How often somebody may have asked for the end of a run.
const PAUSE: Duration = Duration::from_millis(100);
/// The file in a run's own folder that asks for its end.
const CANCEL_REQUEST: &str = "cancel";

/// The runs of an engine that are at work.
#[derive(Debug, Default)]
pub(crate) struct LateBegins(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    runs: Vec<(Instant, Arc<Watched>)>,
    has_thread: bool,
    is_closed: bool,
}

/// A run that is at work.
#[derive(Debug)]
pub(crate) struct Watched {
    facts: Arc<RunFacts>,
    folders: Vec<PathBuf>,
    /// What cancels it, until it has ended.
    cancel: Mutex<Option<CancelToken>>,
    has_ended: AtomicBool,
    /// Where its begin is, once others can know of it.
    begun: OnceLock<Begun>,
}

#[derive(Debug)]
struct Begun {
    /// The folder of the journal that has it.
    journal: PathBuf,
    /// Where its end is asked for.
    request: PathBuf,
}

/// The journal of the last run of a round. Most runs of an engine have the same, and to open it takes longer than to write.
#[derive(Default)]
struct LastJournal(Option<(Vec<PathBuf>, Journal)>);

impl LastJournal {
    /// The journal in the first of `folders` that can be written.
    fn of(&mut self, folders: &[PathBuf]) -> Option<&Journal> {
        if self.0.as_ref().is_none_or(|(known, _)| known != folders) {
            // If there are no records to be had, whoever writes the end is going to say so.
            self.0 = Journal::open_first(folders).ok().map(|journal| (folders.to_vec(), journal));
        }
        self.0.as_ref().map(|(_, journal)| journal)
    }
}

impl Watched {
    pub(crate) fn new(facts: Arc<RunFacts>, folders: Vec<PathBuf>, cancel: &CancelToken) -> Self {
        let (has_ended, begun) = (AtomicBool::new(false), OnceLock::new());
        Self { facts, folders, cancel: Mutex::new(Some(cancel.clone())), has_ended, begun }
    }

    /// Says that it has ended. Gives the folder of the journal that has its begin, if others can know of it.
    pub(crate) fn has_ended(&self) -> Option<&Path> {
        self.has_ended.store(true, Ordering::Release);
        *lock(&self.cancel) = None;
        self.begun.get().map(|begun| begun.journal.as_path())
    }

    /// Writes down the begin the first time, and sees whether anybody asks for the end from then on. Tells whether there
    /// is reason to look again.
    fn look(&self, last: &mut LastJournal) -> bool {
        if self.has_ended.load(Ordering::Acquire) {
            return false;
        }
        match self.begun.get() {
            Some(Begun { request, .. }) if request.exists() => {
                if let Some(cancel) = &*lock(&self.cancel) {
                    cancel.cancel();
                }
                false
            }
            Some(_) => true,
            None => self.begin(last).is_some_and(|begun| self.begun.set(begun).is_ok()),
        }
    }

    fn begin(&self, last: &mut LastJournal) -> Option<Begun> {
        let journal = last.of(&self.folders)?;
        let start = self.facts.start(ProcessHandle::current().ok()?);
        // Whoever has started us may have written it down.
        let _ = journal.begin(&start);
        let request = cancel_request(&journal.output_folder(start.id));
        Some(Begun { journal: journal.folder().to_owned(), request })
    }
}

impl LateBegins {
    /// Looks after a run, which has gone on for some time, until it says that it has ended.
    pub(crate) fn watch(&self, run: Watched, since: Duration) -> Arc<Watched> {
        let run = Arc::new(run);
        let due = Instant::now() + SHORT_RUN.saturating_sub(since);
        let mut state = lock(&self.0.state);
        let was_idle = state.runs.is_empty();
        state.runs.push((due, Arc::clone(&run)));
        if !state.has_thread {
            let shared = Arc::clone(&self.0);
            let thread = std::thread::Builder::new().name("late begins".to_owned());
            state.has_thread = thread.spawn(move || shared.look_after()).is_ok();
        } else if was_idle {
            self.0.changed.notify_one();
        }
        run
    }
}

impl Drop for LateBegins {
    fn drop(&mut self) {
        lock(&self.0.state).is_closed = true;
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn look_after(&self) {
        let mut state = lock(&self.state);
        while !state.is_closed {
            state.runs.retain(|(_, run)| !run.has_ended.load(Ordering::Acquire));
            let now = Instant::now();
            let next = state.runs.iter().map(|(due, _)| *due).min();
            state = match next {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(due) if due > now => {
                    let waited = self.changed.wait_timeout(state, due - now);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    let due = state.runs.extract_if(.., |(due, _)| *due <= now).collect::<Vec<_>>();
                    drop(state);
                    let mut last = LastJournal::default();
                    let again = due.into_iter().filter(|(_, run)| run.look(&mut last)).collect::<Vec<_>>();
                    drop(last);
                    let mut state = lock(&self.state);
                    state.runs.extend(again.into_iter().map(|(_, run)| (Instant::now() + PAUSE, run)));
                    state
                }
            };
        }
    }
}

/// Asks whoever watches over a run to end it.
pub(crate) fn request_cancel(output_folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(output_folder)?;
    std::fs::write(cancel_request(output_folder), b"")
}

/// Takes the request back, and the folder if there is nothing else in it.
pub(crate) fn withdraw_cancel(output_folder: &Path) {
    if std::fs::remove_file(cancel_request(output_folder)).is_ok() {
        // Other output may be in it, and then it stays.
        let _ = std::fs::remove_dir(output_folder);
    }
}

fn cancel_request(output_folder: &Path) -> PathBuf {
    output_folder.join(CANCEL_REQUEST)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is behind these locks is whole between any two statements.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
