//! Sessions that are kept for the calls to come.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use lillux::Digest;

use super::error::ClientError;
use super::patience::Patience;
use super::session::Session;

/// Sessions that are kept, each for calls of which everything is equal that the server could notice: that is what the key
/// stands for. Any number of threads may use the pool, and one session. When it is dropped, so are they.
#[derive(Debug)]
pub struct SessionPool {
    shared: Arc<Shared>,
    keeper: Mutex<Option<JoinHandle<()>>>,
}

/// A session that is used.
#[derive(Debug)]
pub struct Kept {
    session: Arc<Session>,
    /// Whether it was there before.
    pub was_there: bool,
    key: Digest,
    shared: Arc<Shared>,
}

/// Why there is no session.
#[derive(Debug)]
pub enum PoolError {
    /// There are as many as are kept, and all are used.
    Full,
    /// Somebody else begins it, and the caller has no time to wait for that.
    Busy,
    /// It cannot be begun.
    Server(ClientError),
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    most: usize,
}

#[derive(Debug, Default)]
struct State {
    slots: HashMap<Digest, Slot>,
    is_closed: bool,
}

#[derive(Debug)]
struct Slot {
    /// There is none while it begins.
    session: Option<Arc<Session>>,
    idle: Duration,
    last_used: Instant,
}

/// Removes the slot of a session that did not come about.
struct Beginning<'a> {
    shared: &'a Shared,
    key: &'a Digest,
}

/// So often it is looked whether somebody who waits has lost patience.
const ATTENTION: Duration = Duration::from_millis(20);
/// So often a session that nobody uses is looked after.
const ROUND: Duration = Duration::from_secs(1);

impl SessionPool {
    /// A pool that keeps no more than so many sessions.
    #[must_use]
    pub fn new(most: usize) -> Self {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), most };
        Self { shared: Arc::new(shared), keeper: Mutex::default() }
    }

    /// The session of a key, which is begun if there is none that could be used. It stays for as long as it is used,
    /// and `idle` longer.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(
        &self,
        key: Digest,
        idle: Duration,
        patience: &Patience,
        begin: impl FnOnce() -> Result<Session, ClientError>,
    ) -> Result<Kept, PoolError> {
        if let Some(session) = self.take(&key, idle, patience)? {
            return Ok(Kept { session, was_there: true, key, shared: Arc::clone(&self.shared) });
        }
        let beginning = Beginning { shared: &self.shared, key: &key };
        let session = Arc::new(begin().map_err(PoolError::Server)?);
        let mut state = self.shared.lock();
        if let Some(slot) = state.slots.get_mut(&key) {
            slot.session = Some(Arc::clone(&session));
            slot.last_used = Instant::now();
        }
        drop(state);
        drop(beginning);
        self.keep();
        Ok(Kept { session, was_there: false, key, shared: Arc::clone(&self.shared) })
    }

    /// How many sessions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.shared.lock().slots.len()
    }

    /// Whether there is no session.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A session that is there; if there is none, its place is taken.
    fn take(
        &self,
        key: &Digest,
        idle: Duration,
        patience: &Patience,
    ) -> Result<Option<Arc<Session>>, PoolError> {
        let mut ended = None;
        let mut state = self.shared.lock();
        loop {
            match state.slots.get_mut(key) {
                None => break,
                Some(Slot { session: Some(session), last_used, .. }) if session.is_usable() => {
                    *last_used = Instant::now();
                    return Ok(Some(Arc::clone(session)));
                }
                Some(Slot { session: Some(_), .. }) => {
                    ended = state.slots.remove(key);
                    break;
                }
                Some(Slot { session: None, .. }) => {
                    if patience.end().is_some() {
                        return Err(PoolError::Busy);
                    }
                    let waited = self.shared.changed.wait_timeout(state, ATTENTION);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
        }
        let evicted = if state.slots.len() >= self.shared.most {
            Some(state.evict().ok_or(PoolError::Full)?)
        } else {
            None
        };
        state.slots.insert(*key, Slot { session: None, idle, last_used: Instant::now() });
        drop(state);
        // Ending a server takes a moment, in which nobody else has to wait.
        drop((ended, evicted));
        Ok(None)
    }

    /// Makes sure that somebody looks after the sessions.
    fn keep(&self) {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if keeper.is_none() {
            let shared = Arc::clone(&self.shared);
            let thread = std::thread::Builder::new().name("sessions".to_owned());
            // Without the thread a session stays until another takes its place.
            *keeper = thread.spawn(move || shared.look_after()).ok();
        }
    }
}

impl Drop for SessionPool {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_closed = true;
        let slots = std::mem::take(&mut state.slots);
        drop(state);
        self.shared.changed.notify_all();
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(keeper) = keeper {
            // A thread that has panicked keeps nothing.
            let _ = keeper.join();
        }
        drop(slots);
    }
}

impl Kept {
    /// Lets go of the session, so that the next call gets another one. Whoever uses it now is not disturbed.
    pub fn discard(&self) {
        let mut state = self.shared.lock();
        let is_it = |slot: &Slot| slot.session.as_ref().is_some_and(|it| Arc::ptr_eq(it, &self.session));
        if state.slots.get(&self.key).is_some_and(is_it) {
            state.slots.remove(&self.key);
        }
    }
}

impl Deref for Kept {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // Who comes next looks whether the server has ended since.
        if self.session.is_over() {
            self.discard();
        } else if let Some(slot) = self.shared.lock().slots.get_mut(&self.key) {
            slot.last_used = Instant::now();
        }
    }
}

impl Drop for Beginning<'_> {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        if state.slots.get(self.key).is_some_and(|slot| slot.session.is_none()) {
            state.slots.remove(self.key);
        }
        drop(state);
        self.shared.changed.notify_all();
    }
}

impl Shared {
    /// What is known stays true if a thread panics, so nobody minds.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends what nobody has used for a while, and reads what servers say in between.
    fn look_after(&self) {
        let mut state = self.lock();
        while !state.is_closed {
            let over = state.leaving();
            let idle = state.unused();
            drop(state);
            drop(over);
            for session in idle {
                session.attend();
            }
            state = self.lock();
            if state.is_closed {
                return;
            }
            state = if state.slots.is_empty() {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                self.changed.wait_timeout(state, ROUND).unwrap_or_else(PoisonError::into_inner).0
            };
        }
    }
}

impl State {
    /// Removes sessions whose time is over, or whose server has ended.
    fn leaving(&mut self) -> Vec<Slot> {
        let is_over = |slot: &Slot| slot.is_unused() && (slot.is_late() || !slot.is_usable());
        self.slots.extract_if(|_, slot| is_over(slot)).map(|(_, slot)| slot).collect()
    }

    fn unused(&self) -> Vec<Arc<Session>> {
        self.slots.values().filter(|slot| slot.is_unused()).filter_map(|slot| slot.session.clone()).collect()
    }

    /// Removes the session that nobody has used for the longest time.
    fn evict(&mut self) -> Option<Slot> {
        let unused = self.slots.iter().filter(|(_, slot)| slot.is_unused());
        let key = *unused.min_by_key(|(_, slot)| slot.last_used)?.0;
        self.slots.remove(&key)
    }
}

impl Slot {
    fn is_unused(&self) -> bool {
        self.session.as_ref().is_some_and(|session| Arc::strong_count(session) == 1)
    }

    fn is_late(&self) -> bool {
        self.last_used.elapsed() >= self.idle
    }

    fn is_usable(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.is_usable())
    }
}
