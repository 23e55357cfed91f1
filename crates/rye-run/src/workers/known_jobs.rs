//! Jobs that were told before. Runs of the same tool differ in what they read, and in nothing that is told.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lillux::process::RunRequest;
use rye_plan::VariableNames;

use super::cold_reason::ColdReason;
use super::job::{LONGEST_EXAMPLE, ToldJob, WarmJob};

/// Some jobs, those that were told last first. None of them has a secret in it.
#[derive(Debug, Default)]
pub(super) struct KnownJobs(Mutex<VecDeque<KnownJob>>);

/// A job, and all that it is made of.
#[derive(Debug)]
struct KnownJob {
    program: OsString,
    args: Vec<OsString>,
    cwd: Option<PathBuf>,
    env: Arc<BTreeMap<OsString, OsString>>,
    names: Arc<VariableNames>,
    told: Arc<ToldJob>,
}

/// So many jobs are kept.
const MOST: usize = 16;

impl KnownJobs {
    /// The job as it was told before, or as it is told from now on.
    pub(super) fn told(
        &self,
        job: WarmJob<'_>,
        names: &Arc<VariableNames>,
    ) -> Result<Arc<ToldJob>, ColdReason> {
        if !job.secrets.is_empty() {
            return job.told(names).map(Arc::new);
        }
        if let Some(known) = self.find(job.request, names) {
            return Ok(known);
        }
        let told = Arc::new(job.told(names)?);
        if told.message.len() <= LONGEST_EXAMPLE {
            let mut known = self.lock();
            known.truncate(MOST - 1);
            known.push_front(KnownJob::new(job.request, names, &told));
        }
        Ok(told)
    }

    fn find(&self, request: &RunRequest, names: &Arc<VariableNames>) -> Option<Arc<ToldJob>> {
        let mut known = self.lock();
        let place = known.iter().position(|known| known.is(request, names))?;
        known.swap(0, place);
        Some(Arc::clone(&known[0].told))
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<KnownJob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KnownJob {
    fn new(request: &RunRequest, names: &Arc<VariableNames>, told: &Arc<ToldJob>) -> Self {
        Self {
            program: request.program.clone(),
            args: request.args.clone(),
            cwd: request.cwd.clone(),
            env: Arc::clone(&request.env),
            names: Arc::clone(names),
            told: Arc::clone(told),
        }
    }

    /// Whether this is the job of a run.
    fn is(&self, request: &RunRequest, names: &Arc<VariableNames>) -> bool {
        let Self { program, args, cwd, env, names: own, told: _ } = self;
        *program == request.program
            && *args == request.args
            && *cwd == request.cwd
            && *env == request.env
            && own == names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_told_once_and_never_for_another() {
        let known = KnownJobs::default();
        let names = Arc::new(VariableNames::new(&["A*".to_owned()], &[]));
        let request = RunRequest::new("/bin/x").args(["a"]).cwd("/tmp").env("A", "1");
        let told = |request: &RunRequest, names: &Arc<VariableNames>, secrets: &[&str]| {
            known.told(WarmJob { request, secrets }, names).unwrap()
        };
        let first = told(&request, &names, &[]);
        let same = request.clone().stdin("else").env("A", "1");
        assert!(Arc::ptr_eq(&told(&same, &names, &[]), &first));
        let other_names = Arc::new(VariableNames::new(&["B*".to_owned()], &[]));
        assert!(told(&request, &other_names, &[]).keyed_env.is_empty());
        for other in [
            RunRequest { program: "/bin/y".into(), ..request.clone() },
            request.clone().args(["b"]),
            request.clone().cwd("/"),
            request.clone().env("A", "2"),
        ] {
            let fresh = WarmJob { request: &other, secrets: &[] }.told(&names).unwrap();
            assert_eq!(told(&other, &names, &[]).message, fresh.message);
            assert_ne!(fresh.message, first.message);
        }
    }

    #[test]
    fn secrets_and_long_jobs_are_not_kept() {
        let known = KnownJobs::default();
        let names = Arc::default();
        let secret = RunRequest::new("x").env("TOKEN", "s3cret");
        let long = RunRequest::new("x").args(["y".repeat(LONGEST_EXAMPLE)]);
        for (request, secrets) in [(&secret, &["TOKEN"][..]), (&long, &[])] {
            known.told(WarmJob { request, secrets }, &names).unwrap();
            assert!(known.0.lock().unwrap().is_empty());
        }
        for number in 0..2 * MOST {
            let request = RunRequest::new(number.to_string());
            known.told(WarmJob { request: &request, secrets: &[] }, &names).unwrap();
        }
        assert_eq!(known.0.lock().unwrap().len(), MOST);
    }
}
