//! Runs, seen from inside of a run.

use serde_json::json;

use super::{call, refusal, wrong_parameters};
use crate::workshop::{Workshop, eventually};

const LIST: &str = "rye/core/runs/list";
const WAIT: &str = "rye/core/runs/wait";

#[test]
fn a_run_in_the_background_is_seen_and_waited_for() {
    let shop = Workshop::new();
    let space = &shop.space;
    assert_eq!(call(space, LIST, &json!({ "state": "failed" })), json!({ "runs": [] }));
    let tool = shop.shell_tool(
        "my/slow",
        "",
        "cd \"$1\"; until [ -e go ]; do sleep 0.02; done; echo '{\"n\": 1}'; exit 3",
    );
    let id = shop.start(&tool, "{}").to_string();
    let listed = eventually("the run", || {
        let listed = call(space, LIST, &json!({ "item": "my/slow", "state": "running" }));
        (listed["runs"] != json!([])).then_some(listed)
    });
    assert_eq!((&listed["runs"][0]["id"], &listed["runs"][0]["state"]), (&json!(id), &json!("running")));
    let waited = call(space, WAIT, &json!({ "id": id, "timeout": 0.05 }));
    assert_eq!(waited["state"], "running");
    space.write("project/go", "");
    let waited = call(space, WAIT, &json!({ "id": id, "timeout": 30 }));
    assert_eq!((&waited["state"], &waited["exit_code"]), (&json!("failed"), &json!(3)));
    // It does not show itself, so a limit is met by others.
    let last = call(space, LIST, &json!({ "limit": 1 }));
    assert_eq!(last["runs"].as_array().unwrap().len(), 1);
    assert_ne!(last["runs"][0]["state"], "running");
}

#[test]
fn what_is_no_run_is_told() {
    let shop = Workshop::new();
    assert_eq!(refusal(&shop.space, WAIT, &json!({ "id": "069fsrh2" })), "there is no run `069fsrh2`");
    wrong_parameters(&shop.space, WAIT, &json!({ "id": "--help" }));
    wrong_parameters(&shop.space, LIST, &json!({ "state": "happy" }));
    refusal(&shop.space, LIST, &json!({ "item": "//" }));
}
