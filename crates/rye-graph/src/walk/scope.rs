//! What templates see.

use rye_template::graph::Roots;
use serde_json::Value;

use super::Snapshot;

/// An element of a list, and its number.
#[derive(Debug)]
pub(super) struct Element<'w> {
    pub(super) name: &'w str,
    pub(super) value: &'w Value,
    pub(super) index: Value,
}

impl Snapshot {
    /// `state`, `inputs`, `result` and `error`.
    pub(super) fn roots(&self) -> Roots<'_> {
        self.roots_after(&self.result, &self.error)
    }

    /// The same with another result and error.
    pub(super) fn roots_after<'w>(&'w self, result: &'w Value, error: &'w Value) -> Roots<'w> {
        let roots = Roots::new().with("state", &self.state).with("inputs", &self.inputs);
        roots.with("result", result).with("error", error)
    }
}

impl<'w> Element<'w> {
    pub(super) fn new(name: &'w str, value: &'w Value, index: u32) -> Self {
        Self { name, value, index: Value::from(index) }
    }

    /// The roots with the element and its `index`.
    pub(super) fn within(&'w self, roots: Roots<'w>) -> Roots<'w> {
        roots.with(self.name, self.value).with("index", &self.index)
    }
}

/// A value as a text for a person.
pub(super) fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
