//! The ways in which a runtime can be used.

use serde_json::{Map, Value};

use crate::config::merge;

/// One way to use a runtime, for calls that give a value for a certain name, or for files of a certain extension.
///
/// A runtime says `variants: [{when: script, args: ["-c", "{script}"]}]` or `variants: [{when_extension: [ts], args:
/// […]}]` in its configuration, and what stands beside that takes the place of the same keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variant {
    pub(crate) when: When,
    /// What stands for parameters inside of that value is quoted for this language.
    pub(crate) quote: Option<Quote>,
    changes: Map<String, Value>,
}

/// When a runtime is used in this way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum When {
    /// If this name has a value.
    Value(String),
    /// If the file that runs has one of these extensions.
    Extension(Vec<String>),
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
            let when = When::take(&mut changes)?;
            let quote = match changes.shift_remove("quote") {
                Some(Value::String(language)) if language == "shell" => Some(Quote::Shell),
                _ => None,
            };
            Some(Self { when, quote, changes })
        };
        variants.into_iter().filter_map(read).collect()
    }

    /// The name whose value asks for this one.
    pub(crate) fn name(&self) -> Option<&str> {
        match &self.when {
            When::Value(name) => Some(name),
            When::Extension(_) => None,
        }
    }

    /// The name whose value asks for this one, if that is a shell command.
    pub(crate) fn shell_code(&self) -> Option<String> {
        self.name().filter(|_| self.quote == Some(Quote::Shell)).map(str::to_owned)
    }

    /// Whether this is how files of this extension are run.
    pub(crate) fn is_for_extension(&self, extension: &str) -> bool {
        matches!(&self.when, When::Extension(extensions) if extensions.iter().any(|known| known == extension))
    }

    /// Changes a configuration.
    pub(crate) fn apply(&self, config: &mut Map<String, Value>) {
        for key in self.changes.keys() {
            config.shift_remove(key);
        }
        merge(config, &self.changes);
    }
}

impl When {
    fn take(changes: &mut Map<String, Value>) -> Option<Self> {
        let extension = |value: Value| match value {
            Value::String(text) => Some(text.trim_start_matches('.').to_owned()),
            _ => None,
        };
        match (changes.shift_remove("when"), changes.shift_remove("when_extension")) {
            (Some(Value::String(name)), None) => Some(Self::Value(name)),
            (None, Some(Value::Array(extensions))) => {
                extensions.into_iter().map(extension).collect::<Option<_>>().map(Self::Extension)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_variant_is_for_a_name_or_for_extensions() {
        let check = |variant: Value, name: Option<&str>, is_for_ts: bool| {
            let mut config = json!({ "variants": [variant] }).as_object().unwrap().clone();
            let variants = Variant::take(&mut config);
            let found = variants.first().map(|one| (one.name(), one.is_for_extension("ts")));
            let expect = (name.is_some() || is_for_ts).then_some((name, is_for_ts));
            assert_eq!((found, config.len()), (expect, 0));
        };
        check(json!({ "when": "script", "args": [] }), Some("script"), false);
        check(json!({ "when_extension": [".ts", "mts"], "args": [] }), None, true);
        check(json!({ "when": "script", "when_extension": ["ts"] }), None, false);
        check(json!({ "when_extension": [1] }), None, false);
        check(json!({ "args": [] }), None, false);
        check(json!("script"), None, false);
    }
}
