//! One field of the metadata from the value that a rule found.

use std::path::{Component, Path};

use serde_json::{Map, Value};

use super::{
    Anchor, Annotations, EnvConfig, ExecutorId, Metadata, Port, Secret, ServerRef, VerifyDeps,
    VersionConstraint, Worker,
};
use crate::Field;
use crate::node::{Node, NodeKind, entries_to_map};
use crate::reading::Reading;

impl Metadata {
    /// Reads `node` as the value of `field`; what is wrong with it goes to `reading`.
    pub(crate) fn set(&mut self, field: Field, node: &Node, reading: &mut Reading<'_>) {
        let path = field.as_str();
        if field == Field::ExecutorId {
            self.executor_id = executor_id(reading, path, node);
            return;
        }
        if node.is_null() {
            return;
        }
        match field {
            Field::Name => self.name = reading.filled_text(path, node),
            Field::Title => self.title = reading.text(path, node),
            Field::Version => self.version = reading.filled_text(path, node),
            Field::ToolType => self.tool_type = reading.filled_text(path, node),
            Field::ExecutorId => {}
            Field::Category => self.category = reading.text(path, node),
            Field::Description => self.description = reading.text(path, node),
            Field::Doc => self.doc = reading.text(path, node),
            Field::Tags => self.tags = reading.texts(path, node).unwrap_or_default(),
            Field::Config => self.config = map(reading, path, node),
            Field::ConfigSchema => self.config_schema = schema(reading, path, node),
            Field::ConfigResolve => self.config_resolve = Some(node.to_value()),
            Field::EnvConfig => self.env_config = EnvConfig::read(reading, path, node),
            Field::Anchor => self.anchor = Anchor::read(reading, path, node),
            Field::VerifyDeps => self.verify_deps = VerifyDeps::read(reading, path, node),
            Field::Worker => self.worker = Worker::read(reading, path, node),
            Field::Sandbox => self.sandbox = Some(node.to_value()),
            Field::Secrets => self.secrets = Secret::read_all(reading, path, node).unwrap_or_default(),
            Field::Inputs => self.inputs = Port::read_all(reading, path, node).unwrap_or_default(),
            Field::Outputs => self.outputs = Port::read_all(reading, path, node).unwrap_or_default(),
            Field::ChildConstraints => {
                self.child_constraints = VersionConstraint::read_all(reading, path, node).unwrap_or_default();
            }
            Field::Entry => self.entry = entry(reading, path, node),
            Field::Requires => self.requires = reading.texts(path, node).unwrap_or_default(),
            Field::Annotations => self.annotations = Annotations::read(reading, path, node),
            Field::Examples => self.examples = Some(node.to_value()),
            Field::Permissions => self.permissions = Some(node.to_value()),
            Field::Hooks => self.hooks = Some(node.to_value()),
            Field::Server => self.server = ServerRef::read(reading, path, node),
            Field::ToolName => self.tool_name = reading.filled_text(path, node),
        }
    }

    /// Whether the file gave `field` a value.
    pub(crate) fn has(&self, field: Field) -> bool {
        match field {
            Field::Name => self.name.is_some(),
            Field::Title => self.title.is_some(),
            Field::Version => self.version.is_some(),
            Field::ToolType => self.tool_type.is_some(),
            Field::ExecutorId => !self.executor_id.is_absent(),
            Field::Category => self.category.is_some(),
            Field::Description => self.description.is_some(),
            Field::Doc => self.doc.is_some(),
            Field::Tags => !self.tags.is_empty(),
            Field::Config => self.config.is_some(),
            Field::ConfigSchema => self.config_schema.is_some(),
            Field::ConfigResolve => self.config_resolve.is_some(),
            Field::EnvConfig => self.env_config.is_some(),
            Field::Anchor => self.anchor.is_some(),
            Field::VerifyDeps => self.verify_deps.is_some(),
            Field::Worker => self.worker.is_some(),
            Field::Sandbox => self.sandbox.is_some(),
            Field::Secrets => !self.secrets.is_empty(),
            Field::Inputs => !self.inputs.is_empty(),
            Field::Outputs => !self.outputs.is_empty(),
            Field::ChildConstraints => !self.child_constraints.is_empty(),
            Field::Entry => self.entry.is_some(),
            Field::Requires => !self.requires.is_empty(),
            Field::Annotations => self.annotations.is_some(),
            Field::Examples => self.examples.is_some(),
            Field::Permissions => self.permissions.is_some(),
            Field::Hooks => self.hooks.is_some(),
            Field::Server => self.server.is_some(),
            Field::ToolName => self.tool_name.is_some(),
        }
    }
}

fn executor_id(reading: &mut Reading<'_>, path: &str, node: &Node) -> ExecutorId {
    if node.is_null() {
        return ExecutorId::Primitive;
    }
    reading.filled_text(path, node).map_or(ExecutorId::Absent, ExecutorId::Id)
}

fn map(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Map<String, Value>> {
    reading.entries(path, node).map(entries_to_map)
}

fn schema(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Value> {
    match node.kind {
        // JSON Schema knows `true` and `false` too.
        NodeKind::Bool(_) => Some(node.to_value()),
        _ => map(reading, path, node).map(Value::Object),
    }
}

/// A relative path that cannot leave the item's folder.
fn entry(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<String> {
    let text = reading.filled_text(path, node)?;
    let text = text.strip_prefix("./").unwrap_or(&text);
    let stays = Path::new(text).components().all(|part| matches!(part, Component::Normal(_)));
    if !stays || text.contains(['\\', ':']) {
        reading.error(
            path,
            node.at,
            format!("must be a relative path below the item's folder, not `{text}`"),
        );
        return None;
    }
    Some(text.to_owned())
}
