//! The ways in which a runtime can be used.

use serde_json::{Map, Value};

use crate::config::merge;

/// One way to use a runtime, for calls that give a value for a certain name.
///
/// A runtime says `variants: [{when: script, args: ["-c", "{script}"]}]` in its configuration, and what stands beside
/// `when` takes the place of the same keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    /// The name that must have a value.
    pub(crate) when: String,
    /// What stands for parameters inside of that value is quoted for this language.
    pub(crate) quote: Option<Quote>,
    changes: Map<String, Value>,
}

/// How a parameter is quoted inside of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quote {
    /// As one word of a shell command.
    Shell,
}

impl Variant {
    const KEY: &'static str = "variants";

    /// Takes the variants out of a configuration. What has not the form of one is none.
    pub(crate) fn take(config: &mut Map<String, Value>) -> Vec<Self> {
        let Some(Value::Array(variants)) = config.shift_remove(Self::KEY) else { return Vec::new() };
        let read = |variant: Value| {
            let Value::Object(mut changes) = variant else { return None };
            let Some(Value::String(when)) = changes.shift_remove("when") else { return None };
            let quote = match changes.shift_remove("quote") {
                Some(Value::String(language)) if language == "shell" => Some(Quote::Shell),
                _ => None,
            };
            Some(Self { when, quote, changes })
        };
        variants.into_iter().filter_map(read).collect()
    }

    /// Changes a configuration.
    pub(crate) fn apply(&self, config: &mut Map<String, Value>) {
        for key in self.changes.keys() {
            config.shift_remove(key);
        }
        merge(config, &self.changes);
    }
}
