//! Graphs of more and more steps, where commits wait for no disk: it would hide what a step costs.

use rye_graph::Finish;
use rye_graph::driver::Stop;

use super::Sweep;
use super::sweep::at_the_end;
use crate::comparison::Goal;
use crate::graphs::{commits, graph, nodes, run, text};
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::workshop::{Warmth, Workshop};
use crate::{Effort, Result};

const DONE: &str = "done: {type: return, output: done}";
/// After this the nodes before it have been passed four times: a file may not have as many nodes as steps are wanted.
const FOUR_LAPS: &str = "turn: {action: {item_type: directive, item_id: demo/say}, assign: {laps: \"${state.laps || ''}x\"}, \
    next: [{to: done, when: {path: state.laps, op: eq, value: xxxx}}, {to: n0}]}\n    done: {type: return, output: done}";

pub(super) fn measure(effort: Effort) -> Result<Findings> {
    let sweep = match effort {
        Effort::Quick => Sweep { sizes: &[10, 40], rounds: 1 },
        Effort::Full => Sweep { sizes: &[10, 100, 1_000, 10_000], rounds: 3 },
    };
    let names: Vec<String> = sweep.sizes.iter().map(|size| format!("demo/steps{size}.yaml")).collect();
    let body = |size: usize| {
        if size > 2_000 { nodes(size / 4 - 1, FOUR_LAPS) } else { nodes(size, DONE) }
    };
    let graphs = names.iter().zip(sweep.sizes).map(|(name, size)| (name.as_str(), graph(&body(*size))));
    let tools: Vec<(&str, String)> = graphs.chain([text()]).collect();
    let workshop = Workshop::in_memory(&tools)?;
    let engine = workshop.engine(Warmth::Cold);
    let folder = workshop.path("project/.ai/state/graphs");
    let mut number = 0;
    let growths = sweep.run(&mut [
        ("graph", &mut |size| match run(&engine, names[size].trim_end_matches(".yaml"), None)? {
            Stop::Finished(Finish::Completed { .. }) => Ok(()),
            other => Err(format!("{other:?}").into()),
        }),
        ("as many SQLite commits", &mut |size| {
            number += 1;
            let path = folder.join(format!("bare-{number}.db"));
            commits(&path, sweep.sizes[size])?;
            Ok(std::fs::remove_file(path)?)
        }),
    ])?;
    let [ours, bare] = <[_; 2]>::try_from(growths).map_err(|_| "there are two lines")?;
    let mut findings = Findings::default();
    let most = sweep.sizes.last().copied().unwrap_or_default();
    let what = format!("a graph of {most} steps in memory / as many SQLite commits");
    findings.extend(at_the_end(what, &ours, &bare, Goal::Open));
    let plot =
        GrowthPlot { name: "growth-graph-steps", title: "A graph over its steps, in memory", unit: "steps" };
    findings.grow(plot, &[(ours, Expectation::ForEach(1.5)), (bare, Expectation::Nothing)]);
    Ok(findings)
}
