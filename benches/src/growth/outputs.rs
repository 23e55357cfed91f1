//! Calls with more and more output.

use std::process::{Command, Stdio};

use super::sweep::at_the_end;
use super::{SHELL, Sweep, byte_sizes};
use crate::comparison::Goal;
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::workshop::{Warmth, Workshop, must_succeed, request};
use crate::{Effort, Result};

pub(super) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let sweep = Sweep { sizes: byte_sizes(effort), rounds: if effort == Effort::Quick { 2 } else { 15 } };
    let line = |size: usize| format!("exec head -c {size} /dev/zero");
    let names: Vec<String> = sweep.sizes.iter().map(|size| format!("demo/print{size}.sh")).collect();
    let tools: Vec<(&str, String)> = names
        .iter()
        .zip(sweep.sizes)
        .map(|(name, size)| (name.as_str(), format!("{SHELL}{}\n", line(*size))))
        .collect();
    let workshop = Workshop::new(&tools)?;
    let engine = workshop.engine(Warmth::Cold);
    let requests =
        names.iter().map(|name| request(name.trim_end_matches(".sh"))).collect::<Result<Vec<_>>>()?;
    let growths = sweep.run(&mut [
        ("execute", &mut |size| {
            let total = must_succeed(&engine, &requests[size])?.output.total;
            if total == u64::try_from(sweep.sizes[size])? { Ok(()) } else { Err("output is missing".into()) }
        }),
        ("bash -c", &mut |size| collect(&line(sweep.sizes[size]))),
    ])?;
    let [ours, bare] = <[_; 2]>::try_from(growths).map_err(|_| "there are two lines")?;
    findings.extend(at_the_end("a call with the largest output / bash -c", &ours, &bare, Goal::Open));
    let plot = GrowthPlot {
        name: "growth-output",
        title: "A call over the size of its output",
        unit: "bytes of output",
    };
    findings.grow(plot, &[(ours, Expectation::ForEach(1.5)), (bare, Expectation::Nothing)]);
    Ok(())
}

/// Reads all that a shell prints.
#[expect(clippy::disallowed_methods, reason = "the floor is a program as anybody starts it")]
fn collect(line: &str) -> Result<()> {
    let mut command = Command::new("/bin/bash");
    let output = command.args(["-c", line]).stdin(Stdio::null()).output()?;
    if output.status.success() { Ok(()) } else { Err("it failed".into()) }
}
