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

/// Prints the names of all functions of a program, which has to have its symbols, that a call of a small tool by command line
/// enters; and after an empty line those that one in a server does.
pub(crate) fn run(program: Option<&OsStr>) -> Result<()> {
    let program = &Path::new(program.ok_or("which program?")?).canonicalize()?;
    let names = functions(program)?;
    let workshop = Workshop::new(&[
        ("demo/hello.yaml", HELLO_COMMAND.to_owned()),
        ("demo/function.py", FUNCTION.to_owned()),
    ])?;
    settle();
    let addresses: Vec<_> = names.keys().copied().collect();
    let parts =
        [by_command_line(program, &workshop, &addresses)?, in_a_server(program, &workshop, &addresses)?];
    let parts =
        parts.map(|part| part.iter().flat_map(|address| &names[address]).map(String::as_str).collect());
    let parts = parts.map(|part: Vec<_>| part.join("\n"));
    println!("{}", parts.join("\n\n"));
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "what is looked at is the program, not our own way to run it")]
fn by_command_line(program: &Path, workshop: &Workshop, addresses: &[u64]) -> Result<BTreeSet<u64>> {
    let call = || {
        let mut command = Command::new(program);
        command.args(["execute", "demo/hello"]).current_dir(workshop.project()).stdout(Stdio::null());
        command.env_clear().envs(workshop.environment());
        command
    };
    // What the first call finds out, later ones know.
    if !call().status()?.success() {
        return Err("the call failed".into());
    }
    entered(call(), addresses)
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
        for item in ["hello", "function"] {
            let call = format!(r#"{{"name":"execute","arguments":{{"item_id":"demo/{item}"}}}}"#);
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
