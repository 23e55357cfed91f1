//! The fields that metadata can have, by name.

use std::fmt;

/// One field of [`Metadata`](crate::Metadata).
///
/// Extractor rules, validation and search weights all name fields by this list, so that a misspelt name is
/// found when the extractor is read and not when a tool silently lacks a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is the field of `Metadata` with the same name")]
pub enum Field {
    Name,
    Title,
    Version,
    ToolType,
    ExecutorId,
    Category,
    Description,
    Doc,
    Tags,
    Config,
    ConfigSchema,
    ConfigResolve,
    EnvConfig,
    Anchor,
    VerifyDeps,
    Worker,
    Sandbox,
    Secrets,
    Inputs,
    Outputs,
    ChildConstraints,
    Entry,
    Requires,
    Annotations,
    Examples,
    Permissions,
    Hooks,
    Server,
    ToolName,
}

impl Field {
    /// Every field, in the order in which they are read and reported.
    pub const ALL: [Self; 29] = [
        Self::Name,
        Self::Title,
        Self::Version,
        Self::ToolType,
        Self::ExecutorId,
        Self::Category,
        Self::Description,
        Self::Doc,
        Self::Tags,
        Self::Config,
        Self::ConfigSchema,
        Self::ConfigResolve,
        Self::EnvConfig,
        Self::Anchor,
        Self::VerifyDeps,
        Self::Worker,
        Self::Sandbox,
        Self::Secrets,
        Self::Inputs,
        Self::Outputs,
        Self::ChildConstraints,
        Self::Entry,
        Self::Requires,
        Self::Annotations,
        Self::Examples,
        Self::Permissions,
        Self::Hooks,
        Self::Server,
        Self::ToolName,
    ];

    /// The name, as extractors and YAML tools spell it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Title => "title",
            Self::Version => "version",
            Self::ToolType => "tool_type",
            Self::ExecutorId => "executor_id",
            Self::Category => "category",
            Self::Description => "description",
            Self::Doc => "doc",
            Self::Tags => "tags",
            Self::Config => "config",
            Self::ConfigSchema => "config_schema",
            Self::ConfigResolve => "config_resolve",
            Self::EnvConfig => "env_config",
            Self::Anchor => "anchor",
            Self::VerifyDeps => "verify_deps",
            Self::Worker => "worker",
            Self::Sandbox => "sandbox",
            Self::Secrets => "secrets",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::ChildConstraints => "child_constraints",
            Self::Entry => "entry",
            Self::Requires => "requires",
            Self::Annotations => "annotations",
            Self::Examples => "examples",
            Self::Permissions => "permissions",
            Self::Hooks => "hooks",
            Self::Server => "server",
            Self::ToolName => "tool_name",
        }
    }

    /// The field called `name`, if there is one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|field| field.as_str() == name)
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl serde::Serialize for Field {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_field() {
        for field in Field::ALL {
            assert_eq!(Field::from_name(field.as_str()), Some(field));
        }
        assert_eq!(Field::from_name("executor"), None);
    }
}
