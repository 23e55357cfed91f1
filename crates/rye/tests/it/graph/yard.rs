//! A project with graphs, and tools for their steps.

use std::fmt::Write as _;

use rye_graph::Event;
use rye_graph::driver::{GraphRuns, RunSummary};

use crate::space::Call;
use crate::workshop::Workshop;

/// A tool that writes a line for each time that it runs, and one more for the effect, which is there once for a key.
const EFFECT: &str = r#"version: "1.0.0"
tool_type: command
executor_id: rye/core/primitives/execute
description: Leaves a line
annotations: {idempotent: true}
config_schema: {type: object}
config:
  command: /bin/bash
  args:
    - "-c"
    - |
      echo "$RYE_STEP_ID" >> "$HOME/ran"
      exec 9>>"$HOME/lock"; flock 9
      grep -qxF "$RYE_IDEMPOTENCY_KEY" "$HOME/effects" 2>/dev/null || echo "$RYE_IDEMPOTENCY_KEY" >> "$HOME/effects"
      echo '{"ok": true}'
  timeout: 60
"#;

/// A tool that fails for the first two attempts.
const FLAKY: &str = r#"version: "1.0.0"
tool_type: command
executor_id: rye/core/primitives/execute
description: Fails twice
annotations: {idempotent: true}
config_schema: {type: object}
config:
  command: /bin/bash
  args:
    - "-c"
    - |
      echo "$RYE_STEP_ID" >> "$HOME/ran"
      case "$RYE_STEP_ID" in *@1|*@2) echo no >&2; exit 7;; esac
      exec 9>>"$HOME/lock"; flock 9
      grep -qxF "$RYE_IDEMPOTENCY_KEY" "$HOME/effects" 2>/dev/null || echo "$RYE_IDEMPOTENCY_KEY" >> "$HOME/effects"
      echo '{"ok": true}'
  timeout: 60
"#;

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
        for (name, text) in [("demo/effect", EFFECT), ("demo/flaky", FLAKY), ("demo/broken", BROKEN)] {
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

/// A graph of some forty steps: a chain, a list, attempts that fail, and ways out of a failure.
pub(crate) fn forty_steps() -> String {
    let mut body = "  start: n0\n  nodes:\n".to_owned();
    for index in 0..12 {
        let next = if index == 11 { "list".to_owned() } else { format!("n{}", index + 1) };
        writeln!(body, "    n{index}: {{action: {{item_id: demo/effect}}, next: {next}}}").unwrap();
    }
    body.push_str(
        "    list:\n      type: foreach\n      over: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n      as: i\n      parallel: 4\n      \
        action: {item_id: demo/effect, params: {i: '${i}'}}\n      collect: all\n      next: flaky\n    \
        flaky:\n      action: {item_id: demo/flaky}\n      retry: {max: 3, backoff: 10ms, jitter: 1}\n      next: broken\n    \
        broken:\n      action: {item_id: demo/broken}\n      on_error: m0\n      next: lost\n    \
        lost: {type: return, output: never}\n",
    );
    for index in 0..12 {
        let next = if index == 11 { "done".to_owned() } else { format!("m{}", index + 1) };
        writeln!(
            body,
            "    m{index}: {{action: {{item_id: demo/effect}}, on_interrupt: retry, next: {next}}}"
        )
        .unwrap();
    }
    body.push_str("    done: {type: return, output: {all: '${state.all}', error: '${error.node}'}}\n");
    body
}
