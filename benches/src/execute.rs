//! Executing a signed tool, against the bare command.

use std::cell::RefCell;
use std::ffi::OsString;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rye_engine::{Engine, PendingRecord};

use crate::comparison::{Comparison, Goal};
use crate::leftovers::{children, descriptors};
use crate::report::{Bound, Figure, Findings, Row, Timing, Unit};
use crate::samples::Samples;
use crate::workshop::{HELLO_COMMAND, Warmth, Workshop, answer, request, settle};
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
    findings.push(bench.static_program(samples * 2)?);
    findings.push(bench.planning(samples)?);
    let workshop = &bench.workshop;
    let peak =
        floor::peak_memory(&rye(&["execute", "demo/hello"])?, &workshop.environment(), &workshop.project())?;
    findings.push(Figure::memory("peak memory of `rye execute`", peak, Bound::AtMost(20.0)));
    findings.extend(bench.parallel(parallel)?);
    Ok(findings)
}

/// A program that prints a word, and has nothing to load.
const PROGRAM: &str = "#include <unistd.h>\nint main(void) { return write(1, \"hello\\n\", 6) != 6; }\n";
const PROGRAM_TOOL: &str = "version: \"1.0.0\"\ntool_type: binary\nexecutor_id: rye/core/runtimes/rust/runtime\ndescription: x\nentry: bin/hello\n";

/// A project with two shell tools, and a program if there is a compiler that can make one.
struct Bench {
    workshop: Workshop,
    engine: Engine,
    program: Result<()>,
}

impl Bench {
    fn new() -> Result<Self> {
        let nap = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\nsleep 0.05\n";
        let mut tools = vec![
            ("demo/hello.yaml", HELLO_COMMAND.as_bytes().to_vec()),
            ("demo/nap.sh", nap.as_bytes().to_vec()),
        ];
        let program = compile(PROGRAM).map(|program| {
            tools.extend([
                ("demo/static.yaml", PROGRAM_TOOL.as_bytes().to_vec()),
                ("demo/bin/hello", program),
            ]);
        });
        let workshop = Workshop::new(&tools)?;
        settle();
        let engine = workshop.engine(Warmth::Cold);
        Ok(Self { workshop, engine, program })
    }

    fn comparisons(&self, samples: usize) -> Result<Vec<Comparison>> {
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let run = |arguments: &[OsString]| floor::run(arguments, &environment, &project).map(drop);
        let execute = rye(&["execute", "demo/hello"])?;
        let version = rye(&["--version"])?;
        let nothing = [OsString::from("/bin/true")];
        let bare: Vec<OsString> = ["/bin/bash", "-c", "echo hello"].map(OsString::from).to_vec();
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
            self.in_engine(
                "execute in a long-lived engine / bash -c",
                "demo/hello",
                samples * 2,
                Goal::Times(1.1),
                &bare,
            )?,
        ])
    }

    /// A program that is over almost before it has begun.
    fn static_program(&self, samples: usize) -> Result<Row> {
        let what = "execute of a static program in a long-lived engine / the same alone";
        if let Err(error) = &self.program {
            return Ok(Row::absent(what, error.to_string()));
        }
        let bare = [self.workshop.tool("demo/bin/hello").into_os_string()];
        Ok(self.in_engine(what, "demo/static", samples, Goal::Times(1.25), &bare)?.into())
    }

    /// A tool in an engine, whose record is written after its answer, against the bare command.
    fn in_engine(
        &self,
        what: &str,
        tool: &str,
        samples: usize,
        goal: Goal,
        bare: &[OsString],
    ) -> Result<Comparison> {
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let request = request(tool)?;
        let record = RefCell::new(None);
        Comparison::measure_answers(
            what,
            samples,
            goal,
            (
                &mut || {
                    record.replace(Some(answer(&self.engine, &request)?.1));
                    Ok(())
                },
                &mut || Ok(record.take().map_or(Ok(()), PendingRecord::write)?),
            ),
            &mut || floor::run(bare, &environment, &project).map(drop),
        )
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
        let (request, engine) = (request("demo/nap")?, &self.engine);
        let (environment, project) = (self.workshop.environment(), self.workshop.project());
        let bare = ["/bin/bash", ".ai/tools/demo/nap.sh"].map(OsString::from);
        let (bare_ratio, bare_failed) =
            at_once(count, &|| floor::run(&bare, &environment, &project).is_ok())?;
        if bare_failed > 0 {
            return Err(format!("{bare_failed} of the bare runs failed").into());
        }
        // What a process has once and keeps, such as the lock of a snapshot and a guard for the next run, is there before it is
        // counted.
        for _ in 0..4 {
            engine.execute(&request, None, &mut |_| {})?;
        }
        let (descriptors_before, children_before) = (descriptors()?, children()?);
        let (ratio, failed) = at_once(count, &|| engine.execute(&request, None, &mut |_| {}).is_ok())?;
        let descriptors_left = descriptors()?.saturating_sub(descriptors_before);
        let children_left = children()?.saturating_sub(children_before);
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
            Figure::count(format!("{what}: descriptors left"), descriptors_left, none).into(),
            Figure::count(format!("{what}: processes left"), children_left, none).into(),
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

/// What the C compiler makes of a program, without shared libraries.
#[expect(clippy::disallowed_methods, reason = "a compiler as anybody calls it")]
fn compile(source: &str) -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let (source_file, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&source_file, source)?;
    let told = Command::new("cc").args(["-O2", "-static", "-o"]).arg(&program).arg(&source_file).output()?;
    if !told.status.success() {
        return Err(String::from_utf8_lossy(&told.stderr).into_owned().into());
    }
    Ok(std::fs::read(program)?)
}

/// The program beside the harness.
pub(crate) fn rye(arguments: &[&str]) -> Result<Vec<OsString>> {
    let program = std::env::current_exe()?.with_file_name("rye");
    if !program.exists() {
        return Err("`rye` is not built; run the benchmarks with `cargo xtask bench`".into());
    }
    Ok(std::iter::once(program.into_os_string()).chain(arguments.iter().map(OsString::from)).collect())
}
