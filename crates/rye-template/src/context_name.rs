//! The names that the engine gives a value, and no one else.

/// A name of the fixed context.
///
/// No parameter can take the place of one, not even where the context has no value for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContextName {
    /// The file that runs: the verified copy of the tool.
    ToolPath,
    /// The tool's file as it was found.
    ToolSource,
    /// The folder of the tool.
    ToolDir,
    /// The folder above that of the tool.
    ToolParent,
    /// The project's root.
    ProjectPath,
    /// The user space.
    UserSpace,
    /// The system space.
    SystemSpace,
    /// The folder that the runtime's anchor found.
    AnchorPath,
    /// The library folders of the anchor and the runtime, as one search path.
    RuntimeLib,
    /// The folder of the runtime.
    RuntimeDir,
    /// All parameters of the call, as JSON.
    ParamsJson,
    /// The file that describes the MCP server of the tool.
    ServerConfigPath,
    /// The id of the run.
    RunId,
    /// Our own program.
    Rye,
}

impl ContextName {
    /// All names.
    pub const ALL: [Self; 14] = [
        Self::ToolPath,
        Self::ToolSource,
        Self::ToolDir,
        Self::ToolParent,
        Self::ProjectPath,
        Self::UserSpace,
        Self::SystemSpace,
        Self::AnchorPath,
        Self::RuntimeLib,
        Self::RuntimeDir,
        Self::ParamsJson,
        Self::ServerConfigPath,
        Self::RunId,
        Self::Rye,
    ];

    /// The name as it stands in a template, without braces.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolPath => "tool_path",
            Self::ToolSource => "tool_source",
            Self::ToolDir => "tool_dir",
            Self::ToolParent => "tool_parent",
            Self::ProjectPath => "project_path",
            Self::UserSpace => "user_space",
            Self::SystemSpace => "system_space",
            Self::AnchorPath => "anchor_path",
            Self::RuntimeLib => "runtime_lib",
            Self::RuntimeDir => "runtime_dir",
            Self::ParamsJson => "params_json",
            Self::ServerConfigPath => "server_config_path",
            Self::RunId => "run_id",
            Self::Rye => "rye",
        }
    }

    /// The context name that is written so, if there is one.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}
