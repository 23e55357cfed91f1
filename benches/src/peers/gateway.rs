//! A tool of an MCP server through ours, through a gateway made with `FastMCP`, and directly.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Sides;
use super::client::Client;
use super::side::{PATIENCE, deps};
use super::tools;
use super::turns::{BETTER, Rounds, Turns};
use crate::execute::rye;
use crate::report::Findings;
use crate::workshop::settle;
use crate::{Effort, Result};

/// A server, and one of its tools.
struct Server {
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    tool: &'static str,
    arguments: &'static str,
    expect: &'static str,
}

const SERVERS: [Server; 2] = [
    Server {
        name: "everything",
        program: "node/node_modules/.bin/mcp-server-everything",
        args: &["stdio"],
        tool: "echo",
        arguments: r#"{"message":"hello"}"#,
        expect: "Echo:hello",
    },
    Server {
        name: "time",
        program: "venv/bin/mcp-server-time",
        args: &[],
        tool: "get_current_time",
        arguments: r#"{"timezone":"Europe/Vienna"}"#,
        expect: "Europe/Vienna",
    },
];

pub(crate) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let rounds = Rounds::new(if effort == Effort::Quick { 3 } else { 300 });
    let sides = Sides::new(&tools::demo())?;
    sides.ours.prepare()?;
    SERVERS.iter().try_for_each(|server| proxied(server, &sides, rounds, findings))
}

fn proxied(server: &Server, sides: &Sides, rounds: Rounds, findings: &mut Findings) -> Result<()> {
    let program = deps().join(server.program).into_os_string();
    let command: Vec<OsString> =
        std::iter::once(program).chain(server.args.iter().map(OsString::from)).collect();
    let after = |mut first: Vec<OsString>| {
        first.extend(command.iter().cloned());
        first
    };
    sides.ours.run(&after(rye(&["mcp", "add", server.name, "--yes", "--"])?), PATIENCE)?;
    settle();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/peers/gateway.py");
    let gateway = after(vec![deps().join("venv/bin/python").into_os_string(), script.into_os_string()]);

    let surroundings = sides.ours.surroundings();
    let mut direct = Client::start(&command, surroundings, PATIENCE)?.0;
    let mut fastmcp = Client::start(&gateway, surroundings, PATIENCE).map(|(client, _)| client);
    let mut ours = sides.ours.serve()?.0;
    let through = format!(
        r#"{{"name":"execute","arguments":{{"item_id":"mcp/{}/{}","parameters":{}}}}}"#,
        server.name, server.tool, server.arguments
    );
    let there = format!(r#"{{"name":"{}","arguments":{}}}"#, server.tool, server.arguments);
    let turns = Turns {
        what: &format!("{}/{} through ours", server.name, server.tool),
        peer_name: "FastMCP",
        rounds,
        ours: &mut || ours.call(&through, server.expect, PATIENCE),
        peer: &mut || match &mut fastmcp {
            Ok(client) => client.call(&there, server.expect, PATIENCE),
            Err(error) => Err(error.to_string().into()),
        },
        floor: Some(("direct", &mut || direct.call(&there, server.expect, PATIENCE))),
    };
    turns.measure(BETTER, findings)
}
