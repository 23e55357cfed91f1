//! Searching and finding, against ripgrep and a bare walk of the same files.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use rye_engine::{Detail, Engine, EngineSettings, Lifetime, LoadRequest, SearchRequest, SpaceSettings};
use rye_item::ItemKind;

use crate::comparison::{Comparison, Goal};
use crate::samples::Samples;
use crate::tree::{Tree, stat_walk};
use crate::{Effort, Result, floor, table};

pub(crate) fn report(effort: Effort) -> Result<String> {
    let (sizes, samples): (&[usize], usize) = match effort {
        Effort::Quick => (&[50, 200], 3),
        Effort::Full => (&[100, 10_000, 100_000], 15),
    };
    let mut text = String::new();
    for &size in sizes {
        text += &measure(size, samples)?;
    }
    Ok(text)
}

fn measure(size: usize, samples: usize) -> Result<String> {
    let start = Instant::now();
    let tree = Tree::generate(size)?;
    let generated = start.elapsed();
    let engine = Engine::new(settings(&tree, Lifetime::Long));
    let start = Instant::now();
    engine.search(&SearchRequest::new("file"), Detail::Summary)?;
    let indexed = start.elapsed();
    // Files that were written a moment ago are read again, because their times cannot be trusted yet.
    std::thread::sleep(Duration::from_secs(3));
    engine.search(&SearchRequest::new("file"), Detail::Summary)?;
    let mut text = String::new();
    writeln!(
        text,
        "{size} items: generated in {} ms, indexed in {} ms",
        generated.as_millis(),
        indexed.as_millis()
    )?;
    writeln!(text, "{}", warm_queries(&engine, &tree)?)?;
    writeln!(text, "{}", resolution(&engine, &tree)?)?;
    text += &table::render(&whole_command(&tree, size, samples)?);
    let arguments = command(&tree, "merge invoice")?;
    let peak = floor::peak_memory(&arguments, &environment(&tree), &tree.project())?;
    writeln!(text, "peak memory of `rye search`: {} MB (goal ≤ 150 MB)\n", peak / 1024)?;
    Ok(text)
}

fn settings(tree: &Tree, lifetime: Lifetime) -> EngineSettings {
    let spaces = SpaceSettings {
        start: tree.project(),
        project: None,
        home: Some(tree.home()),
        user_space: None,
        system_space: None,
    };
    EngineSettings { cache: Some(tree.home().join(".cache/rye")), lifetime, ..EngineSettings::new(spaces) }
}

/// The time of a query in a process that has searched before.
fn warm_queries(engine: &Engine, tree: &Tree) -> Result<String> {
    let mut times = Vec::new();
    for _ in 0..10 {
        for query in tree.queries() {
            let request = SearchRequest::new(query);
            let start = Instant::now();
            engine.search(&request, Detail::Summary)?;
            times.push(start.elapsed());
        }
    }
    let times = Samples::new(times);
    let micros = |share| times.quantile(share).as_micros();
    Ok(format!(
        "warm query: p50 {} µs, p95 {} µs (goal p50 ≤ 100 µs at 10,000, ≤ 1,000 µs at 100,000)",
        micros(0.5),
        micros(0.95)
    ))
}

/// The time to find and read an item by its id.
fn resolution(engine: &Engine, tree: &Tree) -> Result<String> {
    let request = LoadRequest { kind: ItemKind::Tool, id: tree.some_id(), from: None, to: None };
    let mut times = Vec::new();
    for _ in 0..300 {
        let start = Instant::now();
        engine.load(&request)?;
        times.push(start.elapsed());
    }
    Ok(format!("load by exact id: p50 {} µs", Samples::new(times).quantile(0.5).as_micros()))
}

fn whole_command(tree: &Tree, size: usize, samples: usize) -> Result<Vec<Comparison>> {
    let (environment, project, tools) = (environment(tree), tree.project(), tree.tools());
    let search = command(tree, "merge invoice")?;
    let ripgrep: Vec<OsString> = ["rg", "--hidden", "--count", "merge a invoice"]
        .into_iter()
        .map(OsString::from)
        .chain([tools.clone().into_os_string()])
        .collect();
    let ours = || floor::run(&search, &environment, &project).map(drop);
    Ok(vec![
        Comparison::measure(
            format!("rye search, {size} items / stat walk"),
            samples,
            // A small tree is walked faster than any process starts.
            if size >= 100_000 { Goal::Times(2.0) } else { Goal::Open },
            &mut || ours(),
            &mut || stat_walk(&tools).map(drop),
        )?,
        Comparison::measure(
            format!("rye search, {size} items / ripgrep"),
            samples,
            Goal::Open,
            &mut || ours(),
            &mut || floor::run(&ripgrep, &environment, &project).map(drop),
        )?,
    ])
}

/// The program beside the harness, with a query.
fn command(_tree: &Tree, query: &str) -> Result<Vec<OsString>> {
    let program = std::env::current_exe()?.with_file_name("rye");
    if !program.exists() {
        return Err("`rye` is not built; run the benchmarks with `cargo xtask bench`".into());
    }
    Ok(vec![program.into_os_string(), "search".into(), query.into()])
}

fn environment(tree: &Tree) -> Vec<(OsString, OsString)> {
    let path = std::env::vars_os().find(|(name, _)| name == "PATH");
    path.into_iter().chain([("HOME".into(), tree.home().into_os_string())]).collect()
}
