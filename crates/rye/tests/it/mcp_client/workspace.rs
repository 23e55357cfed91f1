//! A project that imports tools of servers.

use crate::space::TestSpace;

/// A server without a library, that answers by the older protocol; what it does otherwise is put into it.
const SERVER: &str = r#"import json, os, subprocess, sys, time

def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()

def answer(message, result):
    send({"jsonrpc": "2.0", "id": message["id"], "result": result})

TOOL = {
    "name": "add",
    "description": "Adds two numbers",
    "inputSchema": {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "number"}}, "required": ["a", "b"]},
    "annotations": {"readOnlyHint": True, "title": "Sum"},
}

def call(message, arguments):
    answer(message, {"content": [{"type": "text", "text": "done"}], "structuredContent": {"sum": arguments["a"] + arguments["b"]}})

def handle(message):
    method = message.get("method")
    if "id" not in message:
        return
    if method == "initialize":
        answer(message, {"protocolVersion": message["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "demo", "version": "1.0"}})
    elif method == "tools/list":
        answer(message, {"tools": [TOOL]})
    elif method == "tools/call":
        call(message, message["params"].get("arguments", {}))
    else:
        send({"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}})

# HERE
for line in sys.stdin:
    handle(json.loads(line))
"#;

/// A space whose operator has a key, and a server in it.
pub(crate) fn with_server() -> TestSpace {
    let space = TestSpace::with_key();
    write_server(&space, "");
    space
}

/// A space whose operator has imported the tools of the server.
pub(crate) fn with_tools() -> TestSpace {
    let space = with_server();
    add(&space, "demo");
    space
}

/// Writes the server, with some lines of Python that change what it does.
pub(crate) fn write_server(space: &TestSpace, change: &str) {
    space.write("elsewhere/server.py", SERVER.replace("# HERE\n", change));
}

/// Imports the tools of the server under a name.
pub(crate) fn add(space: &TestSpace, name: &str) {
    let server = space.path("elsewhere/server.py");
    space.run(["mcp", "add", name, "--yes", "--", "/usr/bin/python3", server.to_str().unwrap()]);
}
