//! More and more calls at the same time.

use super::sweep::at_the_end;
use super::{SHELL, Sweep};
use crate::comparison::Goal;
use crate::report::{Expectation, Findings, GrowthPlot};
use crate::workshop::{Warmth, Workshop, must_succeed, request};
use crate::{Effort, Result, floor};

pub(super) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let sweep = match effort {
        Effort::Quick => Sweep { sizes: &[1, 8], rounds: 2 },
        Effort::Full => Sweep { sizes: &[1, 4, 16, 64, 256], rounds: 10 },
    };
    let workshop = Workshop::new(&[("demo/nap.sh", format!("{SHELL}sleep 0.1\n"))])?;
    let engine = workshop.engine(Warmth::Cold);
    let request = request("demo/nap")?;
    let (environment, project) = (workshop.environment(), workshop.project());
    // A script, as the tool is one: a command of one word would be executed in the place of its shell.
    let script = workshop.project().join(".ai/tools/demo/nap.sh");
    let bare = ["/bin/bash".into(), script.into_os_string()];
    let growths = sweep.run(&mut [
        ("execute", &mut |size| at_once(sweep.sizes[size], &|| must_succeed(&engine, &request).is_ok())),
        ("bash FILE", &mut |size| {
            at_once(sweep.sizes[size], &|| floor::run(&bare, &environment, &project).is_ok())
        }),
    ])?;
    let [ours, bare] = <[_; 2]>::try_from(growths).map_err(|_| "there are two lines")?;
    let most = sweep.sizes.last().copied().unwrap_or_default();
    let what = format!("{most} calls of `sleep 0.1` at once / as many bash FILE");
    findings.extend(at_the_end(what, &ours, &bare, Goal::Times(1.25)));
    let title = "Calls of `sleep 0.1` at the same time";
    let plot = GrowthPlot { name: "growth-concurrency", title, unit: "calls at the same time" };
    findings.grow(plot, &[(ours, Expectation::Nothing), (bare, Expectation::Nothing)]);
    Ok(())
}

/// Does the same in so many threads, and wants all of them to succeed.
fn at_once(count: usize, act: &(dyn Fn() -> bool + Sync)) -> Result<()> {
    let succeeded = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(act)).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|one| *one).count()
    });
    if succeeded == count { Ok(()) } else { Err(format!("{} of {count} failed", count - succeeded).into()) }
}
