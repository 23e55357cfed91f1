//! A server that has answered a hundred thousand calls: as fast as after a thousand, and no larger.

use std::time::{Duration, Instant};

use crate::comparison::{Comparison, Goal};
use crate::execute::rye;
use crate::mcp::line_client::LineClient;
use crate::memory;
use crate::report::{
    Bound, Curve, Expectation, Figure, Findings, Growth, GrowthPlot, Line, Measure, Point, Unit, spelt,
};
use crate::samples::Samples;
use crate::workshop::Workshop;
use crate::{Effort, Result};

/// What a client asks for, in turns: what the line is called, the call, and what its answer has in it.
const CALLS: [(&str, &str, &str); 4] = [
    ("help", r#"{"name":"help","arguments":{}}"#, "topics"),
    ("search", r#"{"name":"search","arguments":{"query":"say hello"}}"#, "demo/hello"),
    ("load", r#"{"name":"load","arguments":{"item_id":"demo/hello"}}"#, "echo hello"),
    ("execute", r#"{"name":"execute","arguments":{"item_id":"demo/hello"}}"#, "hello"),
];
/// One in so many calls executes something.
const EXECUTES: usize = 10;
const HELLO: &str = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n\
    # description: Says hello\necho hello\n";

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let stops: &[usize] = match effort {
        Effort::Quick => &[40, 80],
        Effort::Full => &[1_000, 3_000, 10_000, 30_000, 100_000],
    };
    let workshop = Workshop::new(&[("demo/hello.sh", HELLO.to_owned())])?;
    let mut server = Called::start(&workshop)?;
    let mut growths = CALLS.map(|(name, _, _)| Growth {
        name: format!("{name}, after"),
        sizes: stops.to_vec(),
        samples: Vec::new(),
    });
    let mut resident = Vec::new();
    for stop in stops {
        // What is told about a stop are the calls just before it.
        let window = stop - stops[0];
        let mut times: [Vec<Duration>; 4] = Default::default();
        for done in server.calls..*stop {
            let took = server.call(kind(done))?;
            if done >= window {
                times[kind(done)].push(took);
            }
        }
        for (growth, times) in growths.iter_mut().zip(times) {
            growth.samples.push(Samples::new(times));
        }
        resident.push(memory::of(server.client.pid())?.resident);
    }
    let mut findings = Findings::default();
    findings.extend(compare_with_young(server, &workshop, stops[0])?);
    let plot = GrowthPlot { name: "uptime", title: "Answers of a server over its calls", unit: "calls" };
    let lines: Vec<_> = growths.into_iter().map(|growth| (growth, Expectation::Nothing)).collect();
    findings.grow(plot, &lines);
    remember(&mut findings, stops, &resident);
    Ok(findings)
}

/// The server against one that has answered few calls, in turns: by the end, the machine may have another speed than it had.
fn compare_with_young(mut old: Called, workshop: &Workshop, few: usize) -> Result<Vec<Comparison>> {
    let mut young = Called::start(workshop)?;
    for done in 0..few {
        young.call(kind(done))?;
    }
    let counts = format!("{} / {} calls", spelt(old.calls), spelt(few));
    let mut times: [[Vec<Duration>; 2]; 4] = Default::default();
    for round in 0..few {
        let [of_old, of_young] = &mut times[kind(round)];
        // Whoever goes second finds the caches as the first has left them, so they swap.
        if round % 2 == 0 {
            of_old.push(old.call(kind(round))?);
            of_young.push(young.call(kind(round))?);
        } else {
            of_young.push(young.call(kind(round))?);
            of_old.push(old.call(kind(round))?);
        }
    }
    let rows = CALLS.iter().zip(times).map(|((name, _, _), [of_old, of_young])| {
        Comparison::of_times(format!("{name}, after {counts}"), Goal::Times(1.2), of_old, of_young)
    });
    Ok(rows.collect())
}

/// A server, and how often it was called.
struct Called {
    client: LineClient,
    calls: usize,
}

impl Called {
    fn start(workshop: &Workshop) -> Result<Self> {
        let command = rye(&["mcp", "serve"])?;
        let client = LineClient::start(&command, &workshop.environment(), &workshop.project())?;
        Ok(Self { client, calls: 0 })
    }

    fn call(&mut self, kind: usize) -> Result<Duration> {
        self.calls += 1;
        let start = Instant::now();
        self.client.call(CALLS[kind].1, CALLS[kind].2)?;
        Ok(start.elapsed())
    }
}

/// Which call is the next one after so many.
fn kind(done: usize) -> usize {
    if done.is_multiple_of(EXECUTES) { 3 } else { done % 3 }
}

fn remember(findings: &mut Findings, stops: &[usize], resident: &[f64]) {
    let ends = (stops.first(), stops.last(), resident.first(), resident.last());
    if let (Some(early), Some(late), Some(before), Some(after)) = ends {
        let what = format!("memory of the server, after {} / {} calls", spelt(*late), spelt(*early));
        let figure = Figure::new(what, *after, Unit::Megabytes, Bound::TimesOther(1.2));
        findings.push(figure.against(*before));
    }
    let points = stops.iter().zip(resident).map(|(stop, amount)| Point::of_value(*stop, *amount)).collect();
    findings.curves.push(Curve {
        name: "uptime-memory".to_owned(),
        title: "Memory of a server over its calls".to_owned(),
        grows: "calls".to_owned(),
        measures: Measure::Megabytes,
        lines: vec![Line { name: "resident".to_owned(), points }],
    });
}
