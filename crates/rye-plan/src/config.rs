//! The configuration of a chain.

use std::collections::BTreeSet;

use rye_template::names_in;
use serde_json::{Map, Value};

/// The configuration of a chain: what the primitive is given, and what stands for placeholders in it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ChainConfig {
    /// What the primitive is given, not yet filled in.
    pub config: Map<String, Value>,
    /// Values of one element that fill placeholders of the elements below it.
    pub names: Map<String, Value>,
}

impl ChainConfig {
    /// Joins the configurations of a chain, the primitive's first. Maps are joined key by key, and of everything else
    /// the later one counts.
    ///
    /// A key for which the elements below have a placeholder fills that placeholder and is not joined: a tool's
    /// `command` for a runtime that says `{command}` is not the program to run.
    #[must_use]
    pub fn join<'a>(configs: impl IntoIterator<Item = &'a Map<String, Value>>) -> Self {
        let mut joined = Self::default();
        for config in configs {
            let placeholders: BTreeSet<String> =
                joined.config.values().flat_map(names_in).map(str::to_owned).collect();
            for (key, value) in config {
                if placeholders.contains(key) {
                    joined.names.insert(key.clone(), value.clone());
                } else {
                    put(&mut joined.config, key, value);
                }
            }
        }
        joined
    }
}

fn put(config: &mut Map<String, Value>, key: &str, value: &Value) {
    match (config.get_mut(key), value) {
        (Some(Value::Object(old)), Value::Object(new)) => merge(old, new),
        _ => {
            config.insert(key.to_owned(), value.clone());
        }
    }
}

/// Joins two maps: maps in them key by key, and of everything else the later one counts.
pub(crate) fn merge(base: &mut Map<String, Value>, over: &Map<String, Value>) {
    for (key, value) in over {
        put(base, key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(configs: &[Value], config: Value, names: Value) {
        let maps: Vec<_> = configs.iter().map(|config| config.as_object().unwrap()).collect();
        let joined = ChainConfig::join(maps);
        assert_eq!((Value::Object(joined.config), Value::Object(joined.names)), (config, names));
    }

    #[test]
    fn later_elements_win() {
        check(&[], json!({}), json!({}));
        check(
            &[
                json!({"timeout": 300, "env": {"A": "1", "B": "2"}}),
                json!({"args": ["x"], "timeout": 60, "env": {"B": "3"}}),
                json!({"args": [], "env": {"C": "4"}}),
            ],
            json!({"timeout": 60, "env": {"A": "1", "B": "3", "C": "4"}, "args": []}),
            json!({}),
        );
        check(&[json!({"a": {"x": 1}}), json!({"a": 2})], json!({"a": 2}), json!({}));
        check(&[json!({"a": 2}), json!({"a": {"x": 1}})], json!({"a": {"x": 1}}), json!({}));
    }

    #[test]
    fn what_fills_a_placeholder_is_not_joined() {
        check(
            &[
                json!({"command": "/bin/sh", "args": ["-c", "{command}"], "timeout": 300}),
                json!({"command": "ls -la", "timeout": 10}),
            ],
            json!({"command": "/bin/sh", "args": ["-c", "{command}"], "timeout": 10}),
            json!({"command": "ls -la"}),
        );
    }
}
