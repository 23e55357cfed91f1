//! Forgetting old runs.

use std::io;
use std::time::Duration;

use lillux::clock::Timestamp;
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::store::is_alive;
use super::{Journal, JournalError, JournalErrorKind, RunId, database, output_folder};

/// Output without a record may be of a run that is at work and has not been written down. After this time, it is not.
const ORPHANED_AFTER: Duration = Duration::from_hours(7 * 24);

/// Which runs are kept. A run that goes on is kept in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// So many of the newest runs are kept.
    pub newest: usize,
    /// Runs that started at this time or later are kept too.
    pub since: Option<Timestamp>,
}

/// What was forgotten.
#[derive(Debug, Default)]
pub struct Pruned {
    /// The runs whose records and output are gone.
    pub runs: usize,
    /// Output that could not be removed, with what the system said. The records of these runs are kept.
    pub kept: Vec<(RunId, io::Error)>,
}

impl Retention {
    /// What is kept when nobody says anything: more runs than anybody looks through, and few enough for any disk.
    pub const BY_ITSELF: Self = Self { newest: 10_000, since: None };
}

impl Journal {
    /// Once in many runs, moves the log into the database and forgets what is beyond [`Retention::BY_ITSELF`].
    pub(super) fn tidy(&self, now: Timestamp) {
        if !database::is_untidy(self.folder()) {
            return;
        }
        // Whoever writes a record hears what is wrong with the database; that it could be smaller is no reason to fail.
        let _ = self.prune(&Retention::BY_ITSELF, now);
        let _ = self.with(|connection| Ok(database::empty_log(connection)?));
    }

    /// Forgets all runs that `retention` does not keep, and removes their output. Output of which there is no record
    /// goes as well when it is a week old at the time `now`.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn prune(&self, retention: &Retention, now: Timestamp) -> Result<Pruned, JournalError> {
        let mut pruned = Pruned::default();
        let mut removed = Vec::new();
        for id in self.outdated(retention)? {
            // The output goes first: if we are interrupted, the record still says that there is something to do.
            match output_folder::remove(self.folder(), id) {
                Ok(()) => removed.push(id),
                Err(error) => pruned.kept.push((id, error)),
            }
        }
        self.forget(&removed)?;
        pruned.runs = removed.len();
        for id in self.orphans(now)? {
            if let Err(error) = output_folder::remove(self.folder(), id) {
                pruned.kept.push((id, error));
            }
        }
        Ok(pruned)
    }

    fn outdated(&self, retention: &Retention) -> Result<Vec<RunId>, JournalError> {
        let kept = i64::try_from(retention.newest).unwrap_or(i64::MAX);
        let since = retention.since.map(|time| RunId::first_at(time).to_bytes());
        self.with(|connection| {
            let mut statement = connection.prepare(
                "SELECT id, supervisor, status IS NULL FROM
                    (SELECT id, supervisor, status FROM runs ORDER BY id DESC LIMIT -1 OFFSET ?1)
                WHERE ?2 IS NULL OR id < ?2",
            )?;
            let mut rows = statement.query(params![kept, since])?;
            let mut outdated = Vec::new();
            while let Some(row) = rows.next()? {
                let supervisor = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
                let goes_on = row.get(2)? && supervisor.parse().is_ok_and(|supervisor| is_alive(&supervisor));
                if !goes_on {
                    outdated.push(RunId::from_bytes(row.get(0)?));
                }
            }
            Ok(outdated)
        })
    }

    fn forget(&self, runs: &[RunId]) -> Result<(), JournalError> {
        self.with(|connection| {
            let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
            let mut statement = transaction.prepare("DELETE FROM runs WHERE id = ?1")?;
            for id in runs {
                statement.execute([id.to_bytes()])?;
            }
            drop(statement);
            Ok(transaction.commit()?)
        })
    }

    fn orphans(&self, now: Timestamp) -> Result<Vec<RunId>, JournalError> {
        let old = |id: &RunId| {
            let age = now.unix_seconds().saturating_sub(id.started().unix_seconds());
            u64::try_from(age).is_ok_and(|age| age > ORPHANED_AFTER.as_secs())
        };
        self.with(|connection| {
            let mut orphans = output_folder::runs_with_output(self.folder()).map_err(JournalErrorKind::Io)?;
            orphans.retain(old);
            let mut statement = connection.prepare("SELECT 1 FROM runs WHERE id = ?1")?;
            let mut without_record = Vec::new();
            for id in orphans {
                if statement.query_row([id.to_bytes()], |_| Ok(())).optional()?.is_none() {
                    without_record.push(id);
                }
            }
            Ok(without_record)
        })
    }
}
