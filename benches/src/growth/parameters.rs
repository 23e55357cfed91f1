//! Calls with more and more parameters.

use std::io::Write as _;
use std::process::{Command, Stdio};

use rye_engine::ExecuteRequest;
use rye_plan::Parameters;
use serde_json::json;

use super::sweep::at_the_end;
use super::{SHELL, Sweep, byte_sizes};
use crate::comparison::Goal;
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::workshop::{Warmth, Workshop, must_succeed, request};
use crate::{Effort, Result};

pub(super) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let sweep = Sweep { sizes: byte_sizes(effort), rounds: if effort == Effort::Quick { 2 } else { 15 } };
    let workshop = Workshop::new(&[("demo/swallow.sh", format!("{SHELL}exec cat >/dev/null\n"))])?;
    let engine = workshop.engine(Warmth::Cold);
    let texts: Vec<String> = sweep.sizes.iter().map(|size| "x".repeat(*size)).collect();
    let requests = texts.iter().map(|text| {
        let parameters = Parameters::from_pairs([("text", json!(text))])?;
        Ok(ExecuteRequest { parameters, ..request("demo/swallow")? })
    });
    let requests = requests.collect::<Result<Vec<_>>>()?;
    let growths = sweep.run(&mut [
        ("execute", &mut |size| must_succeed(&engine, &requests[size]).map(drop)),
        ("bash -c", &mut |size| swallow(texts[size].as_bytes())),
    ])?;
    let [ours, bare] = <[_; 2]>::try_from(growths).map_err(|_| "there are two lines")?;
    findings.extend(at_the_end("a call with the largest parameters / bash -c", &ours, &bare, Goal::Open));
    let plot = GrowthPlot {
        name: "growth-parameters",
        title: "A call over the size of its parameters",
        unit: "bytes of parameters",
    };
    findings.grow(plot, &[(ours, Expectation::ForEach(1.5)), (bare, Expectation::Nothing)]);
    Ok(())
}

/// Gives bytes to a shell that reads them.
#[expect(clippy::disallowed_methods, reason = "the floor is a program as anybody starts it")]
fn swallow(bytes: &[u8]) -> Result<()> {
    let mut command = Command::new("/bin/bash");
    let mut child = command.args(["-c", "exec cat >/dev/null"]).stdin(Stdio::piped()).spawn()?;
    child.stdin.take().ok_or("no input")?.write_all(bytes)?;
    if child.wait()?.success() { Ok(()) } else { Err("it failed".into()) }
}
