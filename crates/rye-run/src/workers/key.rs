//! What makes two processes that are ready equal.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use lillux::Digest;
use lillux::process::{RunRequest, find_program};
use rye_plan::{WorkerPlan, WorkerStart};
use serde::{Deserialize, Serialize};

use super::cold_reason::ColdReason;
use super::job::ToldJob;

/// Everything that a process has been started with. A process serves a job if and only if it would have been started
/// for it in just the same way.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct PoolKey {
    pub(super) helper: Digest,
    pub(super) program: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) env: Arc<BTreeMap<OsString, OsString>>,
    pub(super) identity: FileIdentity,
}

/// A file, as it is at this moment.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct FileIdentity {
    place: (u64, u64),
    size: u64,
    times: [i64; 4],
}

impl PoolKey {
    pub(super) fn of(
        plan: &WorkerPlan,
        start: &WorkerStart,
        request: &RunRequest,
        told: &ToldJob,
    ) -> Result<Self, ColdReason> {
        let failed = |error: &dyn std::error::Error| ColdReason::Failed { why: error.to_string() };
        let program = find_program(OsStr::new(&start.program), request.cwd.as_deref(), &request.env)
            .map_err(|error| failed(error.kind()))?;
        let identity = FileIdentity::of(&program).map_err(|error| failed(&error))?;
        Ok(Self {
            helper: plan.helper.as_ref().ok_or(ColdReason::NoHelper)?.digest,
            program,
            args: start.args.clone(),
            env: Arc::clone(&told.keyed_env),
            identity,
        })
    }
}

impl FileIdentity {
    /// Links are followed: what they lead to is what runs.
    pub(super) fn of(path: &std::path::Path) -> std::io::Result<Self> {
        let found = std::fs::metadata(path)?;
        Ok(Self {
            place: (found.dev(), found.ino()),
            size: found.size(),
            times: [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()],
        })
    }
}
