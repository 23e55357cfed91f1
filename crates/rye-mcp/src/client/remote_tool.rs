//! A tool as its server describes it.

use lillux::Digest;
use rmcp::model::Tool;
use serde_json::{Map, Value, json};

/// A tool as its server describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct RemoteTool {
    /// Its name there.
    pub name: String,
    /// A title for people.
    pub title: Option<String>,
    /// What it does.
    pub description: String,
    /// The JSON Schema of its parameters.
    pub input_schema: Map<String, Value>,
    /// What it says about its effects.
    pub hints: Hints,
}

/// A tool with the digest of what its server says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct PinnedTool {
    /// What its server says.
    pub tool: RemoteTool,
    /// The digest.
    pub pin: Digest,
}

/// What a tool says about its effects. Nobody has checked it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Calling it twice is like calling it once.
    pub idempotent: Option<bool>,
    /// It talks to the world outside.
    pub open_world: Option<bool>,
}

impl RemoteTool {
    /// The digest of everything that an operator was shown when the tool was imported. It is the same for the same
    /// description, in whatever order the server sends the keys.
    #[must_use]
    pub fn pin(&self) -> Digest {
        let described = json!({
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.hints.to_value(),
        });
        Digest::of(sorted(described).to_string().as_bytes())
    }
}

impl From<RemoteTool> for PinnedTool {
    fn from(tool: RemoteTool) -> Self {
        Self { pin: tool.pin(), tool }
    }
}

impl Hints {
    /// The hints under the names that tools in YAML have.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let hints = [
            ("read_only", self.read_only),
            ("destructive", self.destructive),
            ("idempotent", self.idempotent),
            ("open_world", self.open_world),
        ];
        hints
            .into_iter()
            .filter_map(|(name, hint)| Some((name.to_owned(), hint?.into())))
            .collect::<Map<_, _>>()
            .into()
    }
}

impl From<Tool> for RemoteTool {
    fn from(tool: Tool) -> Self {
        let annotations = tool.annotations.unwrap_or_default();
        Self {
            name: tool.name.into_owned(),
            title: tool.title.or(annotations.title),
            description: tool.description.map(std::borrow::Cow::into_owned).unwrap_or_default(),
            input_schema: Map::clone(&tool.input_schema),
            hints: Hints {
                read_only: annotations.read_only_hint,
                destructive: annotations.destructive_hint,
                idempotent: annotations.idempotent_hint,
                open_world: annotations.open_world_hint,
            },
        }
    }
}

/// The value with the keys of all its maps in order: what is said, and not how.
#[must_use]
pub fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
            entries.into_iter().collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(description: &str, schema: Value, read_only: bool) -> RemoteTool {
        let Value::Object(input_schema) = schema else { panic!("a schema is a map") };
        RemoteTool {
            name: "t".to_owned(),
            title: None,
            description: description.to_owned(),
            input_schema,
            hints: Hints { read_only: Some(read_only), ..Hints::default() },
        }
    }

    #[test]
    fn a_pin_is_about_what_is_said_and_not_how() {
        let pin = tool("d", json!({"type": "object", "properties": {"a": {}, "b": {}}}), true).pin();
        let reordered = json!({"properties": {"b": {}, "a": {}}, "type": "object"});
        assert_eq!(tool("d", reordered.clone(), true).pin(), pin);
        assert_ne!(tool("e", reordered.clone(), true).pin(), pin);
        assert_ne!(tool("d", reordered, false).pin(), pin);
        assert_ne!(tool("d", json!({"type": "object", "properties": {"a": {}}}), true).pin(), pin);
    }
}
