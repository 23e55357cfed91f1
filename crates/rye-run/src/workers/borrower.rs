//! Borrowing a process from somebody who has one ready.

use std::io::{self, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use lillux::process::Peer;
use lillux::process::spare::{Spare, Verdict};
use rye_plan::WorkerPlan;

use super::cold_reason::ColdReason;
use super::job::WarmJob;
use super::lending_folder::LendingFolder;
use super::loan_request::{LENT, LoanRequest, REFUSED};
use super::verdict::judge;

/// Asks those who lend processes. It is made if there seems to be somebody; whether there is turns out when it asks.
#[derive(Debug)]
pub struct Borrower {
    folder: Result<LendingFolder, ColdReason>,
    limits: BorrowLimits,
}

/// How long a borrower waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BorrowLimits {
    /// How long a lender may take to answer.
    pub lender: Duration,
    /// How long a process may take to answer.
    pub process: Duration,
}

/// The longest reason that is read.
const LONGEST_REASON: u64 = 4096;

impl Default for BorrowLimits {
    fn default() -> Self {
        Self { lender: Duration::from_millis(20), process: Duration::from_secs(2) }
    }
}

impl Borrower {
    /// Looks into the folder of those who lend. There is none to ask if nobody has left a trace there.
    #[must_use]
    pub fn find(folder: &Path, limits: BorrowLimits) -> Option<Self> {
        let folder = match LendingFolder::open(folder) {
            Ok(found) => Ok(found.filter(|folder| !folder.names().is_empty())?),
            Err(error) => Err(ColdReason::NobodyToAsk { why: error.to_string() }),
        };
        Some(Self { folder, limits })
    }

    /// A process that has taken the job, with the process id of who lends it; or why there is none, if there could have
    /// been one. Then nothing of the job has been done.
    pub(crate) fn begin(
        &self,
        worker: &WorkerPlan,
        job: WarmJob<'_>,
        cancel: Option<&CancelToken>,
    ) -> Result<(Spare, u32), Option<ColdReason>> {
        let folder = self.folder.as_ref().map_err(|reason| Some(reason.clone()))?;
        if !job.secrets.is_empty() {
            return Err(Some(ColdReason::HasSecrets));
        }
        let told = job.told(&worker.keyed_by)?;
        let start = worker.start.as_ref().ok_or(ColdReason::NoHelper)?;
        let request = LoanRequest::new(worker, start, job.request, &told)?;
        let request = request.to_message().ok_or(ColdReason::NoText)?;
        let (mut spare, server) = self.ask_around(folder, &request)?;
        let answer = spare.offer(&told.message, &job.request.stdin, self.limits.process, cancel);
        let judged = judge(answer, cancel);
        spare.judge(judged.as_ref().err().map_or(Verdict::Taken, |(verdict, _)| *verdict));
        judged.map_err(|(_, reason)| reason)?;
        Ok((spare, server))
    }

    /// Asks the first one that could be of use.
    fn ask_around(&self, folder: &LendingFolder, request: &[u8]) -> Result<(Spare, u32), Option<ColdReason>> {
        let until = Instant::now() + self.limits.lender;
        let mut unusable = None;
        for name in folder.names() {
            // Whoever is gone, or has no room for another connection, is none that could help.
            let Ok(lender) = folder.connect(&name) else { continue };
            let peer = match Peer::of(&lender) {
                Ok(peer) => peer,
                // Its socket outlives a process by a moment.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    unusable = Some(ColdReason::NotLent { server: None, why: error.to_string() });
                    continue;
                }
            };
            let server = peer.pid();
            let not_lent = |why: String| ColdReason::NotLent { server: Some(server), why };
            match peer.is_same_program() {
                Ok(true) => {}
                Ok(false) => {
                    unusable = Some(not_lent("it is another build".to_owned()));
                    continue;
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    unusable = Some(not_lent(error.to_string()));
                    continue;
                }
            }
            let spare = ask(lender, request, until).map_err(not_lent)?;
            return Ok((spare, server));
        }
        Err(unusable)
    }
}

/// What a lender gives us, or why it does not.
fn ask(lender: UnixStream, request: &[u8], until: Instant) -> Result<Spare, String> {
    let in_words = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => "it did not answer in time".to_owned(),
        _ => error.to_string(),
    };
    let left = || until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    lender.set_write_timeout(Some(left())).map_err(in_words)?;
    (&lender).write_all(request).map_err(in_words)?;
    lender.set_read_timeout(Some(left())).map_err(in_words)?;
    let mut answer = [0];
    (&lender).read_exact(&mut answer).map_err(in_words)?;
    match answer[0] {
        LENT => Spare::borrow(lender, "borrowed".to_owned(), left()).map_err(in_words),
        REFUSED => {
            let mut why = String::new();
            (&lender).take(LONGEST_REASON).read_to_string(&mut why).map_err(in_words)?;
            Err(why)
        }
        _ => Err("it answered with nonsense".to_owned()),
    }
}
