//! Executing a signed tool, against the bare command.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rye_engine::Engine;

use crate::comparison::{Comparison, Goal};
use crate::leftovers::{children, descriptors};
use crate::samples::Samples;
use crate::workshop::{Warmth, Workshop, request};
use crate::{Effort, Result, floor, table};

/// How many runs go on at the same time, and how long each of them sleeps.
const AT_ONCE: usize = 32;
const SLEEP: Duration = Duration::from_millis(50);

pub(crate) fn report(effort: Effort) -> Result<String> {
    let (samples, parallel) = match effort {
        Effort::Quick => (5, AT_ONCE),
        Effort::Full => (300, 500),
    };
    let bench = Bench::new()?;
    let mut text = table::render(&bench.comparisons(samples)?);
    writeln!(text, "{}", bench.planning(samples)?)?;
    let workshop = &bench.workshop;
    let peak =
        floor::peak_memory(&rye(&["execute", "demo/hello"])?, &workshop.environment(), &workshop.project())?;
    writeln!(text, "peak memory of `rye execute`: {} MB (goal ≤ 20 MB)", peak / 1024)?;
    writeln!(text, "{}", bench.parallel(parallel)?)?;
    Ok(text)
}

/// A project with two shell tools.
struct Bench {
    workshop: Workshop,
    engine: Engine,
}

impl Bench {
    fn new() -> Result<Self> {
        let header = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\n";
        let tool = |line: &str| format!("{header}{line}\n");
        let workshop =
            Workshop::new(&[("demo/hello.sh", tool("echo hello")), ("demo/nap.sh", tool("sleep 0.05"))])?;
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
        let mut records = Vec::new();
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
            Comparison::measure(
                "execute in a long-lived engine / bash -c",
                samples * 2,
                Goal::Times(1.1),
                &mut || {
                    let (_, record) = self.engine.execute(&request, None, &mut |_| {})?;
                    records.push(record);
                    Ok(())
                },
                &mut || run(&bare),
            )?,
        ])
    }

    fn planning(&self, samples: usize) -> Result<String> {
        let request = request("demo/hello")?;
        let mut times = Vec::new();
        for _ in 0..samples * 10 {
            let start = Instant::now();
            self.engine.dry_run(&request)?;
            times.push(start.elapsed());
        }
        let times = Samples::new(times);
        let micros = |share| times.quantile(share).as_micros();
        Ok(format!("planning, warm: p50 {} µs, p95 {} µs (goal p50 ≤ 60 µs)", micros(0.5), micros(0.95)))
    }

    /// Many runs, a fixed number of them at the same time.
    fn parallel(&self, count: usize) -> Result<String> {
        let request = request("demo/nap")?;
        let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        // What a process opens once and keeps has been opened by now.
        let before = descriptors()?;
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE {
                scope.spawn(|| {
                    while next.fetch_add(1, Ordering::Relaxed) < count {
                        if self.engine.execute(&request, None, &mut |_| {}).is_err() {
                            failed.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                });
            }
        });
        let elapsed = start.elapsed();
        let ideal = SLEEP * u32::try_from(count.div_ceil(AT_ONCE))?;
        let ratio = elapsed.as_secs_f64() / ideal.as_secs_f64();
        let (failed, left) = (failed.into_inner(), descriptors()?.saturating_sub(before));
        Ok(format!(
            "{count} runs of `sleep 0.05`, {AT_ONCE} at a time: {} ms, {ratio:.2} × the ideal (goal ≤ 1.25 ×), \
             {failed} failed, {left} descriptors and {} processes left",
            elapsed.as_millis(),
            children()?
        ))
    }
}

/// The program beside the harness.
pub(crate) fn rye(arguments: &[&str]) -> Result<Vec<OsString>> {
    let program = std::env::current_exe()?.with_file_name("rye");
    if !program.exists() {
        return Err("`rye` is not built; run the benchmarks with `cargo xtask bench`".into());
    }
    Ok(std::iter::once(program.into_os_string()).chain(arguments.iter().map(OsString::from)).collect())
}
