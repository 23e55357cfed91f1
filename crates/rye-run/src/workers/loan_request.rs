//! What a borrower says to a lender: which processes it could use, and how others like them are made.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lillux::Digest;
use lillux::process::RunRequest;
use rye_metadata::metadata::WorkerMode;
use rye_plan::{WorkerPlan, WorkerStart};
use serde::{Deserialize, Serialize};

use super::cold_reason::ColdReason;
use super::entry::{Recipe, RecipeTerms};
use super::job::ToldJob;
use super::key::{FileIdentity, PoolKey};

/// Everything that a pool has to know to keep processes ready for a run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct LoanRequest {
    terms: RecipeTerms,
    helper: Digest,
    /// Where the helper is, if it stays there although nobody holds on to it.
    helper_file: Option<PathBuf>,
    program: String,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    identity: FileIdentity,
    pub(super) example: Option<String>,
}

/// The longest request.
const LONGEST: usize = 1 << 20;

/// How a lender begins its answer, if it lends something; otherwise a reason follows the other one.
pub(super) const LENT: u8 = b'+';
pub(super) const REFUSED: u8 = b'-';

impl LoanRequest {
    pub(super) fn new(
        plan: &WorkerPlan,
        start: &WorkerStart,
        request: &RunRequest,
        told: &ToldJob,
    ) -> Result<Self, ColdReason> {
        let PoolKey { helper, program, args, env, identity } = PoolKey::of(plan, start, request, told)?;
        let text = |part: std::ffi::OsString| part.into_string().map_err(|_| ColdReason::NoText);
        let env = env.iter().map(|(name, value)| Ok((text(name.clone())?, text(value.clone())?)));
        Ok(Self {
            terms: RecipeTerms::of(plan),
            helper,
            helper_file: start.copy.snapshot.is_none().then(|| start.copy.tool.clone()),
            program: text(program.into())?,
            args,
            env: env.collect::<Result<_, ColdReason>>()?,
            identity,
            example: told.example.as_deref().map(str::to_owned),
        })
    }

    pub(super) fn to_message(&self) -> Option<Vec<u8>> {
        let body = serde_json::to_vec(self).ok().filter(|body| body.len() <= LONGEST)?;
        Some([&u32::try_from(body.len()).ok()?.to_be_bytes(), body.as_slice()].concat())
    }

    pub(super) fn read(mut from: impl Read) -> io::Result<Self> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let length = usize::try_from(u32::from_be_bytes(length)).ok().filter(|length| *length <= LONGEST);
        let mut body = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
        from.read_exact(&mut body)?;
        let request: Self = serde_json::from_slice(&body)?;
        // Nobody waits for a job in this mode.
        if request.terms.mode == WorkerMode::Session {
            Err(io::ErrorKind::InvalidData.into())
        } else {
            Ok(request)
        }
    }

    /// What is asked for, as it is here and now.
    pub(super) fn key(&self) -> Result<PoolKey, ColdReason> {
        let program = PathBuf::from(&self.program);
        let failed = |why: String| ColdReason::Failed { why };
        let identity = FileIdentity::of(&program).map_err(|error| failed(error.to_string()))?;
        if identity != self.identity {
            return Err(failed(format!("`{}` has been changed", program.display())));
        }
        Ok(PoolKey {
            helper: self.helper,
            program,
            args: self.args.clone(),
            env: Arc::new(self.env.iter().map(|(name, value)| (name.into(), value.into())).collect()),
            identity,
        })
    }

    /// How such processes are made. What the request says about the helper is held against its file, so that what comes
    /// of it is as good as what the pool learns from runs of its own.
    pub(super) fn recipe(&self, key: &PoolKey) -> Result<Recipe, ColdReason> {
        let file = self.helper_file.as_ref().ok_or(ColdReason::NothingReady)?;
        let is_started = self.args.iter().any(|arg| Path::new(arg) == file);
        let digest = File::open(file).and_then(Digest::of_reader);
        if !is_started || digest.ok() != Some(self.helper) {
            let why = format!("`{}` is not the helper that was meant", file.display());
            return Err(ColdReason::Failed { why });
        }
        Ok(Recipe::new(self.terms, key, None))
    }
}

/// Says that nothing is lent.
pub(super) fn refuse(mut to: impl Write, why: &str) {
    // Who does not listen any more need not know.
    let _ = to.write_all(&[&[REFUSED], why.as_bytes()].concat());
}
