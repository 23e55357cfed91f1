//! The names that paths begin with.

use serde_json::Value;

/// What paths are looked up in: a few names, each with a value that is only borrowed.
#[derive(Debug, Clone, Default)]
pub struct Roots<'v> {
    names: Vec<(&'v str, &'v Value)>,
}

impl<'v> Roots<'v> {
    /// No name has a value yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one more name. A name that is there already keeps its value.
    #[must_use]
    pub fn with(mut self, name: &'v str, value: &'v Value) -> Self {
        self.names.push((name, value));
        self
    }

    /// The value of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'v Value> {
        self.names.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }
}
