//! Thousands of warm calls, some of which are killed or crash: nothing grows, and none affects another.

use std::time::{Duration, Instant};

use rye_engine::{Engine, ExecuteRequest, Executed};
use rye_plan::Parameters;
use rye_run::runner::{Failure, Start};
use serde_json::json;

use crate::leftovers::{children, descriptors, resident};
use crate::report::{Bound, Figure, Findings, Unit, spelt};
use crate::runtimes::await_warm;
use crate::workshop::{Warmth, Workshop, request, settle};
use crate::{Effort, Result};

const TOOL: &str = r#"__version__ = "1.0.0"
__tool_type__ = "python"
__executor_id__ = "rye/core/runtimes/python/function"
__tool_description__ = "Does as it is told"
import json, os, re, pathlib, time

def execute(params, project_path):
    what = params.get("what")
    if what == "hang":
        time.sleep(1000)
    if what == "crash":
        os.kill(os.getpid(), 11)
    return {"number": params.get("number")}
"#;

/// What is asked of the tool.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Answer,
    Hang,
    Crash,
}

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (calls, every) = if effort == Effort::Quick { (60, 20) } else { (10_000, 100) };
    let workshop = Workshop::new(&[("demo/deeds.py", TOOL.to_owned())])?;
    let engine = workshop.engine(Warmth::Warm);
    await_warm(&engine, "demo/deeds")?;
    // What grows at first and then no more is no leak.
    for number in 0..calls / 10 {
        check(&engine, number, Deed::Answer)?;
    }
    // What is being made or buried at this moment does not count.
    settle();
    let (memory, open) = (resident()?, descriptors()?);
    let start = Instant::now();
    let mut warm = 0;
    for number in 0..calls {
        let deed = match number % every {
            7 => Deed::Hang,
            13 => Deed::Crash,
            _ => Deed::Answer,
        };
        warm += usize::from(check(&engine, number, deed)? == Start::Warm);
    }
    let elapsed = start.elapsed();
    settle();
    let (more_memory, more_open) = (resident()?.saturating_sub(memory), descriptors()?.saturating_sub(open));
    drop(engine);
    let what = format!("{} calls, {} of them killed, {} crashed", spelt(calls), calls / every, calls / every);
    let none = Bound::AtMost(0.0);
    let mut findings = Findings::default();
    findings.push(Figure::new(what.clone(), elapsed.as_secs_f64(), Unit::Seconds, Bound::Open));
    // Every other call has answered right, or we would not have come here.
    findings.push(Figure::count(format!("{what}: wrong answers"), 0, none));
    findings.push(Figure::count(format!("{what}: started warm"), warm, Bound::Open));
    findings.push(Figure::memory(format!("{what}: more memory"), more_memory, Bound::Open));
    findings.push(Figure::count(format!("{what}: more descriptors"), more_open, Bound::Open));
    findings.push(Figure::count(format!("{what}: processes left"), children()?, none));
    Ok(findings)
}

/// Runs the tool once, and holds what comes of it against what was asked.
fn check(engine: &Engine, number: usize, deed: Deed) -> Result<Start> {
    let what = match deed {
        Deed::Answer => "answer",
        Deed::Hang => "hang",
        Deed::Crash => "crash",
    };
    let parameters = Parameters::from_pairs([("what", json!(what)), ("number", json!(number))])?;
    let timeout = (deed == Deed::Hang).then_some(Duration::from_millis(100));
    let request = ExecuteRequest { parameters, timeout, ..request("demo/deeds")? };
    let (report, _record) = engine.execute(&request, None, &mut |_| {})?;
    let Executed::Run { outcome, .. } = report.result else { return Err("it is a text".into()) };
    let is_right = match (deed, outcome.failure) {
        (Deed::Answer, None) => outcome.output.bytes == format!("{{\"number\": {number}}}\n").into_bytes(),
        (Deed::Hang, Some(Failure::TimedOut { .. })) => true,
        (Deed::Crash, Some(Failure::Signal { signal })) => signal == 11,
        _ => false,
    };
    if is_right { Ok(outcome.start) } else { Err(format!("call {number}: {outcome:?}").into()) }
}
