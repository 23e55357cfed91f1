//! Servers that do not do what they should.

use std::process::Stdio;

use super::workspace::{with_tools, write_server};
use crate::space::TestSpace;
use crate::workshop::{eventually, own_time, processes_with};

/// What a call of the server says that fails.
fn failure(space: &TestSpace, more: &[&str]) -> String {
    let run = ["execute", "mcp/demo/add", "--a", "1", "--b", "2"];
    let output = space.rye(run.iter().chain(more).copied()).output();
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_server_that_prints_other_things_is_understood_all_the_same() {
    let space = with_tools();
    write_server(&space, "print('Welcome!\\n\\n[WARN] {not json', flush=True)\n");
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
    assert_eq!(report["data"]["sum"], 3, "{report}");
}

#[test]
fn a_server_that_prints_nothing_else_is_named() {
    let space = with_tools();
    write_server(
        &space,
        "print('I am no server', flush=True)\nprint('really', file=sys.stderr)\nsys.exit(4)\n",
    );
    let said = failure(&space, &[]);
    assert!(said.contains("its program exited with code 4"), "{said}");
    assert!(said.contains("no message: I am no server"), "{said}");
    assert!(said.contains("its standard error ends with:\nreally"), "{said}");
}

#[test]
fn a_server_that_never_answers_is_ended_when_the_time_is_up() {
    let space = with_tools();
    let time = own_time();
    write_server(
        &space,
        &format!(
            "def call(message, arguments):\n    print('thinking', file=sys.stderr, flush=True)\n    subprocess.run(['sleep', '{time}'])\n"
        ),
    );
    let said = failure(&space, &["--timeout", "2"]);
    assert!(said.contains("[TIMEOUT]") && said.contains("thinking"), "{said}");
    assert_eq!(processes_with(&time), [0_u32; 0]);
}

#[test]
fn a_server_that_does_not_even_begin_is_ended_too() {
    let space = with_tools();
    let time = own_time();
    write_server(&space, &format!("subprocess.run(['sleep', '{time}'])\n"));
    let said = failure(&space, &["--timeout", "1"]);
    assert!(said.contains("[TIMEOUT]"), "{said}");
    assert_eq!(processes_with(&time), [0_u32; 0]);
}

#[test]
fn a_server_that_dies_while_it_works_is_no_riddle() {
    let space = with_tools();
    write_server(
        &space,
        "def call(message, arguments):\n    sys.stderr.write('out of luck\\n')\n    os.kill(os.getpid(), 9)\n",
    );
    let said = failure(&space, &[]);
    assert!(said.contains("its program was ended by signal 9") && said.contains("out of luck"), "{said}");
}

#[test]
fn a_message_that_is_far_too_long_is_not_read_to_its_end() {
    let space = with_tools();
    write_server(
        &space,
        "def call(message, arguments):\n    for _ in range(100):\n        sys.stdout.write('x' * 1000000)\n    sys.stdout.write('\\n')\n    sys.stdout.flush()\n    time.sleep(3600)\n",
    );
    let said = failure(&space, &[]);
    assert!(
        said.contains("a message of more than 16777216 bytes") && said.contains("[OUTPUT_LIMIT]"),
        "{said}"
    );
}

#[test]
fn what_a_server_leaves_behind_is_ended_with_it() {
    let space = with_tools();
    let time = own_time();
    write_server(
        &space,
        &format!(
            "subprocess.Popen(['setsid', 'sh', '-c', 'trap \"\" TERM HUP; sleep {time} & sleep {time}'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        ),
    );
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
    assert_eq!(report["data"]["sum"], 3, "{report}");
    assert_eq!(processes_with(&time), [0_u32; 0]);
}

/// A server that works until it is ended, and writes down that it was told to stop.
fn endless(space: &TestSpace, time: &str) {
    let note = space.path("elsewhere/cancelled");
    let change = format!(
        r#"
import threading
def call(message, arguments):
    threading.Thread(target=lambda: subprocess.run(['sleep', '{time}']), daemon=True).start()
plain = handle
def handle(message):
    if message.get("method") == "notifications/cancelled":
        open("{}", "w").write("yes\n")
    plain(message)
"#,
        note.display()
    );
    write_server(space, &change);
}

#[test]
fn a_call_that_is_cancelled_leaves_nothing() {
    let space = with_tools();
    let time = own_time();
    endless(&space, &time);
    let run = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]);
    let mut child = run.command().stderr(Stdio::null()).spawn().unwrap();
    eventually("the call goes on", || (!processes_with(&time).is_empty()).then_some(()));
    interrupt(child.id());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(processes_with(&time), [0_u32; 0]);
}

#[test]
fn a_server_is_told_of_a_cancellation() {
    let space = with_tools();
    let time = own_time();
    endless(&space, &time);
    let file = space.path("project/.ai/tools/mcp/servers/demo.yaml");
    let call = space.rye(["mcp", "call", "--server-config", file.to_str().unwrap(), "--tool", "add"]);
    let child = call.command().stderr(Stdio::piped()).spawn().unwrap();
    eventually("the call goes on", || (!processes_with(&time).is_empty()).then_some(()));
    interrupt(child.id());
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("[CANCELLED]"), "{said}");
    assert_eq!(space.read("elsewhere/cancelled"), "yes\n");
    assert_eq!(processes_with(&time), [0_u32; 0]);
}

#[expect(clippy::disallowed_methods, reason = "a signal as a person sends it")]
fn interrupt(pid: u32) {
    let status = std::process::Command::new("/bin/kill").args(["-INT", &pid.to_string()]).status();
    assert!(status.unwrap().success());
}

#[test]
fn a_tool_that_says_that_it_failed_has_failed() {
    let space = with_tools();
    write_server(
        &space,
        "def call(message, arguments):\n    answer(message, {'content': [{'type': 'text', 'text': 'the disk is full'}], 'isError': True})\n",
    );
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
    assert_eq!((&report["status"], &report["exit_code"]), (&"error".into(), &1.into()), "{report}");
    assert!(report["stderr"].as_str().unwrap().contains("error: the disk is full"), "{report}");
}

#[test]
fn an_error_of_the_protocol_is_told() {
    let space = with_tools();
    write_server(
        &space,
        "def call(message, arguments):\n    send({'jsonrpc': '2.0', 'id': message['id'], 'error': {'code': -32000, 'message': 'not today'}})\n",
    );
    assert!(failure(&space, &[]).contains("it answered with the error -32000: not today"));
}

#[test]
fn a_list_of_tools_without_an_end_is_given_up() {
    let space = with_tools();
    write_server(
        &space,
        r#"
plain = handle
def handle(message):
    if message.get("method") == "tools/list":
        answer(message, {"tools": [], "nextCursor": "more"})
    else:
        plain(message)
"#,
    );
    assert!(failure(&space, &[]).contains("its list of tools has no end"));
}

#[test]
fn progress_is_passed_on() {
    let space = with_tools();
    write_server(
        &space,
        r#"
def call(message, arguments):
    token = message["params"]["_meta"]["progressToken"]
    for step in (1, 2):
        send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token, "progress": step, "total": 2, "message": "step %d" % step}})
    send({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "warning", "data": "slowly"}})
    answer(message, {"content": []})
"#,
    );
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
    let said = report["stderr"].as_str().unwrap();
    assert!(said.contains("progress: 1/2 step 1\nprogress: 2/2 step 2\nwarning: slowly"), "{report}");
    assert!(report["data"].is_null());
}

#[test]
fn a_server_that_tells_secrets_is_not_imported() {
    let space = with_tools();
    space.rye(["secret", "set", "WORD"]).read("secret-word-1234");
    let server = space.path("elsewhere/server.py");
    let command = [
        "mcp",
        "add",
        "other",
        "--yes",
        "--env",
        "WORD=${WORD}",
        "--",
        "/usr/bin/python3",
        server.to_str().unwrap(),
    ];
    write_server(&space, "TOOL['description'] = 'I know ' + os.environ['WORD']\n");
    let told = String::from_utf8(space.rye(command).output().stderr).unwrap();
    assert!(
        told.contains("has a secret in its description of `add`") && !told.contains("word-1234"),
        "{told}"
    );
    write_server(&space, "sys.exit('my word is ' + os.environ['WORD'])\n");
    let failed = String::from_utf8(space.rye(command).output().stderr).unwrap();
    assert!(failed.contains("my word is ***"), "{failed}");
    assert!(!space.path("project/.ai/tools/mcp/other").exists());
}

#[test]
fn a_server_that_dies_of_the_newest_protocol_is_asked_by_the_older_one() {
    let space = with_tools();
    let change = r#"
plain = handle
def handle(message):
    if message.get("method") == "server/discover":
        sys.exit("what is that?")
    plain(message)
"#;
    write_server(&space, change);
    let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
    assert_eq!(report["data"]["sum"], 3, "{report}");
}

/// What makes a server answer the handshake with this version.
fn with_version(version: &str) -> String {
    format!(
        r#"
plain = handle
def handle(message):
    if message.get("method") == "initialize":
        message["params"]["protocolVersion"] = "{version}"
    plain(message)
"#
    )
}

#[test]
fn a_version_that_we_do_not_speak_ends_the_session() {
    let space = with_tools();
    for version in ["2099-01-01", "2024-10-07", "1", ""] {
        write_server(&space, &with_version(version));
        let said = failure(&space, &[]);
        let error = format!(
            "it wants to speak version `{version}` of the protocol, and we speak 2024-11-05, 2025-03-26, 2025-06-18, \
             2025-11-25, 2026-07-28"
        );
        assert!(said.contains(&error) && said.contains("[SERVER_FAILED]"), "{said}");
        assert!(
            said.contains("update `rye`, or use a release of the server that speaks one of these"),
            "{said}"
        );
    }
}

#[test]
fn every_version_that_we_know_is_spoken() {
    let space = with_tools();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"] {
        write_server(&space, &with_version(version));
        let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
        assert_eq!(report["data"]["sum"], 3, "{version}: {report}");
    }
}

#[test]
fn a_server_that_ignores_the_newest_protocol_is_asked_about_it_once() {
    let space = with_tools();
    let asked = space.path("elsewhere/asked");
    space.write("elsewhere/asked", "");
    let change = format!(
        r#"
plain = handle
def handle(message):
    if message.get("method") == "server/discover":
        open({asked:?}, "a").write("asked\n")
    else:
        plain(message)
"#
    );
    write_server(&space, &change);
    for _ in 0..2 {
        let report = space.rye(["execute", "mcp/demo/add", "--a", "1", "--b", "2"]).json();
        assert_eq!(report["data"]["sum"], 3, "{report}");
        assert_eq!(space.read("elsewhere/asked"), "asked\n");
    }
}
