//! Runs that outlive whoever started them.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rye_engine::{ErrorCode, ExecuteRequest};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::parameters::Parameters;
use serde_json::json;

use crate::workshop::{Workshop, eventually, own_time, processes_with};

#[test]
fn a_run_in_the_background_keeps_its_output_and_tells_its_end() {
    let shop = Workshop::new();
    let script = "cat; echo; until [ -e go ]; do sleep 0.02; done; echo late; echo oops >&2; exit 3";
    let tool = shop.shell_tool("my/tool", "", &format!("cd \"$1\"\n{script}"));
    let id = shop.start(&tool, r#"{"name": "World"}"#);
    let text = id.to_string();
    eventually("its first line", || {
        let logs = shop.runs(["logs", &text]).output();
        (logs.stdout == b"{\"name\":\"World\"}\n").then_some(())
    });
    let shown = shop.show(id);
    assert_eq!(shown["state"], "running");
    assert_eq!(shown["parameters"], json!({ "name": "World" }));
    assert_eq!(shown["chain"].as_array().unwrap().len(), 3);
    let waited = shop.runs(["wait", &text, "--timeout", "0.05"]).output();
    assert_eq!(waited.status.code(), Some(3));
    let listed = shop.runs(["--state", "running"]).json();
    assert_eq!(listed["runs"][0]["id"], json!(text));

    let mut command = shop.runs(["logs", &text, "--follow"]).command();
    let reader = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    shop.space.write("project/go", "");
    let waited = shop.runs(["wait", &text, "--timeout", "30"]).output();
    assert_eq!(waited.status.code(), Some(1), "{waited:?}");
    let followed = reader.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(followed.stdout).unwrap(), "{\"name\":\"World\"}\nlate\n");
    assert_eq!(shop.runs(["logs", &text, "--stderr"]).output().stdout, b"oops\n");
    let shown = shop.show(id);
    assert_eq!((&shown["state"], &shown["exit_code"]), (&json!("failed"), &json!(3)));
    assert_eq!(shown["stderr"]["bytes"], 5);
    assert_eq!(shown["stdout"]["path"], json!(shop.output(id).join("stdout")));
    let mut files: Vec<_> = std::fs::read_dir(shop.output(id)).unwrap().flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let names: Vec<_> = files.iter().map(std::fs::DirEntry::file_name).collect();
    assert_eq!(names, ["stderr", "stdout"]);
    assert!(files.iter().all(|file| file.metadata().unwrap().permissions().mode() & 0o777 == 0o600));
    assert_eq!(processes_with(&text), Vec::<u32>::new());
}

#[test]
fn a_python_tool_succeeds_in_the_background() {
    let shop = Workshop::new();
    let tool = shop.signed(
        "my/double",
        "py",
        "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python/function\"\n\n\ndef main(number):\n    return {\"double\": 2 * number}\n",
    );
    let id = shop.start(&tool, r#"{"number": 21}"#).to_string();
    let waited = shop.runs(["wait", &id]).output();
    assert_eq!(waited.status.code(), Some(0), "{waited:?}");
    assert_eq!(shop.runs(["logs", &id]).output().stdout, b"{\"double\": 42}\n");
}

#[test]
fn what_cannot_run_is_told_at_once_and_has_no_record() {
    let shop = Workshop::new();
    let schema = "# config_schema: {type: object, properties: {name: {type: string}}, required: [name]}\n";
    let tool = shop.shell_tool("my/tool", schema, "echo hello");
    let missing = ItemRef::new(ItemKind::Tool, ItemId::new("my/other").unwrap());
    let text = ItemRef::new(ItemKind::Knowledge, ItemId::new("my/text").unwrap());
    for (item, code) in [
        (tool, ErrorCode::ParamsInvalid),
        (missing, ErrorCode::ItemNotFound),
        (text, ErrorCode::ParamsInvalid),
    ] {
        let error = shop.engine().start_async(&ExecuteRequest::new(item)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
    }
    assert!(!shop.space.path("project/.ai/state").exists());
}

#[test]
fn cancelling_leaves_no_process() {
    let (shop, time) = (Workshop::new(), own_time());
    let script = "trap '' TERM INT HUP\nsetsid bash -c 'trap \"\" TERM; (setsid sleep TIME &); sleep TIME' &\nsetsid -f sleep TIME\necho ready > \"$1/ready\"\nwhile :; do sleep TIME; done".replace("TIME", &time);
    let tool = shop.shell_tool("my/stubborn", "", &script);
    let id = shop.start(&tool, "{}");
    shop.wait_for_file("project/ready");
    eventually("its processes", || (processes_with(&time).len() >= 3).then_some(()));
    let cancelled = shop.runs(["cancel", &id.to_string()]).json();
    assert_eq!(cancelled, json!({ "id": id, "was_running": true, "state": "cancelled" }));
    assert_eq!(processes_with(&time), Vec::<u32>::new());
    assert_eq!(processes_with(&id.to_string()), Vec::<u32>::new());
    let shown = shop.show(id);
    assert_eq!((&shown["state"], &shown["error"]), (&json!("cancelled"), &json!("CANCELLED")));
    let again = shop.runs(["cancel", &id.to_string()]).output();
    assert_eq!(again.status.code(), Some(1));
    assert_eq!(shop.runs(["wait", &id.to_string()]).output().status.code(), Some(1));
}

#[test]
fn a_run_whose_supervisor_is_killed_is_lost_and_its_tool_is_gone() {
    let (shop, time) = (Workshop::new(), own_time());
    let script = "setsid -f sleep TIME\necho ready > \"$1/ready\"\nwhile :; do sleep TIME; done"
        .replace("TIME", &time);
    let tool = shop.shell_tool("my/tool", "", &script);
    let id = shop.start(&tool, "{}");
    shop.wait_for_file("project/ready");
    let supervisor = shop.show(id)["supervisor"].as_str().unwrap().to_owned();
    let pid: i32 = supervisor.split(':').next().unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    eventually("it is lost", || (shop.show(id)["state"] == "lost").then_some(()));
    eventually("its processes are gone", || processes_with(&time).is_empty().then_some(()));
    assert_eq!(shop.runs(["wait", &id.to_string()]).output().status.code(), Some(1));
}

#[test]
fn a_supervisor_that_is_asked_to_end_cancels_its_run() {
    let (shop, time) = (Workshop::new(), own_time());
    let tool =
        shop.shell_tool("my/tool", "", &"echo ready > \"$1/ready\"\nexec sleep TIME".replace("TIME", &time));
    let id = shop.start(&tool, "{}");
    shop.wait_for_file("project/ready");
    let supervisor = shop.show(id)["supervisor"].as_str().unwrap().to_owned();
    let pid: i32 = supervisor.split(':').next().unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    eventually("it is cancelled", || (shop.show(id)["state"] == "cancelled").then_some(()));
    assert_eq!(processes_with(&time), Vec::<u32>::new());
}

#[test]
fn a_time_limit_holds_in_the_background() {
    let shop = Workshop::new();
    let tool = shop.shell_tool("my/tool", "", "sleep 3614");
    let request = ExecuteRequest {
        timeout: Some(Duration::from_millis(200)),
        parameters: Parameters::default(),
        ..ExecuteRequest::new(tool)
    };
    let id = shop.engine().start_async(&request).unwrap();
    assert_eq!(shop.runs(["wait", &id.to_string()]).output().status.code(), Some(1));
    assert_eq!(shop.show(id)["state"], "timed_out");
}

#[test]
fn many_runs_in_the_background_are_all_recorded() {
    let shop = Workshop::new();
    let tool = shop.shell_tool("my/nap", "", "sleep 0.1; echo done");
    std::thread::scope(|scope| {
        for _ in 0..32 {
            scope.spawn(|| shop.start(&tool, "{}"));
        }
    });
    eventually("all have ended", || {
        let ended = shop.runs(["--state", "succeeded", "--limit", "100"]).json();
        (ended["runs"].as_array().unwrap().len() == 32).then_some(())
    });
    let all = shop.runs(["--limit", "100"]).json();
    assert_eq!(all["runs"].as_array().unwrap().len(), 32);
}
