//! Executing a signed tool, against the bare command.

use std::cell::RefCell;
use std::ffi::OsString;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rye_engine::{Engine, PendingRecord};

use crate::comparison::{Comparison, Goal};
use crate::leftovers::{children, descriptors};
use crate::report::{Bound, Figure, Findings, Row, Timing, Unit};
use crate::samples::Samples;
use crate::workshop::{HELLO_COMMAND, Warmth, Workshop, request, settle};
use crate::{Effort, Result, floor};

/// How many runs go on at the same time, and how long each of them sleeps.
const AT_ONCE: usize = 32;
const SLEEP: Duration = Duration::from_millis(50);

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (samples, parallel) = match effort {
        Effort::Quick => (5, AT_ONCE),
        Effort::Full => (300, 500),
    };
    let bench = Bench::new()?;
    let mut findings = Findings::from(bench.comparisons(samples)?);
    findings.push(bench.planning(samples)?);
    let workshop = &bench.workshop;
    let peak =
        floor::peak_memory(&rye(&["execute", "demo/hello"])?, &workshop.environment(), &workshop.project())?;
    findings.push(Figure::memory("peak memory of `rye execute`", peak, Bound::AtMost(20.0)));
    findings.extend(bench.parallel(parallel)?);
    Ok(findings)
}

/// A project with two shell tools.
struct Bench {
    workshop: Workshop,
    engine: Engine,
}

impl Bench {
    fn new() -> Result<Self> {
        let nap = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\nsleep 0.05\n";
        let workshop =
            Workshop::new(&[("demo/hello.yaml", HELLO_COMMAND.to_owned()), ("demo/nap.sh", nap.to_owned())])?;
        settle();
        let engine = workshop.engine(Warmth::Cold);
        Ok(Self { workshop, engine })
    }

    fn comparisons(&self, samples: usize) -> Result<Vec<Comparison>> {
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let run = |arguments: &[OsString]| floor::run(arguments, &environment, &project).map(drop);
        let execute = rye(&["execute", "demo/hello"])?;
        let version = rye(&["--version"])?;
        let nothing = [OsString::from("/bin/true")];
        let bare: Vec<OsString> = ["/bin/bash", "-c", "echo hello"].map(OsString::from).to_vec();
        let request = request("demo/hello")?;
        let record = RefCell::new(None);
        Ok(vec![
            Comparison::measure(
                "rye --version / true",
                samples,
                Goal::TimesPlus(1.5, Duration::from_millis(2)),
                &mut || run(&version),
                &mut || run(&nothing),
            )?,
            Comparison::measure(
                "rye execute / bash -c and rye --version",
                samples,
                Goal::Plus(Duration::from_millis(1)),
                &mut || run(&execute),
                &mut || run(&bare).and_then(|()| run(&version)),
            )?,
            Comparison::measure(
                "rye execute / bash -c",
                samples,
                Goal::Open,
                &mut || run(&execute),
                &mut || run(&bare),
            )?,
            Comparison::measure_answers(
                "execute in a long-lived engine / bash -c",
                samples * 2,
                Goal::Times(1.1),
                (
                    &mut || {
                        let (_, pending) = self.engine.execute(&request, None, &mut |_| {})?;
                        record.replace(Some(pending));
                        Ok(())
                    },
                    &mut || Ok(record.take().map_or(Ok(()), PendingRecord::write)?),
                ),
                &mut || run(&bare),
            )?,
        ])
    }

    fn planning(&self, samples: usize) -> Result<Timing> {
        let request = request("demo/hello")?;
        let mut times = Vec::new();
        for _ in 0..samples * 10 {
            let start = Instant::now();
            self.engine.dry_run(&request)?;
            times.push(start.elapsed());
        }
        let limit = Some(Duration::from_micros(60));
        Ok(Timing { what: "planning, warm".to_owned(), ours: Samples::new(times), limit })
    }

    /// Many runs, a fixed number of them at the same time.
    fn parallel(&self, count: usize) -> Result<Vec<Row>> {
        let request = request("demo/nap")?;
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let bare = ["/bin/bash", ".ai/tools/demo/nap.sh"].map(OsString::from);
        let (bare_ratio, bare_failed) =
            at_once(count, &|| floor::run(&bare, &environment, &project).is_ok())?;
        if bare_failed > 0 {
            return Err(format!("{bare_failed} of the bare runs failed").into());
        }
        // What a process opens once and keeps, such as the lock of a snapshot, is open before they are counted.
        for _ in 0..4 {
            self.engine.execute(&request, None, &mut |_| {})?;
        }
        let before = descriptors()?;
        let (ratio, failed) = at_once(count, &|| self.engine.execute(&request, None, &mut |_| {}).is_ok())?;
        let left = descriptors()?.saturating_sub(before);
        let what = format!("{count} runs of `sleep 0.05`, {AT_ONCE} at a time");
        let none = Bound::AtMost(0.0);
        Ok(vec![
            Figure::new(format!("{what}: times the ideal"), ratio, Unit::Times, Bound::AtMost(1.25)).into(),
            Figure::new(
                format!("{what}, by bash alone: times the ideal"),
                bare_ratio,
                Unit::Times,
                Bound::Open,
            )
            .into(),
            Figure::count(format!("{what}: failed"), failed, none).into(),
            Figure::count(format!("{what}: descriptors left"), left, none).into(),
            Figure::count(format!("{what}: processes left"), children()?, none).into(),
        ])
    }
}

/// Does something that sleeps so many times, and tells how many times longer than the sleep alone that took, and how often
/// it failed.
fn at_once(count: usize, nap: &(dyn Fn() -> bool + Sync)) -> Result<(f64, usize)> {
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while next.fetch_add(1, Ordering::Relaxed) < count {
                    if !nap() {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    let elapsed = start.elapsed();
    let ideal = SLEEP * u32::try_from(count.div_ceil(AT_ONCE))?;
    Ok((elapsed.as_secs_f64() / ideal.as_secs_f64(), failed.into_inner()))
}

/// The program beside the harness.
pub(crate) fn rye(arguments: &[&str]) -> Result<Vec<OsString>> {
    let program = std::env::current_exe()?.with_file_name("rye");
    if !program.exists() {
        return Err("`rye` is not built; run the benchmarks with `cargo xtask bench`".into());
    }
    Ok(std::iter::once(program.into_os_string()).chain(arguments.iter().map(OsString::from)).collect())
}
