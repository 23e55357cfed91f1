//! Runs that outlive whoever starts them.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lillux::CancelToken;
use lillux::clock::SystemClock;
use lillux::process::{ProcessHandle, SpawnRequest, kill, spawn};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::{Parameters, Plan};
use rye_run::journal::{Journal, JournalErrorKind, RunId, RunStatus};
use rye_run::mask::Mask;
use rye_run::runner::RunnerError;
use serde::{Deserialize, Serialize};

use crate::copies::Comparing;
use crate::pending_record::{RunFacts, failure};
use crate::run_log::RunLog;
use crate::{Engine, EngineError, ExecuteRequest, Executed, with_sources};

/// The command of our own program that watches over one run. The path of its request follows.
pub const SUPERVISE: &str = "supervise";

/// What the supervisor is to run. Parameters may be secret, so this is in a file that nobody else can read, and that is
/// gone once it has been read.
const REQUEST: &str = "request.json";
/// What the supervisor itself has to say, which is nothing if all goes well.
const SUPERVISOR_LOG: &str = "supervisor.log";

/// An [`ExecuteRequest`] on its way to the supervisor.
#[derive(Serialize, Deserialize)]
struct Handover {
    run_id: String,
    item: String,
    parameters: String,
    timeout: Option<Duration>,
    locked: bool,
}

impl Engine {
    /// Starts a run that outlives us, and gives its id. Another process watches over it and keeps its output.
    ///
    /// Everything is planned here first: what cannot run has no id.
    ///
    /// # Errors
    /// If it could not be run, or there is no place for its record and its output.
    pub fn start_async(&self, request: &ExecuteRequest) -> Result<RunId, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        if request.item.kind != ItemKind::Tool {
            return Err(EngineError::NothingToStart { item: request.item.clone() });
        }
        let id = request.run_id.unwrap_or_else(|| RunId::generate(&SystemClock));
        let plan = self.plan_to_run(&call, &trust, request, &id, Comparing::Always)?;
        self.hold_lock(&call, &trust, &plan, request.locked)?;
        let facts = self.facts(id, &plan)?;
        let journal = Journal::open_first(&self.state_folders(&call))?;
        let folder = journal.output_folder(id);
        let handover = Handover::new(id, request);
        let path = handover.write(&folder).map_err(|source| hand_over_failed(&folder, source))?;
        let started = self.spawn_supervisor(&path).and_then(|supervisor| {
            match journal.begin(&facts.start(supervisor.clone())) {
                // It was quicker than we are.
                Err(error) if matches!(error.kind(), JournalErrorKind::RunExists { .. }) => Ok(()),
                Err(error) => {
                    // A run that nobody can find must not go on. If it cannot be ended, this is the smaller trouble.
                    let _ = kill(&supervisor, Duration::ZERO);
                    Err(error.into())
                }
                Ok(()) => Ok(()),
            }
        });
        if started.is_err() {
            // There may be parameters in it that nobody else should see.
            let _ = std::fs::remove_dir_all(&folder);
        }
        started.map(|()| id)
    }

    /// Runs what [`start_async`](Self::start_async) has written to a file, and tells how it ended.
    ///
    /// # Errors
    /// If the request cannot be read or the output not be kept. What goes wrong with the run itself is in its record.
    pub fn supervise(&self, request: &Path, cancel: &CancelToken) -> Result<RunStatus, EngineError> {
        let folder = request.parent().unwrap_or(Path::new("."));
        let failed = |source| hand_over_failed(folder, source);
        let request = Handover::take(request).map_err(failed)?;
        let mut log = RunLog::create(folder).map_err(failed)?;
        match self.execute(&request, Some(cancel), &mut |event| log.take(&event)) {
            Ok((report, mut record)) => {
                let Executed::Run { outcome, .. } = report.result else { return Ok(RunStatus::Succeeded) };
                let logged = log.finish(&outcome).map_err(failed);
                if let Ok(logged) = logged {
                    record.logged(logged);
                }
                let status = record.status();
                record.write()?;
                remove_if_empty(&folder.join(SUPERVISOR_LOG));
                Ok(status)
            }
            Err(error) => {
                log.tell(&with_sources(&error));
                if let Some(id) = request.run_id {
                    self.record_failure(id, &error)?;
                }
                Ok(RunStatus::Failed)
            }
        }
    }

    fn facts(&self, id: RunId, plan: &Plan) -> Result<RunFacts, EngineError> {
        let secrets = self.secrets(plan)?;
        Ok(RunFacts::new(id, plan, &Mask::new(&secrets)?))
    }

    fn spawn_supervisor(&self, request: &Path) -> Result<ProcessHandle, EngineError> {
        let variables = self.settings.environment.iter();
        let mut args = vec![SUPERVISE.into(), request.into()];
        if let Some(project) = &self.settings.spaces.project {
            args.extend(["--project".into(), project.into()]);
        }
        let spawned = spawn(&SpawnRequest {
            program: self.settings.program.clone().into(),
            args,
            cwd: Some(self.settings.spaces.start.clone()),
            env: variables
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect::<BTreeMap<_, _>>(),
            log: request.parent().map(|folder| folder.join(SUPERVISOR_LOG)),
        });
        Ok(spawned.map_err(RunnerError::from)?)
    }

    /// Writes down that a run which had an id did not come about after all.
    fn record_failure(&self, id: RunId, error: &EngineError) -> Result<(), EngineError> {
        const PATIENCE: Duration = Duration::from_secs(5);
        let journal = Journal::open_first(&self.state_folders(&*self.call()?))?;
        let until = std::time::Instant::now() + PATIENCE;
        loop {
            match journal.finish(id, &failure(error)) {
                // Whoever has started us is about to write down the begin.
                Err(error)
                    if matches!(error.kind(), JournalErrorKind::RunNotFound { .. })
                        && std::time::Instant::now() < until =>
                {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Err(error) if matches!(error.kind(), JournalErrorKind::AlreadyEnded { .. }) => return Ok(()),
                written => return Ok(written?),
            }
        }
    }
}

impl Handover {
    fn new(id: RunId, request: &ExecuteRequest) -> Self {
        Self {
            run_id: id.to_string(),
            item: request.item.id.to_string(),
            parameters: request.parameters.to_json(),
            timeout: request.timeout,
            locked: request.locked,
        }
    }

    fn write(&self, folder: &Path) -> io::Result<PathBuf> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(REQUEST);
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        Ok(path)
    }

    /// Reads the request, and removes it.
    fn take(path: &Path) -> io::Result<ExecuteRequest> {
        let bytes = std::fs::read(path)?;
        std::fs::remove_file(path)?;
        let Self { run_id, item, parameters, timeout, locked } = serde_json::from_slice(&bytes)?;
        let wrong = |error: &dyn std::error::Error| io::Error::other(error.to_string());
        Ok(ExecuteRequest {
            item: ItemRef::new(ItemKind::Tool, ItemId::new(item).map_err(|error| wrong(&error))?),
            parameters: Parameters::parse(parameters).map_err(|error| wrong(&error))?,
            timeout,
            locked,
            only_harmless: false,
            run_id: Some(run_id.parse().map_err(|error| wrong(&error))?),
            is_begun: true,
            variables: BTreeMap::new(),
        })
    }
}

fn hand_over_failed(folder: &Path, source: io::Error) -> EngineError {
    EngineError::HandOver { folder: folder.to_owned(), source }
}

fn remove_if_empty(path: &Path) {
    if path.metadata().is_ok_and(|metadata| metadata.len() == 0) {
        // It is nothing but tidy.
        let _ = std::fs::remove_file(path);
    }
}
