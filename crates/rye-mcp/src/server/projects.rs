//! The projects that are worked in, each with an engine of its own.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rye_engine::{Engine, EngineSettings, ErrorCode, Lifetime, Warm, lending_folder};
use rye_run::workers::{Lender, WorkerPool};

use super::failure::Failure;

/// So many engines are kept.
const KEPT: usize = 8;

/// The engines of all projects that calls have named, the one that was used last at the end.
#[derive(Debug)]
pub(super) struct Projects {
    settings: EngineSettings,
    open: Mutex<Vec<(Option<PathBuf>, Arc<Engine>)>>,
    /// The processes that are ready for all of them.
    pool: Arc<WorkerPool>,
    /// What lends these to the command line of the same user.
    lender: Mutex<Option<Lender>>,
}

impl Projects {
    pub(super) fn new(settings: EngineSettings) -> Self {
        let pool = Arc::new(WorkerPool::default());
        let lender = settings.cache.as_deref().and_then(|cache| {
            let lender = Lender::open(&lending_folder(cache), Arc::clone(&pool));
            lender.map_err(|error| tracing::warn!(%error, "nothing is lent to the command line")).ok()
        });
        let warm = Warm::Pool(Arc::clone(&pool));
        let settings = EngineSettings { lifetime: Lifetime::Long, warm, ..settings };
        Self { settings, open: Mutex::default(), pool, lender: Mutex::new(lender) }
    }

    /// The engine of a project, or of the server's own.
    pub(super) fn engine(&self, project: Option<&Path>) -> Result<Arc<Engine>, Failure> {
        let project = project.map(|path| self.folder(path)).transpose()?;
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = open.iter().position(|(path, _)| *path == project) {
            let entry = open.remove(at);
            let engine = Arc::clone(&entry.1);
            open.push(entry);
            return Ok(engine);
        }
        let mut settings = self.settings.clone();
        if let Some(path) = &project {
            settings.spaces.project = Some(path.clone());
        }
        let engine = Arc::new(Engine::new(settings));
        if open.len() >= KEPT {
            let (_, oldest) = open.remove(0);
            // It may end processes, and nobody should wait for that.
            std::thread::spawn(move || drop(oldest));
        }
        open.push((project, Arc::clone(&engine)));
        Ok(engine)
    }

    /// Lets go of everything that is kept ready.
    pub(super) fn close(&self) {
        // What was lent goes first: it may still come to its end.
        drop(self.lender.lock().unwrap_or_else(PoisonError::into_inner).take());
        self.pool.close();
        self.open.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    pub(super) fn settings(&self) -> &EngineSettings {
        &self.settings
    }

    fn folder(&self, path: &Path) -> Result<PathBuf, Failure> {
        let path = self.settings.spaces.start.join(path);
        match path.canonicalize() {
            Ok(folder) if folder.is_dir() => Ok(folder),
            Ok(_) => Err(unusable(&path, "it is not a folder")),
            Err(error) => Err(unusable(&path, &error.to_string())),
        }
    }
}

fn unusable(path: &Path, reason: &str) -> Failure {
    Failure {
        code: ErrorCode::SpaceUnusable.as_str(),
        message: format!("the project `{}` cannot be used: {reason}", path.display()),
        hint: Some("give the absolute path of the project's folder as `project_path`".to_owned()),
        retryable: false,
    }
}
