//! The layers and the rules on who may use what. This is the only file to change when a crate is added.

/// The crates of the product, lowest first: each may depend on those above it in this list, never on one below.
pub(super) const LAYERS: &[&str] = &[
    "lillux",
    "lillux-cli",
    "rye-item",
    "rye-bundle",
    "rye-metadata",
    "rye-trust",
    "rye-template",
    "rye-env",
    "rye-plan",
    "rye-run",
    "rye-graph",
    "rye-search",
    "rye-engine",
    "rye-mcp",
    "rye",
];

/// Crates beside the product: they may depend on every layer, and nothing may depend on them.
pub(super) const TOOLS: &[&str] = &["rye-bench", "rye-fuzz", "xtask"];

/// Crates of the product that are programs, on which no other crate builds.
pub(super) const PROGRAMS: &[&str] = &["lillux-cli", "rye"];

/// A dependency that only these crates may name themselves, other than in tests.
#[derive(Debug)]
pub(super) struct Reserved {
    pub(super) dependency: &'static str,
    pub(super) only_in: &'static [&'static str],
    pub(super) because: &'static str,
}

pub(super) const RESERVED: &[Reserved] = &[
    Reserved {
        dependency: "rmcp",
        only_in: &["rye-mcp"],
        because: "one crate knows the protocol's library, so that it can be changed in one place",
    },
    Reserved {
        dependency: "clap",
        only_in: &["lillux-cli", "rye", "rye-bench"],
        because: "arguments of a command line are parsed in programs, not in libraries",
    },
];

/// A dependency that a crate may not have at all, not even through another one, other than in tests.
#[derive(Debug)]
pub(super) struct Forbidden {
    pub(super) crate_name: &'static str,
    pub(super) dependencies: &'static [Pattern],
    pub(super) because: &'static str,
}

/// How a forbidden dependency is recognised by its name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pattern {
    Named(&'static str),
    Containing(&'static str),
}

impl Pattern {
    pub(super) fn matches(self, name: &str) -> bool {
        match self {
            Self::Named(word) => name == word,
            Self::Containing(part) => name.contains(part),
        }
    }
}

pub(super) const FORBIDDEN: &[Forbidden] = &[
    Forbidden {
        crate_name: "lillux",
        dependencies: &[
            Pattern::Named("clap"),
            Pattern::Containing("yaml"),
            Pattern::Containing("yml"),
            Pattern::Containing("saphyr"),
        ],
        because: "the microkernel gets resolved values: it parses neither command lines nor configuration",
    },
    Forbidden {
        crate_name: "rye-template",
        dependencies: &[Pattern::Named("tokio"), Pattern::Named("reqwest")],
        because: "templates are pure: text and values in, text and values out",
    },
    Forbidden {
        crate_name: "rye-metadata",
        dependencies: &[Pattern::Named("tokio"), Pattern::Named("reqwest")],
        because: "metadata is pure: bytes in, metadata out",
    },
];
