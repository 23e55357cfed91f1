//! Lending what is ready to other processes of the user.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use lillux::CancelToken;
use lillux::process::Peer;
use lillux::process::spare::{Spare, Verdict};
use rustix::event::{PollFd, PollFlags, poll};

use super::cold_reason::ColdReason;
use super::key::PoolKey;
use super::lending_folder::{LendingFolder, LendingSocket};
use super::loan_request::{LENT, LoanRequest, refuse};
use super::pool::WorkerPool;

/// Lends the processes of a pool to those who run the same program for the same user. Dropping it ends that: what has
/// been borrowed has a moment to come to its end, and is ended then.
#[derive(Debug)]
pub struct Lender {
    stop: CancelToken,
    thread: Option<JoinHandle<()>>,
    loans: Arc<Loans>,
}

/// What has been lent.
#[derive(Debug, Default)]
struct Loans {
    open: Mutex<OpenLoans>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct OpenLoans {
    last: u64,
    borrowers: HashMap<u64, UnixStream>,
}

/// So many are served at a time.
const MOST: usize = 32;

/// How long a borrower may take to say what it wants.
const READING: Duration = Duration::from_millis(200);

/// How long what is borrowed may go on when we have to end, and how long it then takes at most to end it. Clients give a
/// server two seconds before they end it themselves.
const LINGERING: Duration = Duration::from_millis(1500);
const ENDING: Duration = Duration::from_secs(5);

impl Lender {
    /// Lends the processes of a pool to whoever finds it in the folder.
    ///
    /// # Errors
    /// If somebody else could have a hand in the folder, or no socket can be made in it.
    pub fn open(folder: &Path, pool: Arc<WorkerPool>) -> io::Result<Self> {
        let socket = LendingFolder::make(folder)?.listen()?;
        let stop = CancelToken::new()?;
        let loans = Arc::new(Loans::default());
        let (stopped, served) = (stop.clone(), Arc::clone(&loans));
        let thread = std::thread::Builder::new()
            .name("lender".to_owned())
            .spawn(move || serve(&socket, &stopped, &pool, &served))?;
        Ok(Self { stop, thread: Some(thread), loans })
    }

    /// How many are served at the moment.
    #[must_use]
    pub fn loans(&self) -> usize {
        self.loans.lock().borrowers.len()
    }
}

impl Drop for Lender {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // A thread that has panicked serves nobody.
            let _ = thread.join();
        }
        self.loans.await_end(LINGERING);
        for borrower in self.loans.lock().borrowers.values() {
            let _ = borrower.shutdown(Shutdown::Both);
        }
        self.loans.await_end(ENDING);
    }
}

impl Loans {
    fn lock(&self) -> MutexGuard<'_, OpenLoans> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes somebody who is served now, if that is not one too many.
    fn begin(&self, borrower: &UnixStream) -> Option<u64> {
        let borrower = borrower.try_clone().ok()?;
        let mut open = self.lock();
        if open.borrowers.len() >= MOST {
            return None;
        }
        open.last += 1;
        let number = open.last;
        open.borrowers.insert(number, borrower);
        Some(number)
    }

    fn end(&self, number: u64) {
        self.lock().borrowers.remove(&number);
        self.ended.notify_all();
    }

    fn await_end(&self, patience: Duration) {
        let open = self.lock();
        let waited = self.ended.wait_timeout_while(open, patience, |open| !open.borrowers.is_empty());
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Takes connections until it is told to stop.
fn serve(socket: &LendingSocket, stop: &CancelToken, pool: &Arc<WorkerPool>, loans: &Arc<Loans>) {
    loop {
        let mut watched = [socket.listener.as_fd(), stop.as_fd()]
            .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN));
        let polled = poll(&mut watched, None);
        if stop.is_cancelled() || polled.is_err_and(|errno| errno != rustix::io::Errno::INTR) {
            return;
        }
        if watched[0].revents().is_empty() {
            continue;
        }
        let Ok((borrower, _)) = socket.listener.accept() else {
            // There may be no descriptor left, and then there is none at once again.
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        let Some(number) = loans.begin(&borrower) else {
            refuse(&borrower, "it serves too many others");
            continue;
        };
        let (pool, served) = (Arc::clone(pool), Arc::clone(loans));
        let thread = std::thread::Builder::new().name("loan".to_owned()).spawn(move || {
            attend(&borrower, &pool);
            drop(borrower);
            served.end(number);
        });
        if thread.is_err() {
            loans.end(number);
        }
    }
}

/// Serves one borrower until its run is over.
fn attend(borrower: &UnixStream, pool: &WorkerPool) {
    let (key, spare) = match find(borrower, pool) {
        Ok(found) => found,
        Err(why) => return refuse(borrower, &why),
    };
    let lent = (&*borrower).write_all(&[LENT]).and_then(|()| {
        spare.lend(borrower, &mut |verdict| match verdict {
            Verdict::Taken => {
                pool.succeed(&key);
                pool.refill();
            }
            Verdict::Declined => {}
            Verdict::Unfit => {
                pool.fail(&key, ColdReason::Failed { why: "it was of no use to a borrower".to_owned() });
            }
        })
    });
    // A borrower that cannot be given anything is gone, and what is left is ended here.
    drop(lent);
    pool.refill();
}

/// What somebody who has connected gets, if it is entitled to it.
fn find(borrower: &UnixStream, pool: &WorkerPool) -> Result<(PoolKey, Spare), String> {
    let in_words = |error: io::Error| error.to_string();
    // What was not read would keep the answer from being read.
    borrower.set_read_timeout(Some(READING)).map_err(in_words)?;
    let request = LoanRequest::read(borrower).map_err(in_words)?;
    borrower.set_read_timeout(None).map_err(in_words)?;
    let peer = Peer::of(borrower).map_err(in_words)?;
    if !peer.is_same_program().map_err(in_words)? {
        return Err("it is another build".to_owned());
    }
    // A process has much from who started it, and a run must not be different because it has that from us.
    if let Some(what) = peer.difference().map_err(in_words)? {
        return Err(format!("it was started with another {what}"));
    }
    let in_words = |reason: ColdReason| reason.to_string();
    let key = request.key().map_err(in_words)?;
    let example = request.example.as_deref().map(Into::into);
    let spare = pool.take(&key, example, || request.recipe(&key)).map_err(in_words)?;
    Ok((key, spare))
}
