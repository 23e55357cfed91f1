//! What an agent waits for: our server against bare programs, and servers behind ours against the same servers alone.

mod http_client;
pub(crate) mod line_client;
pub(crate) mod relay;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use self::http_client::{HttpClient, HttpServer, TcpEcho};
use self::line_client::LineClient;
use crate::comparison::{Comparison, Goal};
use crate::execute::rye;
use crate::memory::{self, Memory};
use crate::report::{Bound, Figure, Findings, Unit};
use crate::workshop::{HELLO_COMMAND, Workshop, settle};
use crate::{Effort, Result, floor};

/// How many clients call at the same time, and how often each of them does.
const CLIENTS: usize = 64;
const CALLS: usize = 100;

const HELP: &str = r#"{"name":"help","arguments":{}}"#;
const HELLO: &str = r#"{"name":"execute","arguments":{"item_id":"demo/hello"}}"#;

/// A server of somebody else, and one of its tools.
struct Peer {
    name: &'static str,
    program: &'static str,
    args: &'static [&'static str],
    tool: &'static str,
    arguments: &'static str,
    /// Which version of the protocol our client and the server agree on.
    version: Version,
}

/// A server may take longer for one version than for the other, which is no matter of ours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    /// There is a session.
    Older,
    /// Each message says who sends it.
    Newer,
}

const SENDER: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}"#;

const PEERS: &[Peer] = &[
    Peer {
        name: "everything",
        program: "node/node_modules/.bin/mcp-server-everything",
        args: &["stdio"],
        tool: "echo",
        arguments: r#"{"message":"hello"}"#,
        version: Version::Older,
    },
    Peer {
        name: "memory",
        program: "node/node_modules/.bin/mcp-server-memory",
        args: &[],
        tool: "read_graph",
        arguments: "{}",
        version: Version::Older,
    },
    Peer {
        name: "time",
        program: "venv/bin/mcp-server-time",
        args: &[],
        tool: "get_current_time",
        arguments: r#"{"timezone":"Europe/Vienna"}"#,
        version: Version::Newer,
    },
];

impl Peer {
    fn command(&self) -> Vec<OsString> {
        let program = deps().join(self.program).into_os_string();
        std::iter::once(program).chain(self.args.iter().map(OsString::from)).collect()
    }

    /// What calls its tool.
    fn call(&self) -> String {
        let meta = match self.version {
            Version::Older => String::new(),
            Version::Newer => format!(r#","_meta":{SENDER}"#),
        };
        format!(r#"{{"name":"{}","arguments":{}{meta}}}"#, self.tool, self.arguments)
    }
}

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (samples, calls) = match effort {
        Effort::Quick => (5, 2),
        Effort::Full => (500, CALLS),
    };
    let bench = Bench::new()?;
    let mut comparisons = vec![bench.execute(samples)?, bench.help(samples)?, bench.help_by_http(samples)?];
    comparisons.push(bench.start(samples.min(100))?);
    for peer in PEERS {
        comparisons.push(bench.proxied(peer, samples)?);
        comparisons.extend(bench.relayed(peer, samples)?);
    }
    let mut findings = Findings::from(comparisons);
    findings.extend(bench.idle_memory()?);
    findings.extend(bench.many_clients(calls)?);
    Ok(findings)
}

/// A project with a shell tool, and `rye mcp serve` in it.
struct Bench {
    workshop: Workshop,
}

impl Bench {
    fn new() -> Result<Self> {
        let workshop = Workshop::new(&[("demo/hello.yaml", HELLO_COMMAND.to_owned())])?;
        settle();
        Ok(Self { workshop })
    }

    fn serve(&self) -> Result<LineClient> {
        LineClient::start(&rye(&["mcp", "serve"])?, &self.workshop.environment(), &self.workshop.project())
    }

    fn execute(&self, samples: usize) -> Result<Comparison> {
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let bare: Vec<OsString> = ["/bin/bash", "-c", "echo hello"].map(OsString::from).to_vec();
        let mut server = self.serve()?;
        Comparison::measure(
            "execute over stdio / bash -c",
            samples,
            Goal::Times(1.3),
            &mut || server.call(HELLO, "hello").map(drop),
            &mut || floor::run(&bare, &environment, &project).map(drop),
        )
    }

    fn help(&self, samples: usize) -> Result<Comparison> {
        let mut server = self.serve()?;
        let mut echo = LineClient::echo()?;
        Comparison::measure(
            "help over stdio / a line through `cat`",
            samples * 4,
            Goal::Most(Duration::from_micros(150)),
            &mut || server.call(HELP, "topics").map(drop),
            &mut || echo.echoed(HELP),
        )
    }

    fn help_by_http(&self, samples: usize) -> Result<Comparison> {
        let server = self.http_server()?;
        let mut client = HttpClient::connect(&server)?;
        let mut echo = TcpEcho::start()?;
        Comparison::measure(
            "help over HTTP / bytes over TCP",
            samples * 4,
            Goal::Most(Duration::from_micros(500)),
            &mut || client.call(HELP, "topics"),
            &mut || echo.echoed(HELP.as_bytes()),
        )
    }

    fn http_server(&self) -> Result<HttpServer> {
        let command = rye(&["mcp", "serve", "--http", "127.0.0.1:0"])?;
        HttpServer::start(&command, &self.workshop.environment(), &self.workshop.project())
    }

    /// From nothing to the first answer.
    fn start(&self, samples: usize) -> Result<Comparison> {
        Comparison::measure(
            "start of the server to its first answer / true",
            samples,
            Goal::TimesPlus(3.0, Duration::from_millis(10)),
            &mut || self.serve().map(drop),
            &mut || floor::spawn_and_wait(c"/bin/true"),
        )
    }

    /// A tool of somebody else's server, called through ours, which keeps the session, and there directly.
    fn proxied(&self, peer: &Peer, samples: usize) -> Result<Comparison> {
        let mut add = rye(&["mcp", "add", peer.name, "--yes", "--"])?;
        add.extend(peer.command());
        floor::run(&add, &self.workshop.environment(), &self.workshop.project())?;
        settle();
        let through = format!(
            r#"{{"name":"execute","arguments":{{"item_id":"mcp/{}/{}","parameters":{}}}}}"#,
            peer.name, peer.tool, peer.arguments
        );
        let mut ours = self.serve()?;
        let (mut theirs, direct) = (self.peer(peer, &[])?, peer.call());
        Comparison::measure(
            format!("{}/{} through ours / alone", peer.name, peer.tool),
            samples,
            Goal::Times(1.5),
            &mut || ours.call(&through, r#""status":"success""#).map(drop),
            &mut || theirs.call(&direct, r#""content""#).map(drop),
        )
    }

    /// The same with something in between that only passes on what it is given, and with something that reads and hashes the
    /// files of the call in addition.
    fn relayed(&self, peer: &Peer, samples: usize) -> Result<[Comparison; 2]> {
        let cats = ["/bin/bash", "-c", r#"cat | "$@" | cat"#, "relay"].map(OsString::from);
        let tools = self.workshop.project().join(".ai/tools/mcp");
        let files = [format!("{}/{}.yaml", peer.name, peer.tool), format!("servers/{}.yaml", peer.name)];
        let reader = relay::command(files.map(|file| tools.join(file)))?;
        Ok([
            self.compare_relay(peer, samples, "`cat` before and after it", &cats)?,
            self.compare_relay(peer, samples, "a relay that reads and hashes its files", &reader)?,
        ])
    }

    fn compare_relay(
        &self,
        peer: &Peer,
        samples: usize,
        what: &str,
        relay: &[OsString],
    ) -> Result<Comparison> {
        let (mut relayed, mut theirs) = (self.peer(peer, relay)?, self.peer(peer, &[])?);
        let direct = peer.call();
        Comparison::measure(
            format!("{}/{} with {what} / alone", peer.name, peer.tool),
            samples,
            Goal::Open,
            &mut || relayed.call(&direct, r#""content""#).map(drop),
            &mut || theirs.call(&direct, r#""content""#).map(drop),
        )
    }

    /// A peer that has been started, by a command that takes its own as arguments if there is one.
    fn peer(&self, peer: &Peer, by: &[OsString]) -> Result<LineClient> {
        let command = [by, &peer.command()].concat();
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        match peer.version {
            Version::Older => LineClient::start(&command, &environment, &project),
            Version::Newer => LineClient::run(&command, &environment, &project),
        }
    }

    fn idle_memory(&self) -> Result<[Figure; 2]> {
        let server = self.serve()?;
        let Memory { resident, shared_out } = memory::of(server.pid())?;
        let what = "idle memory of `rye mcp serve`";
        let figure =
            |how: &str, amount, bound| Figure::new(format!("{what}, {how}"), amount, Unit::Megabytes, bound);
        Ok([
            figure("resident", resident, Bound::Open),
            figure("its part of what is shared", shared_out, Bound::AtMost(15.0)),
        ])
    }

    /// Many clients that call at the same time.
    fn many_clients(&self, calls: usize) -> Result<[Figure; 2]> {
        let server = self.http_server()?;
        let start = std::time::Instant::now();
        let failed: usize = std::thread::scope(|scope| {
            let clients: Vec<_> =
                (0..CLIENTS).map(|_| scope.spawn(|| failed_calls(&server, calls))).collect();
            clients.into_iter().map(|client| client.join().unwrap_or(calls)).sum()
        });
        let elapsed = start.elapsed();
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let rate = (CLIENTS * calls) as f64 / elapsed.as_secs_f64();
        let what = format!("{CLIENTS} clients × {calls} calls over HTTP");
        Ok([
            Figure::count(format!("{what}: failed"), failed, Bound::AtMost(0.0)),
            Figure::new(format!("{what}: rate"), rate, Unit::PerSecond, Bound::Open),
        ])
    }
}

fn failed_calls(server: &HttpServer, calls: usize) -> usize {
    let Ok(mut client) = HttpClient::connect(server) else { return calls };
    (0..calls).filter(|_| client.call(HELP, "topics").is_err()).count()
}

/// Where `cargo xtask setup` puts what others have written.
fn deps() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../.deps")
}
