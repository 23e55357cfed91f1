//! What the templates of a chain came to, kept for the calls to come.

use std::sync::{Arc, Mutex, PoisonError};

use rye_env::Environment;
use rye_template::ContextName;

use super::Action;

/// The templates of a form, filled in.
#[derive(Debug, Clone)]
pub(crate) struct Filling {
    pub(super) environment: Arc<Environment>,
    /// What is done, but for an input that is the parameters themselves.
    pub(super) action: Action,
}

/// What a form was filled in with, and what it came to. It can only be kept if neither a parameter nor the id of the run stands in
/// any template, so that the paths of a call are all that may be different in the next.
#[derive(Debug, Default)]
pub(crate) struct KeptFilling(Mutex<Option<Arc<Known>>>);

#[derive(Debug)]
struct Known {
    paths: Vec<(ContextName, String)>,
    filling: Filling,
}

impl KeptFilling {
    /// What the form came to with these paths, if it is known.
    pub(super) fn get(&self, paths: &[(ContextName, String)]) -> Option<Filling> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.filter(|known| known.paths == paths).map(|known| known.filling.clone())
    }

    pub(super) fn put(&self, paths: &[(ContextName, String)], filling: Filling) {
        let known = Arc::new(Known { paths: paths.to_vec(), filling });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(known);
    }
}
