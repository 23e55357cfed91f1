//! The part of the demo about state graphs.

use super::stage::{Expect, Stage};
use crate::error::TaskError;

/// Greets each person of a list, three at a time.
const GRAPH: &str = r#"version: "1.0.0"
tool_type: graph
executor_id: rye/core/runtimes/state-graph/runtime
description: Greets everybody on a list

config_schema:
  type: object
  properties:
    people: {type: array, items: {type: string}, description: Whom to greet}
  required: [people]

permissions:
  execute: [TOOL]

config:
  start: greet
  nodes:
    greet:
      type: foreach
      over: "${inputs.people}"
      as: person
      parallel: 3
      action:
        primary: execute
        item_type: tool
        item_id: TOOL
        params: {name: "${person}"}
      collect: greetings
      next: done
    done:
      type: return
      output: {greetings: "${state.greetings}"}
"#;

/// Draws and runs a graph that executes a tool for each element of a list.
pub(super) fn greet_everybody(stage: &Stage<'_>, tool: &str) -> Result<(), TaskError> {
    let path = stage.project().join(".ai/tools/demo/everybody.yaml");
    std::fs::write(&path, GRAPH.replace("TOOL", tool)).map_err(|source| TaskError::File {
        action: "write",
        path,
        source,
    })?;
    stage.show("sign demo/everybody", Expect::Success, 4)?;
    stage.show("graph validate demo/everybody", Expect::Success, 10)?;
    stage.show("graph show demo/everybody", Expect::Success, 30)?;
    stage.show(r#"graph run demo/everybody --people ["Ada","Grace","Barbara"]"#, Expect::Success, 20)?;
    Ok(())
}
