//! How much is done at a time.
//!
//! Whatever has files open while it is done takes a place first, and waits if there is none. There are as many as the limit of
//! open files has room for, because a process that runs out of descriptors fails in ways that tell nobody what is wrong.

use std::sync::Arc;

use rustix::process::{Resource, getrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::backlog::Backlog;
use super::blocking::blocking;
use super::failure::Failure;

/// The most descriptors that a run has at a time. A warm one has 14.
const OF_A_RUN: u64 = 16;
/// What the server has open by itself: its streams, processes that are ready, and what the engines of projects watch and hold.
const OF_THE_SERVER: u64 = 96;
/// More runs than this have no threads.
const MOST_RUNS: u64 = 768;
/// The same for everything else, which is over soon.
const MOST_OTHERS: u64 = 64;
/// One of them that takes its time should not keep all others waiting.
const FEWEST_OTHERS: u64 = 2;

/// Work that goes on, of each kind so much at a time that none has to wait for another kind.
#[derive(Debug)]
pub(super) struct Places {
    /// What ends when its tool does.
    runs: Arc<Semaphore>,
    /// What plans or signs, and may run commands of others to do so.
    plans: Arc<Semaphore>,
    /// What reads.
    looks: Arc<Semaphore>,
    /// Answers that nobody has taken yet.
    backlog: Backlog,
}

/// The right to run, for as long as this is kept.
#[derive(Debug)]
pub(super) struct RunPlace(
    #[expect(dead_code, reason = "it is given back by being dropped")] OwnedSemaphorePermit,
);

/// So many at a time.
#[derive(Debug, PartialEq, Eq)]
struct Shares {
    runs: u64,
    others: u64,
}

impl Places {
    /// Places for a process with this one's limits.
    pub(super) fn new() -> Self {
        let Shares { runs, others } = Shares::of(getrlimit(Resource::Nofile).current);
        let places = |count: u64| Arc::new(Semaphore::new(usize::try_from(count).unwrap_or(usize::MAX)));
        Self { runs: places(runs), plans: places(others), looks: places(others), backlog: Backlog::default() }
    }

    /// Answers that nobody has taken yet.
    pub(super) fn backlog(&self) -> &Backlog {
        &self.backlog
    }

    /// A place for a run, if it need not wait.
    pub(super) fn run_now(&self) -> Option<RunPlace> {
        Arc::clone(&self.runs).try_acquire_owned().ok().map(RunPlace)
    }

    /// A place for a run, in the order of those that wait.
    pub(super) async fn run(&self) -> Result<RunPlace, Failure> {
        take(&self.runs).await.map(RunPlace)
    }

    /// Does work that plans, or signs, on a thread of its own.
    pub(super) async fn plan<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        within(take(&self.plans).await?, work).await
    }

    /// Does work that reads, on a thread of its own. Its answer may be large, so it is not made while many others wait to be
    /// taken.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let place = take(&self.looks).await?;
        self.backlog.has_room().await;
        within(place, work).await
    }

    /// The same for an answer that may be as large as answers get. Its place is kept until it is `answered`, because one that
    /// is made and not yet among those that wait to be taken is in nobody's account.
    pub(super) async fn look_at_much<T: Send + 'static>(
        &self,
        answered: CancellationToken,
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let place = take(&self.looks).await?;
        self.backlog.has_room().await;
        let (done, place) = blocking(move || Ok((work()?, place))).await?;
        tokio::spawn(async move {
            answered.cancelled().await;
            drop(place);
        });
        Ok(done)
    }
}

impl Shares {
    /// Five eighths are for runs and for the server itself, one is for work that is over soon, which has up to 8 descriptors
    /// each, and two are for connections.
    fn of(limit: Option<u64>) -> Self {
        let limit = limit.unwrap_or(u64::MAX);
        let for_runs = (limit / 8 * 5).saturating_sub(OF_THE_SERVER);
        Self {
            runs: (for_runs / OF_A_RUN).clamp(1, MOST_RUNS),
            others: (limit / 128).clamp(FEWEST_OTHERS, MOST_OTHERS),
        }
    }
}

async fn within<T: Send + 'static>(
    place: OwnedSemaphorePermit,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    // The thread goes on even if nobody waits for it any more, so the place is its own.
    blocking(move || {
        let done = work();
        drop(place);
        done
    })
    .await
}

async fn take(places: &Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
    // Nobody closes them while there are calls.
    Arc::clone(places).acquire_owned().await.map_err(|_| Failure::cancelled())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_places_as_descriptors_for_them() {
        let check = |limit: Option<u64>, runs: u64, others: u64| {
            assert_eq!(Shares::of(limit), Shares { runs, others }, "{limit:?}");
        };
        check(Some(0), 1, 2);
        check(Some(64), 1, 2);
        check(Some(256), 4, 2);
        check(Some(1024), 34, 8);
        check(Some(4096), 154, 32);
        check(Some(1 << 20), 768, 64);
        check(None, 768, 64);
    }

    #[test]
    fn what_panics_gives_its_place_back() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let places = Places { looks: Arc::new(Semaphore::new(1)), ..Places::new() };
        runtime.block_on(places.look::<()>(|| panic!("on purpose"))).unwrap_err();
        assert_eq!(runtime.block_on(places.look(|| Ok(1))).unwrap(), 1);
    }

    #[tokio::test]
    async fn a_large_answer_keeps_its_place_until_it_is_handed_over() {
        let places = Places { looks: Arc::new(Semaphore::new(1)), ..Places::new() };
        let answered = CancellationToken::new();
        assert_eq!(places.look_at_much(answered.clone(), || Ok(1)).await.unwrap(), 1);
        assert_eq!(places.looks.available_permits(), 0);
        answered.cancel();
        assert_eq!(places.look(|| Ok(2)).await.unwrap(), 2);
        let failed = places.look_at_much::<()>(CancellationToken::new(), || Err(Failure::cancelled())).await;
        assert!(failed.is_err());
        assert_eq!(places.look(|| Ok(3)).await.unwrap(), 3);
    }
}
