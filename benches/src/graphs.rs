//! Graphs: what a step costs beside what it does, and how long it takes to go on.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use lillux::CancelToken;
use rye_engine::{DriveRequest, Engine, GraphStart};
use rye_graph::driver::{Patience, Stop};

use crate::comparison::{Comparison, Goal};
use crate::report::{Bound, Figure, Findings, Timing, Unit};
use crate::samples::Samples;
use crate::workshop::{Warmth, Workshop, request, settle};
use crate::{Effort, Result};

const TEXT: &str = "---\nname: say\ndescription: Says something\nversion: 1.0.0\n---\nHello\n";
const NAP: &str = "version: \"1.0.0\"\ntool_type: command\nexecutor_id: rye/core/primitives/execute\ndescription: Sleeps\n\
    config_schema: {type: object}\nconfig: {command: /bin/sleep, args: [\"0.05\"], timeout: 60}\n";

/// How many elements the list has, how many of them at a time, and how long each takes.
const ELEMENTS: u32 = 200;
const AT_ONCE: u32 = 20;
const SLEEP: Duration = Duration::from_millis(50);

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (chain, long, samples) = match effort {
        Effort::Quick => (20, 96, 2),
        Effort::Full => (1_000, 9_996, 5),
    };
    let list = "  start: a\n  nodes:\n    a: {type: foreach, over: '${inputs.list}', as: i, parallel: 20, action: {item_id: demo/nap}, next: b}\n    \
        b: {type: return, output: done}\n";
    let tools = [
        ("demo/nap.yaml", NAP.to_owned()),
        ("demo/list.yaml", graph(list)),
        ("demo/chain.yaml", graph(&nodes(chain, "done: {type: return, output: done}"))),
        (
            "demo/long.yaml",
            // More nodes than a file may have: they are passed four times.
            graph(&nodes(
                long / 4,
                "turn: {action: {item_type: directive, item_id: demo/say}, assign: {laps: \"${state.laps || ''}x\"}, \
                    next: [{to: gate, when: {path: state.laps, op: eq, value: xxxx}}, {to: n0}]}\n    \
                    gate: {type: gate, wait: manual, next: done}\n    done: {type: return, output: done}",
            )),
        ),
        ("demo/wide.yaml", graph(&nodes(2_000, "done: {type: return, output: done}"))),
        text(),
    ];
    let workshop = Workshop::new(&tools)?;
    settle();
    let engine = workshop.engine(Warmth::Cold);
    let mut findings = Findings::default();
    findings.push(steps(&engine, &workshop, chain, samples)?);
    findings.push(elements(&engine, samples)?);
    findings.push(resume(&engine, long, samples)?);
    findings.extend(validation(&engine, &workshop, samples)?);
    Ok(findings)
}

/// The text that answers steps, as a file beside the tools: a graph that names it can be signed when it is there.
pub(crate) fn text() -> (&'static str, String) {
    ("../directives/demo/say.md", TEXT.to_owned())
}

pub(crate) fn graph(body: &str) -> String {
    format!(
        "version: \"1.0.0\"\ntool_type: graph\nexecutor_id: rye/core/runtimes/state-graph/runtime\ndescription: x\n\
        permissions: {{execute: [demo/*, \"directive:demo/*\"]}}\nconfig:\n  max_steps: 20000\n{body}"
    )
}

/// So many nodes in a row whose steps are answered without a process, and what comes after them.
pub(crate) fn nodes(count: usize, end: &str) -> String {
    let last = end.split(':').next().unwrap_or_default();
    let mut body = "  start: n0\n  nodes:\n".to_owned();
    for index in 0..count {
        let next = if index + 1 == count { last.to_owned() } else { format!("n{}", index + 1) };
        let _ = writeln!(
            body,
            "    n{index}: {{action: {{item_type: directive, item_id: demo/say}}, next: {next}}}"
        );
    }
    body + "    " + end + "\n"
}

/// Runs a graph until it stops.
pub(crate) fn run(engine: &Engine, id: &str, params: Option<&str>) -> Result<Stop> {
    let mut request = request(id)?;
    if let Some(params) = params {
        request.parameters = rye_plan::Parameters::parse(params)?;
    }
    let graph = engine.graph(&request)?;
    let loaded = engine.begin_graph(&graph, GraphStart::default())?;
    let drive = DriveRequest { cancel: CancelToken::new()?, patience: Patience::Stop };
    Ok(engine.drive_graph(loaded, &drive, &mut |_| {})?)
}

/// A chain of steps that a text answers, against as many bare commits on the same disk.
fn steps(engine: &Engine, workshop: &Workshop, chain: usize, samples: usize) -> Result<Comparison> {
    let folder = workshop.path("project/.ai/state/graphs");
    let mut number = 0;
    Comparison::measure(
        "a chain of steps / as many SQLite commits",
        samples,
        Goal::Times(1.5),
        &mut || match run(engine, "demo/chain", None)? {
            Stop::Finished(rye_graph::Finish::Completed { .. }) => Ok(()),
            other => Err(format!("{other:?}").into()),
        },
        &mut || {
            number += 1;
            commits(&folder.join(format!("bare-{number}.db")), chain)
        },
    )
}

/// Bare commits of rows like those of a journal.
pub(crate) fn commits(path: &Path, count: usize) -> Result<()> {
    let database = rusqlite::Connection::open(path)?;
    database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    database
        .execute_batch("PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, body TEXT)")?;
    let body = r#"{"event":"step_succeeded","step":"n500#1@1","result":"Hello\n"}{"starts":["n501#1@1"]}"#;
    for _ in 0..count {
        database.execute("INSERT INTO rows (body) VALUES (?1)", [body])?;
    }
    Ok(())
}

fn elements(engine: &Engine, samples: usize) -> Result<Figure> {
    let list: Vec<_> = (0..ELEMENTS).collect();
    let params = serde_json::json!({ "list": list }).to_string();
    let mut times = Vec::new();
    for _ in 0..samples {
        let start = Instant::now();
        run(engine, "demo/list", Some(&params))?;
        times.push(start.elapsed());
    }
    let ideal = SLEEP * (ELEMENTS / AT_ONCE);
    let median = Samples::new(times).quantile(0.5);
    let what = format!("foreach of {ELEMENTS} × sleep 0.05, {AT_ONCE} at a time: times the ideal");
    let ratio = median.as_secs_f64() / ideal.as_secs_f64();
    Ok(Figure::new(what, ratio, Unit::Times, Bound::AtMost(1.25)))
}

/// Going on with a long run: from its id to the walk as it was.
fn resume(engine: &Engine, steps: usize, samples: usize) -> Result<Timing> {
    let Stop::Waiting(_) = run(engine, "demo/long", None)? else {
        return Err("the run does not wait".into());
    };
    let runs = engine.list_graph_runs(1)?;
    let id = &runs.first().ok_or("there is no run")?.id;
    let mut times = Vec::new();
    for _ in 0..samples {
        let start = Instant::now();
        drop(engine.resume_graph(id)?);
        times.push(start.elapsed());
    }
    let limit = Some(Duration::from_secs(1));
    Ok(Timing { what: format!("resume of a run of {steps} steps"), ours: Samples::new(times), limit })
}

fn validation(engine: &Engine, workshop: &Workshop, samples: usize) -> Result<[Timing; 2]> {
    let text = std::fs::read_to_string(workshop.tool("demo/wide.yaml"))?;
    let (mut pure, mut whole) = (Vec::new(), Vec::new());
    for _ in 0..samples {
        let start = Instant::now();
        let read = rye_graph::read(&text);
        pure.push(start.elapsed());
        if read.graph.is_none() {
            return Err("the graph is not valid".into());
        }
        let start = Instant::now();
        engine.check_graph("demo/wide")?;
        whole.push(start.elapsed());
    }
    let limit = Some(Duration::from_millis(100));
    let what = "validation of a graph of 2000 nodes".to_owned();
    let with_items = format!("{what}, with the items that it names");
    Ok([
        Timing { what, ours: Samples::new(pure), limit },
        Timing { what: with_items, ours: Samples::new(whole), limit },
    ])
}
