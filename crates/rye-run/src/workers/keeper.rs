//! The thread of a pool: it makes what is missing, and ends what nobody needs.

use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lillux::process::spare::SpareServer;
use rye_metadata::metadata::WorkerMode;

use super::entry::{Discarded, Recipe};
use super::key::PoolKey;
use super::pool::{Shared, State};

/// Something to make.
struct Order {
    key: PoolKey,
    generation: u64,
    recipe: Arc<Recipe>,
    server: Option<Arc<SpareServer>>,
    example: Option<Arc<str>>,
    number: u64,
}

/// What there is to do.
enum Work {
    Make(Box<Order>),
    End(Discarded),
    Stop,
}

/// Works until the pool is closed.
pub(super) fn keep(shared: &Shared) {
    loop {
        match next(shared) {
            // Ending a process takes a moment, in which nobody has to wait for us.
            Work::End(discarded) => drop(discarded),
            Work::Make(order) => make(shared, *order),
            Work::Stop => return,
        }
    }
}

/// Waits until there is something to do.
fn next(shared: &Shared) -> Work {
    let mut state = shared.lock();
    loop {
        if state.is_closed {
            return Work::Stop;
        }
        let now = Instant::now();
        state.let_go(now, shared.limits.keys);
        if let Some(order) = state.order(now) {
            return Work::Make(Box::new(order));
        }
        if !state.discarded.is_empty() {
            return Work::End(std::mem::take(&mut state.discarded));
        }
        state = wait(shared, state, now);
    }
}

/// Sleeps until somebody calls, or something is due.
fn wait<'s>(shared: &'s Shared, state: MutexGuard<'s, State>, now: Instant) -> MutexGuard<'s, State> {
    let due = state.entries.values().map(super::entry::Entry::next_deadline).filter(|at| *at > now).min();
    match due {
        None => shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        Some(at) => {
            let pause = at.saturating_duration_since(now).max(Duration::from_millis(1));
            shared.changed.wait_timeout(state, pause).unwrap_or_else(PoisonError::into_inner).0
        }
    }
}

fn make(shared: &Shared, order: Order) {
    let Order { key, generation, recipe, server, example, number } = order;
    let server = match (recipe.mode, server) {
        (WorkerMode::Oneshot | WorkerMode::Session, _) => Ok(None),
        (WorkerMode::Fork, Some(server)) => Ok(Some(server)),
        (WorkerMode::Fork, None) => recipe.server().map(|server| Some(Arc::new(server))),
    };
    let made = server.and_then(|server| {
        let spare = recipe.spare(server.as_deref(), number, example.as_deref())?;
        Ok((server, spare))
    });
    let mut state = shared.lock();
    let State { entries, discarded, .. } = &mut *state;
    let entry = entries.get_mut(&key).filter(|entry| entry.generation == generation);
    match (made, entry) {
        (Ok((server, spare)), Some(entry)) => {
            entry.server = server;
            entry.spares.push_back(spare);
        }
        (Ok((server, spare)), None) => {
            drop(state);
            drop((spare, server));
        }
        (Err(error), Some(entry)) => entry.fail_for(&error, discarded),
        (Err(_), None) => {}
    }
}

impl State {
    /// Lets go what nobody has used for a while, and what there is too much of.
    fn let_go(&mut self, now: Instant, most: usize) {
        let Self { entries, discarded, .. } = self;
        for (_, entry) in entries.extract_if(|_, entry| entry.is_idle(now)) {
            entry.discard(discarded);
        }
        while entries.len() > most {
            let oldest = entries.iter().min_by_key(|(_, entry)| entry.last_used).map(|(key, _)| key.clone());
            match oldest.and_then(|key| entries.remove(&key)) {
                Some(entry) => entry.discard(discarded),
                None => return,
            }
        }
    }

    /// What is missing for the key that was used last.
    fn order(&mut self, now: Instant) -> Option<Order> {
        let wanting = self.entries.iter().filter(|(_, entry)| entry.wants_spare(now));
        let (key, entry) = wanting.max_by_key(|(_, entry)| entry.last_used)?;
        let order = Order {
            key: key.clone(),
            generation: entry.generation,
            recipe: Arc::clone(&entry.recipe),
            server: entry.server.clone(),
            example: entry.example.clone(),
            number: self.made,
        };
        self.made += 1;
        Some(order)
    }
}
