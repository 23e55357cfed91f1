//! A project with graphs, and tools for their steps.

use rye_graph::Event;
use rye_graph::driver::{GraphRuns, RunSummary};

use crate::space::Call;
use crate::workshop::Workshop;

/// A tool that writes a line for each time that it runs, and one more for the effect, which is there once for a key.
const EFFECT: &str = include_str!("effect.yaml");

/// A graph of forty steps: a chain, a list, attempts that fail, and a way out of a failure. The benchmark that kills runs has
/// the same one.
pub(crate) const FORTY_STEPS: &str = include_str!("forty_steps.yaml");

/// A tool that always fails.
const BROKEN: &str = r#"version: "1.0.0"
tool_type: command
executor_id: rye/core/primitives/execute
description: Fails
annotations: {idempotent: true}
config_schema: {type: object}
config: {command: /bin/bash, args: ["-c", "echo broken >&2; exit 3"], timeout: 60}
"#;

/// A text, which is answered without a process.
const TEXT: &str = "---\nname: say\ndescription: Says something\nversion: 1.0.0\n---\nHello {input:who?}\n";

pub(crate) struct Yard {
    pub(crate) shop: Workshop,
}

impl Yard {
    /// A project with those tools.
    pub(crate) fn new() -> Self {
        let shop = Workshop::new();
        for (name, text) in [("demo/effect", EFFECT), ("demo/broken", BROKEN)] {
            shop.signed(name, "yaml", text);
        }
        shop.space.write("project/.ai/directives/say.md", TEXT);
        let yard = Self { shop };
        assert!(yard.rye(["sign", "say", "--kind", "directive"]).output().status.success());
        yard
    }

    /// Writes a graph and signs it. `body` is what is below `config`, indented by two.
    pub(crate) fn graph(&self, id: &str, permissions: &str, body: &str) {
        self.shop.signed(id, "yaml", &text(permissions, body));
    }

    pub(crate) fn rye<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Call<'_> {
        self.shop.space.rye(args)
    }

    pub(crate) fn runs(&self) -> GraphRuns {
        GraphRuns::new(self.shop.space.path("project/.ai/state/graphs"))
    }

    /// The newest run.
    pub(crate) fn last(&self) -> RunSummary {
        self.runs().list().unwrap().remove(0).summary.unwrap()
    }

    /// The lines that steps have left in a file.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.shop.space.path("home").join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// The calls that a run has on record as done.
    pub(crate) fn done(&self, run: &str) -> Vec<String> {
        let mut done = Vec::new();
        let journal = self.runs().open(run).unwrap();
        journal
            .history(&mut |past| {
                if let Some(Event::StepSucceeded { step, .. }) = past.event {
                    done.push(step.call());
                }
                true
            })
            .unwrap();
        done
    }
}

/// The file of a graph.
pub(crate) fn text(permissions: &str, body: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: A graph\n\
        permissions: {{execute: [{permissions}]}}\nconfig:\n{body}"
    )
}
