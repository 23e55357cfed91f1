//! What the operator has said, remembered for as long as the kernel says that nobody has said anything else.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use rye_env::PROJECT_DOTENV_FILES;
use rye_item::{FolderIdentity, Space, SpaceRoot};

use crate::engine::Call;
use crate::folder_watch::FolderWatch;
use crate::project_trust::INTERPRETER_FOLDERS;
use crate::trust::Trust;

/// The answer of the last call, in a process that lives long.
#[derive(Debug, Default)]
pub(crate) struct KnownTrust(Mutex<Option<Known>>);

#[derive(Debug)]
struct Known {
    spaces: SpaceFolders,
    watch: FolderWatch,
    trust: Arc<Trust>,
}

/// The very folders that an answer is about. Another folder may take the place of one, and a path does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SpaceFolders {
    project: Option<FolderIdentity>,
    user: Option<FolderIdentity>,
}

impl KnownTrust {
    /// The answer that was given before, if it is certain that nothing has changed since; else the one that `read` gives.
    pub(crate) fn get<E>(
        &self,
        call: &Call,
        user_space: Option<&Path>,
        read: impl FnOnce() -> Result<Trust, E>,
    ) -> Result<Arc<Trust>, E> {
        let spaces = SpaceFolders::of(call);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Known { spaces: folders, watch, trust }) = &*known
            && *folders == spaces
            && watch.is_quiet()
        {
            return Ok(Arc::clone(trust));
        }
        *known = None;
        // Whatever happens from here on is seen by the next call.
        let watch = watch_over(user_space, call.project_folder());
        let trust = Arc::new(read()?);
        *known = watch.map(|watch| Known { spaces, watch, trust: Arc::clone(&trust) });
        Ok(trust)
    }
}

impl SpaceFolders {
    fn of(call: &Call) -> Self {
        let identity = |space| call.spaces.get(space).and_then(SpaceRoot::identity);
        Self { project: identity(Space::Project), user: identity(Space::User) }
    }
}

/// A watch over every folder that the answer depends on; nothing where links would have to be followed, because it is
/// the place of the link that changes then.
fn watch_over(user_space: Option<&Path>, project: Option<&Path>) -> Option<FolderWatch> {
    let mut watch = FolderWatch::new()?;
    if let Some(user_space) = user_space {
        watch.add_folder(user_space);
        watch_below(&mut watch, user_space, &["keys/trusted", "trust"])?;
    }
    if let Some(project) = project {
        watch.add_folder(project);
        watch_below(&mut watch, project, &[".ai/keys"])?;
        watch_below(&mut watch, project, &INTERPRETER_FOLDERS)?;
        for file in PROJECT_DOTENV_FILES.map(|file| project.join(file)) {
            if file.is_symlink() {
                return None;
            }
            // Through another name of it, it can change without anything happening in its folder.
            watch.add_file(&file);
        }
    }
    Some(watch)
}

/// Watches the folders on the way to each path, and the one that it names.
fn watch_below(watch: &mut FolderWatch, base: &Path, paths: &[&str]) -> Option<()> {
    for path in paths {
        let mut folder = base.to_owned();
        for part in path.split('/') {
            folder.push(part);
            if folder.is_symlink() {
                return None;
            }
            watch.add_folder(&folder);
        }
    }
    Some(())
}
