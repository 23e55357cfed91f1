//! What `rye execute` leaves behind: records of its runs, and runs in the background.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::space::Call;
use crate::workshop::{Workshop, eventually, own_time, processes_with};

const VALUE: &str = "hunter2-hunter2-hunter2";

/// `rye execute` of a tool with these parameters.
fn execute<'a>(shop: &'a Workshop, tool: &str, parameters: &Value, more: &[&str]) -> Call<'a> {
    let parameters = parameters.to_string();
    let args = ["execute", tool, "--params", &parameters].into_iter().chain(more.iter().copied());
    shop.space.rye(args).set("PATH", "/usr/bin:/bin")
}

#[test]
fn a_run_is_recorded() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "cat");
    let output = execute(&shop, "my/tool", &json!({ "name": "World" }), &[]).output();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), r#"{"name":"World"}"#);
    let runs = shop.runs([]).json();
    let id = runs["runs"][0]["id"].as_str().unwrap();
    assert_eq!(runs["runs"][0]["state"], "succeeded");
    assert_eq!(shop.runs(["show", id]).json()["parameters"], json!({ "name": "World" }));
}

#[test]
fn a_run_can_be_cancelled_from_another_terminal() {
    let (shop, time) = (Workshop::new(), own_time());
    shop.shell_tool(
        "my/tool",
        "",
        &"trap '' TERM\nsetsid -f sleep TIME\nwhile :; do sleep TIME; done".replace("TIME", &time),
    );
    let call = execute(&shop, "my/tool", &json!({}), &[]);
    let child = call.command().stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let id = eventually("it runs", || shop.runs([]).json()["runs"][0]["id"].as_str().map(ToOwned::to_owned));
    assert_eq!(shop.runs(["cancel", &id]).json()["state"], "cancelled");
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(processes_with(&time), Vec::<u32>::new());
}

#[test]
fn an_id_is_all_that_a_run_in_the_background_answers() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "sleep 0.2; echo done");
    let started = execute(&shop, "my/tool", &json!({}), &["--async"]).json();
    let id = started["run_id"].as_str().unwrap();
    assert_eq!(shop.runs(["wait", id, "--timeout", "30"]).output().status.code(), Some(0));
    assert_eq!(shop.runs(["logs", id]).output().stdout, b"done\n");
}

#[test]
fn records_that_cannot_be_written_are_a_warning() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "", "echo hello");
    shop.space.write("project/.ai/state/runs.sqlite3", "this is not a database, but a text of some length");
    let output = execute(&shop, "my/tool", &json!({}), &[]).output();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(output.stdout, b"hello\n");
}

#[test]
fn a_secret_does_not_show() {
    let shop = Workshop::new();
    shop.space.write("elsewhere/value", VALUE);
    let file = shop.space.path("elsewhere/value");
    shop.space.rye(["secret", "set", "API_TOKEN", "--from-file", file.to_str().unwrap()]).output();
    let script = "cat; echo \"out $API_TOKEN\"; echo \"err $API_TOKEN\" >&2; exit 3";
    shop.shell_tool("my/tool", "# secrets: API_TOKEN\n", script);
    for more in [&[][..], &["--json"], &["--trace"], &["--dry-run"]] {
        let output = execute(&shop, "my/tool", &json!({ "header": VALUE }), more).output();
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert!(text.contains("***") && !text.contains(VALUE), "{more:?}: {text}");
    }
    let record = shop.runs(["show", "0"]).output();
    assert!(!String::from_utf8(record.stdout).unwrap().contains(VALUE));
}

#[test]
fn a_missing_secret_says_how_to_set_it() {
    let shop = Workshop::new();
    shop.shell_tool("my/tool", "# secrets: API_TOKEN\n", "echo hello");
    let output = execute(&shop, "my/tool", &json!({}), &[]).output();
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("my/tool") && text.contains("rye secret set API_TOKEN"), "{text}");
}
