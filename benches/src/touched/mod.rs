//! Which functions of `rye` a call enters: those that `cargo xtask link-order` has the linker put side by side.

mod breakpoints;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use self::breakpoints::{entered, entered_by};
use crate::Result;
use crate::mcp::line_client::LineClient;
use crate::workshop::{HELLO_COMMAND, Workshop, settle};

/// The argument that makes this program tell the functions.
pub(crate) const TOUCHED: &str = "--touched";

const FUNCTION: &str = r#"__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__tool_description__ = "Says hello"

def execute(params, project_path):
    return {"hello": project_path}
"#;

/// A server of one tool, as others write them.
const SERVER: &str = r#"import json, sys

ANSWERS = {
    "initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                   "serverInfo": {"name": "echo", "version": "1"}},
    "tools/list": {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "hello"}]},
}
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = ANSWERS.get(message["method"])
        outcome = {"result": answer} if answer else {"error": {"code": -32601, "message": "Method not found"}}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **outcome}), flush=True)
"#;

/// Prints the names of all functions of a program, which has to have its symbols, that a call of a small tool by command line
/// enters; after an empty line those of the shortest command, which are the start of every other one; and after another
/// those that calls in a server enter.
pub(crate) fn run(program: Option<&OsStr>) -> Result<()> {
    let program = &Path::new(program.ok_or("which program?")?).canonicalize()?;
    let names = functions(program)?;
    let workshop = Workshop::new(&[
        ("demo/hello.yaml", HELLO_COMMAND.to_owned()),
        ("demo/function.py", FUNCTION.to_owned()),
    ])?;
    let server = workshop.path("server.py");
    std::fs::write(&server, SERVER)?;
    let add = [
        "mcp",
        "add",
        "demo",
        "--yes",
        "--",
        "python3",
        server.to_str().ok_or("a folder with another name")?,
    ];
    succeed(command(program, &workshop, &add))?;
    settle();
    let addresses: Vec<_> = names.keys().copied().collect();
    let parts = [
        by_command_line(program, &workshop, &addresses, &["execute", "demo/hello"])?,
        by_command_line(program, &workshop, &addresses, &["--version"])?,
        in_a_server(program, &workshop, &addresses)?,
    ];
    let parts =
        parts.map(|part| part.iter().flat_map(|address| &names[address]).map(String::as_str).collect());
    let parts = parts.map(|part: Vec<_>| part.join("\n"));
    println!("{}", parts.join("\n\n"));
    Ok(())
}

fn by_command_line(
    program: &Path,
    workshop: &Workshop,
    addresses: &[u64],
    arguments: &[&str],
) -> Result<BTreeSet<u64>> {
    // What the first call finds out, later ones know.
    succeed(command(program, workshop, arguments))?;
    entered(command(program, workshop, arguments), addresses)
}

#[expect(clippy::disallowed_methods, reason = "what is looked at is the program, not our own way to run it")]
fn command(program: &Path, workshop: &Workshop, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(workshop.project()).stdout(Stdio::null());
    command.env_clear().envs(workshop.environment());
    command
}

fn succeed(mut command: Command) -> Result<()> {
    if command.status()?.success() { Ok(()) } else { Err("the call failed".into()) }
}

fn in_a_server(program: &Path, workshop: &Workshop, addresses: &[u64]) -> Result<BTreeSet<u64>> {
    let command = [program.into(), "mcp".into(), "serve".into()];
    let mut client = LineClient::start(&command, &workshop.environment(), &workshop.project())?;
    call_some(&mut client)?;
    let pid = client.pid();
    std::thread::scope(|scope| {
        let calls = scope.spawn(move || call_some(&mut client).map_err(|error| error.to_string()));
        let entered = entered_by(pid, addresses);
        calls.join().map_err(|_| "the client panicked")??;
        entered
    })
}

/// Calls often enough for everything that can be kept ready to be so.
fn call_some(client: &mut LineClient) -> Result<()> {
    for _ in 0..10 {
        for item in ["demo/hello", "demo/function", "mcp/demo/echo"] {
            let call = format!(r#"{{"name":"execute","arguments":{{"item_id":"{item}"}}}}"#);
            client.call(&call, "success")?;
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    Ok(())
}

/// Where the functions of a program begin. Several have the same place if their code is the same. Those that are not
/// written in Rust do not count: most are of the C library, which the linker takes as it is.
#[expect(clippy::disallowed_methods, reason = "a tool of the compiler's, which needs no containment")]
fn functions(program: &Path) -> Result<BTreeMap<u64, Vec<String>>> {
    let said = Command::new("nm").arg("--defined-only").arg(program).stderr(Stdio::inherit()).output()?;
    let mut names = BTreeMap::<u64, Vec<String>>::new();
    for line in str::from_utf8(&said.stdout)?.lines() {
        if let [address, "t" | "T" | "w" | "W", name] = line.split(' ').collect::<Vec<_>>()[..]
            && name.starts_with("_R")
        {
            names.entry(u64::from_str_radix(address, 16)?).or_default().push(name.to_owned());
        }
    }
    if names.len() < 1000 { Err("the program has no symbols".into()) } else { Ok(names) }
}
