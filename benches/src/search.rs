//! Searching and finding, against ripgrep and a bare walk of the same files, over more and more items.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rye_engine::{Detail, Engine, EngineSettings, Lifetime, LoadRequest, SearchRequest, SpaceSettings};
use rye_item::ItemKind;

use crate::comparison::{Comparison, Goal};
use crate::execute::rye;
use crate::growth::Sweep;
use crate::report::{Bound, Expectation, Figure, Findings, GrowthPlot, Timing, Unit, spelt};
use crate::samples::Samples;
use crate::tree::{Tree, stat_walk};
use crate::{Effort, Result, floor, workshop};

const HELLO: &str = "# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n# description: x\necho hello\n";

pub(crate) fn measure(effort: Effort) -> Result<Findings> {
    let (sizes, samples): (&[usize], usize) = match effort {
        Effort::Quick => (&[50, 200], 3),
        Effort::Full => (&[100, 1_000, 10_000, 100_000], 15),
    };
    let mut findings = Findings::default();
    let places = sizes.iter().map(|size| Place::make(*size, &mut findings)).collect::<Result<Vec<_>>>()?;
    workshop::settle();
    for place in &places {
        place.engine.search(&SearchRequest::new("file"), Detail::Summary)?;
    }
    for place in &places {
        findings.push(place.warm_queries()?);
        findings.extend(place.whole_command(samples)?);
        let peak =
            floor::peak_memory(&command("merge invoice")?, &place.environment(), &place.tree.project())?;
        let what = format!("peak memory of `rye search`, {} items", spelt(place.size));
        findings.push(Figure::memory(what, peak, Bound::AtMost(150.0)));
    }
    grow(&places, sizes, samples, &mut findings)?;
    Ok(findings)
}

/// The same four things in each tree, in turns.
fn grow(places: &[Place], sizes: &[usize], rounds: usize, findings: &mut Findings) -> Result<()> {
    let (search, execute) = (command("merge invoice")?, rye(&["execute", "demo/hello"])?);
    let run = |arguments: &[OsString], place: &Place| {
        floor::run(arguments, &place.environment(), &place.tree.project()).map(drop)
    };
    let query = SearchRequest::new("merge invoice");
    let growths = Sweep { sizes, rounds }.run(&mut [
        ("rye search", &mut |size| run(&search, &places[size])),
        ("first rye execute", &mut |size| run(&execute, &places[size])),
        ("warm query", &mut |size| Ok(places[size].engine.search(&query, Detail::Summary).map(drop)?)),
        ("warm load by id", &mut |size| places[size].load()),
    ])?;
    let expectations = [
        Expectation::ForEach(1.5),
        Expectation::Flat(1.5),
        Expectation::ForEach(1.5),
        Expectation::Flat(1.5),
    ];
    let lines: Vec<_> = growths.into_iter().zip(expectations).collect();
    findings.grow(GrowthPlot { name: "growth-items", title: "Calls over items", unit: "items" }, &lines);
    Ok(())
}

/// A tree, and an engine that lives in it.
struct Place {
    size: usize,
    tree: Tree,
    engine: Engine,
}

impl Place {
    fn make(size: usize, findings: &mut Findings) -> Result<Self> {
        let tree = Tree::generate(size)?;
        let demo = tree.tools().join("demo");
        fs::create_dir_all(&demo)?;
        fs::write(demo.join("hello.sh"), HELLO)?;
        let engine = Engine::new(settings(&tree.project(), &tree.home()));
        workshop::sign(&engine, &tree.home())?;
        let start = Instant::now();
        engine.search(&SearchRequest::new("file"), Detail::Summary)?;
        let seconds = start.elapsed().as_secs_f64();
        let what = format!("first index of {} items", spelt(size));
        findings.push(Figure::new(what, seconds, Unit::Seconds, Bound::Open));
        Ok(Self { size, tree, engine })
    }

    /// The time of a query in a process that has searched before.
    fn warm_queries(&self) -> Result<Timing> {
        let mut times = Vec::new();
        for _ in 0..10 {
            for query in self.tree.queries() {
                let request = SearchRequest::new(query);
                let start = Instant::now();
                self.engine.search(&request, Detail::Summary)?;
                times.push(start.elapsed());
            }
        }
        let limit = match self.size {
            10_000 => Some(Duration::from_micros(100)),
            100_000 => Some(Duration::from_millis(1)),
            _ => None,
        };
        let what = format!("warm queries of all kinds, {} items", spelt(self.size));
        Ok(Timing { what, ours: Samples::new(times), limit })
    }

    /// Finds and reads an item by its id.
    fn load(&self) -> Result<()> {
        let request = LoadRequest { kind: ItemKind::Tool, id: self.tree.some_id(), from: None, to: None };
        self.engine.load(&request)?;
        Ok(())
    }

    fn whole_command(&self, samples: usize) -> Result<Vec<Comparison>> {
        let (environment, project, tools) = (self.environment(), self.tree.project(), self.tree.tools());
        let search = command("merge invoice")?;
        let ripgrep: Vec<OsString> = ["rg", "--hidden", "--count", "merge a invoice"]
            .into_iter()
            .map(OsString::from)
            .chain([tools.clone().into_os_string()])
            .collect();
        let ours = || floor::run(&search, &environment, &project).map(drop);
        let size = spelt(self.size);
        Ok(vec![
            Comparison::measure(
                format!("rye search, {size} items / stat walk"),
                samples,
                // A small tree is walked faster than any process starts.
                if self.size >= 100_000 { Goal::Times(2.0) } else { Goal::Open },
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

    fn environment(&self) -> Vec<(OsString, OsString)> {
        let path = std::env::vars_os().find(|(name, _)| name == "PATH");
        path.into_iter().chain([("HOME".into(), self.tree.home().into_os_string())]).collect()
    }
}

/// Those of a process that lives long, in a project and with a home.
pub(crate) fn settings(project: &Path, home: &Path) -> EngineSettings {
    let spaces = SpaceSettings {
        start: project.to_owned(),
        project: None,
        home: Some(home.to_owned()),
        user_space: None,
        system_space: None,
    };
    EngineSettings {
        cache: Some(home.join(".cache/rye")),
        lifetime: Lifetime::Long,
        ..EngineSettings::new(spaces)
    }
}

/// The program beside the harness, with a query.
fn command(query: &str) -> Result<Vec<OsString>> {
    rye(&["search", query])
}
