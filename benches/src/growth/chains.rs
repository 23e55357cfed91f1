//! Calls through more and more executors.

use rye_engine::ExecuteRequest;
use rye_plan::Parameters;

use super::Sweep;
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::workshop::{Warmth, Workshop, must_succeed, request, settle};
use crate::{Effort, Result};

const PRIMITIVE: &str = "rye/core/primitives/execute";
/// How many elements a chain has, the primitive among them. More than ten are refused.
const LENGTHS: [usize; 6] = [1, 2, 4, 6, 8, 10];

pub(super) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let sweep = Sweep { sizes: &LENGTHS, rounds: if effort == Effort::Quick { 3 } else { 200 } };
    let names: Vec<String> = (2..=10).map(|length| format!("demo/link{length}.yaml")).collect();
    let tools: Vec<(&str, String)> =
        names.iter().zip(2..).map(|(name, length)| (name.as_str(), link(length))).collect();
    let workshop = Workshop::new(&tools)?;
    settle();
    let engine = workshop.engine(Warmth::Cold);
    let requests = LENGTHS.into_iter().map(chain).collect::<Result<Vec<_>>>()?;
    let growths = sweep.run(&mut [
        ("planning", &mut |index| {
            let plan = engine.dry_run(&requests[index])?;
            if plan.chain.len() == LENGTHS[index] {
                Ok(())
            } else {
                Err("the chain has another length".into())
            }
        }),
        ("execute", &mut |index| must_succeed(&engine, &requests[index]).map(drop)),
    ])?;
    let [planning, execute] = <[_; 2]>::try_from(growths).map_err(|_| "there are two lines")?;
    let plot = GrowthPlot {
        name: "growth-chain",
        title: "A call over the length of its chain",
        unit: "elements of the chain",
    };
    findings.grow(plot, &[(planning, Expectation::ForEach(1.5)), (execute, Expectation::Flat(1.5))]);
    Ok(())
}

/// A request whose chain has so many elements.
fn chain(length: usize) -> Result<ExecuteRequest> {
    if length == 1 {
        let parameters = Parameters::parse(r#"{"command": "/bin/true"}"#)?;
        return Ok(ExecuteRequest { parameters, ..request(PRIMITIVE)? });
    }
    request(&format!("demo/link{length}"))
}

fn link(length: usize) -> String {
    let executor = if length == 2 { PRIMITIVE.to_owned() } else { format!("demo/link{}", length - 1) };
    format!(
        "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: {executor}\ndescription: One of a chain\n\
         config_schema: {{type: object}}\nconfig: {{command: /bin/true}}\n"
    )
}
