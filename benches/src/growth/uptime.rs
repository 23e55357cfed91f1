//! A server that has answered a hundred thousand calls: as fast as after a thousand, and no larger.

use std::time::{Duration, Instant};

use crate::execute::rye;
use crate::mcp::line_client::LineClient;
use crate::mcp::memory;
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
    let mut server =
        LineClient::start(&rye(&["mcp", "serve"])?, &workshop.environment(), &workshop.project())?;
    let mut growths = CALLS.map(|(name, _, _)| Growth {
        name: format!("{name}, after"),
        sizes: stops.to_vec(),
        samples: Vec::new(),
    });
    let mut resident = Vec::new();
    let mut done = 0;
    for stop in stops {
        // What is told about a stop are the calls just before it.
        let window = stop - stops[0];
        let mut times: [Vec<Duration>; 4] = Default::default();
        while done < *stop {
            let kind = if done % EXECUTES == 0 { 3 } else { done % 3 };
            let start = Instant::now();
            server.call(CALLS[kind].1, CALLS[kind].2)?;
            if done >= window {
                times[kind].push(start.elapsed());
            }
            done += 1;
        }
        for (growth, times) in growths.iter_mut().zip(times) {
            growth.samples.push(Samples::new(times));
        }
        resident.push(memory::of(server.pid())?.resident / 1024.0);
    }
    let mut findings = Findings::default();
    let plot = GrowthPlot { name: "uptime", title: "Answers of a server over its calls", unit: "calls" };
    let lines: Vec<_> = growths.into_iter().map(|growth| (growth, Expectation::Flat(1.2))).collect();
    findings.grow(plot, &lines);
    remember(&mut findings, stops, &resident);
    Ok(findings)
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
