//! Tools with more and more files beside them.

use std::time::Duration;

use super::Sweep;
use super::sweep::at_the_end;
use crate::comparison::Goal;
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::tree::stat_walk;
use crate::trust::{AnchorFolder, Operator};
use crate::workshop::settle;
use crate::{Effort, Result};

pub(super) fn measure(effort: Effort) -> Result<Findings> {
    let sweep = match effort {
        Effort::Quick => Sweep { sizes: &[10, 50], rounds: 2 },
        Effort::Full => Sweep { sizes: &[10, 100, 1_000, 10_000], rounds: 60 },
    };
    let operators = sweep.sizes.iter().map(|_| Operator::new()).collect::<Result<Vec<_>>>()?;
    let anchors = operators
        .iter()
        .zip(sweep.sizes)
        .map(|(operator, count)| AnchorFolder::make(operator, *count))
        .collect::<Result<Vec<_>>>()?;
    settle();
    let stores = anchors.iter().map(|anchor| anchor.store("cache")).collect::<Result<Vec<_>>>()?;
    let growths = sweep.run(&mut [
        ("check", &mut |size| anchors[size].take(&stores[size])),
        ("stat walk", &mut |size| stat_walk(anchors[size].folder()).map(drop)),
    ]);
    // An ordinary user cannot remove what nobody may write to, so that is left to those who have made it.
    for store in &stores {
        store.collect(Duration::ZERO)?;
    }
    let [ours, bare] = <[_; 2]>::try_from(growths?).map_err(|_| "there are two lines")?;
    let mut findings = Findings::default();
    let most = sweep.sizes.last().copied().unwrap_or_default();
    let what = format!("check an anchor of {most} files / stat walk");
    findings.extend(at_the_end(what, &ours, &bare, Goal::Times(1.2)));
    let title = "Checking an anchor over its files";
    let plot = GrowthPlot { name: "growth-anchor", title, unit: "files of the anchor" };
    // What one file costs the kernel grows with their number, so the walk of the same files is what ours is held against.
    findings.grow(plot, &[(ours, Expectation::Nothing), (bare, Expectation::Nothing)]);
    Ok(findings)
}
