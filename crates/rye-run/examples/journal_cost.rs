//! What a record costs: `cargo run --release -p rye-run --example journal_cost [FOLDER]`.
//!
//! First as a program that opens the journal for one run and ends, then as one that keeps it open. The folder, which
//! should be on a disk, is made; without one it is in the system's folder for temporary files.

#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use lillux::Digest;
use lillux::clock::{Clock, SystemClock};
use lillux::process::ProcessHandle;
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_run::journal::{
    ChainEntry, Ending, Journal, RequestSummary, ResultPreview, RunEnd, RunId, RunStart, StreamRecord,
};

const RUNS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let folder = folder.join(format!("journal-cost-{}", std::process::id()));
    one_shot(&folder.join("one-shot"))?;
    long_lived(&folder.join("long-lived"))?;
    std::fs::remove_dir_all(folder)?;
    Ok(())
}

fn one_shot(folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let clock = Instant::now();
    drop(Journal::open(folder)?);
    println!("one-shot, database made: {} µs", clock.elapsed().as_micros());
    let mut table = Table::new("one-shot", &["handle", "open", "begin", "finish", "close", "all"]);
    for _ in 0..RUNS {
        let mut clock = Clocked::start();
        let supervisor = ProcessHandle::current()?;
        clock.lap();
        let journal = Journal::open(folder)?;
        clock.lap();
        let start = start(supervisor)?;
        journal.begin(&start)?;
        clock.lap();
        journal.finish(start.id, &end())?;
        clock.lap();
        drop(journal);
        clock.lap();
        table.add(&clock);
    }
    table.print();
    Ok(())
}

fn long_lived(folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let journal = Journal::open(folder)?;
    let supervisor = ProcessHandle::current()?;
    let mut table = Table::new("long-lived", &["begin", "finish", "all"]);
    for _ in 0..RUNS {
        let mut clock = Clocked::start();
        let start = start(supervisor.clone())?;
        journal.begin(&start)?;
        clock.lap();
        journal.finish(start.id, &end())?;
        clock.lap();
        table.add(&clock);
    }
    table.print();
    let mut table = Table::new("long-lived", &["record", "all"]);
    for _ in 0..RUNS {
        let mut clock = Clocked::start();
        journal.record(&start(supervisor.clone())?, &end())?;
        clock.lap();
        table.add(&clock);
    }
    table.print();
    Ok(())
}

fn start(supervisor: ProcessHandle) -> Result<RunStart, Box<dyn Error>> {
    let item = |id: &str| Ok::<_, Box<dyn Error>>(ItemRef::new(ItemKind::Tool, ItemId::new(id)?));
    let entry = |id: &str, space| {
        let signer = Some("0123456789abcdef0123456789abcdef".to_owned());
        Ok::<_, Box<dyn Error>>(ChainEntry {
            item: item(id)?,
            space,
            digest: Digest::of(id.as_bytes()),
            signer,
        })
    };
    Ok(RunStart {
        id: RunId::generate(&SystemClock),
        item: item("my/team/greet")?,
        supervisor,
        chain: vec![
            entry("my/team/greet", Space::Project)?,
            entry("my/team/runtime", Space::System)?,
            entry("rye/core/primitives/execute", Space::System)?,
        ],
        request: RequestSummary::of(&format!(r#"{{"text":"{}"}}"#, "x".repeat(200))),
    })
}

fn end() -> RunEnd {
    RunEnd {
        ended: SystemClock.now(),
        duration: Duration::from_millis(5),
        ending: Ending::Succeeded { exit_code: Some(0) },
        stdout: StreamRecord { bytes: 200, file: None },
        stderr: StreamRecord::default(),
        preview: Some(ResultPreview::of(&"y".repeat(200))),
    }
}

/// The times of the steps of one run.
struct Clocked {
    last: Instant,
    laps: Vec<Duration>,
}

impl Clocked {
    fn start() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }

    fn lap(&mut self) {
        let now = Instant::now();
        self.laps.push(now - self.last);
        self.last = now;
    }
}

/// The times of all runs, step by step, and of all steps together.
struct Table {
    title: &'static str,
    columns: Vec<(&'static str, Vec<Duration>)>,
}

impl Table {
    fn new(title: &'static str, names: &[&'static str]) -> Self {
        Self { title, columns: names.iter().map(|&name| (name, Vec::new())).collect() }
    }

    fn add(&mut self, clock: &Clocked) {
        let all = clock.laps.iter().sum();
        let times = clock.laps.iter().copied().chain([all]);
        for ((_, column), time) in self.columns.iter_mut().zip(times) {
            column.push(time);
        }
    }

    fn print(mut self) {
        for (name, times) in &mut self.columns {
            times.sort();
            let at = |part: usize| times[(times.len() - 1) * part / 100].as_micros();
            let mean = times.iter().sum::<Duration>().as_micros() / times.len() as u128;
            println!(
                "{} {name}: min {} p50 {} p90 {} p99 {} max {} mean {mean} µs",
                self.title,
                at(0),
                at(50),
                at(90),
                at(99),
                at(100)
            );
        }
    }
}
