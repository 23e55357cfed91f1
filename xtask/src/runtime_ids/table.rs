//! The words that are looked for, and where they may stand.

/// Interpreters by the names under which they are started.
pub(super) const INTERPRETERS: &[&str] = &["python", "python3", "node", "tsx", "ruby", "bash", "deno"];

/// Where the folders called `runtimes` are looked for.
pub(super) const BUNDLED_TOOLS: &str = "bundle/.ai/tools";

/// A place where such a name is meant to be.
#[derive(Debug)]
pub(super) struct Exception {
    /// A file or a folder, below the root of the workspace.
    pub(super) path: &'static str,
    pub(super) names: Names,
    /// For the reader of this table.
    #[expect(dead_code, reason = "an exception without a reason does not compile")]
    pub(super) because: &'static str,
}

/// Which names an exception covers.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names {
    All,
    Only(&'static [&'static str]),
}

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        path: "crates/rye-metadata/src",
        names: Names::All,
        because: "it holds a parser for each language that can carry metadata",
    },
    Exception {
        path: "crates/rye-env/src/resolvers",
        names: Names::All,
        because: "each file is one way to find an interpreter, and knows that interpreter's layout",
    },
    Exception {
        path: "crates/rye/src/mcp/tool_file.rs",
        names: Names::Only(&["rye/core/runtimes/mcp/stdio", "rye/core/runtimes/mcp/http"]),
        because: "the files of imported tools name the runtime that calls their server",
    },
    Exception {
        path: "crates/rye-graph/src",
        names: Names::Only(&["node"]),
        because: "a state graph is made of nodes",
    },
    Exception {
        path: "crates/rye-graph/src/conformance",
        names: Names::Only(&["node", "rye/core/runtimes/state-graph/runtime"]),
        because: "the graphs that drivers are tested with name the runtime of all graphs",
    },
    Exception {
        path: "crates/rye/src/graph",
        names: Names::Only(&["node"]),
        because: "a state graph is made of nodes",
    },
];
