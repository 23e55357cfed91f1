//! The environment that our own process was given.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;

/// The environment that our own process was given, as it was given.
///
/// Nothing in it is checked or changed: names and values need not be text, and pass through. It is shared when it
/// is cloned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProcessEnvironment(Arc<BTreeMap<OsString, OsString>>);

impl ProcessEnvironment {
    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// All variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    pub(crate) fn as_map(&self) -> &BTreeMap<OsString, OsString> {
        &self.0
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for ProcessEnvironment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(Arc::new(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect()))
    }
}
