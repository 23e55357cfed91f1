//! Plans one tool again and again, for a profiler: `planning PROJECT HOME ID COUNT`.
#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use std::path::PathBuf;
use std::time::Instant;

use rye_engine::{Engine, EngineSettings, ExecuteRequest, Lifetime, SpaceSettings};
use rye_item::{ItemId, ItemKind, ItemRef};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [project, home, id, count] = &arguments[..] else { return Err("PROJECT HOME ID COUNT".into()) };
    let home = PathBuf::from(home);
    let spaces = SpaceSettings {
        start: project.into(),
        project: None,
        home: Some(home.clone()),
        user_space: None,
        system_space: None,
    };
    let engine = Engine::new(EngineSettings {
        cache: Some(home.join(".cache/rye")),
        lifetime: Lifetime::Long,
        environment: std::env::vars_os().filter(|(name, _)| name == "PATH").collect(),
        ..EngineSettings::new(spaces)
    });
    let request = ExecuteRequest::new(ItemRef::new(ItemKind::Tool, ItemId::new(id)?));
    let mut times = Vec::new();
    for _ in 0..count.parse()? {
        let start = Instant::now();
        engine.dry_run(&request)?;
        times.push(start.elapsed());
    }
    times.sort();
    let (least, median) = (times.first(), times.get(times.len() / 2));
    println!("min {least:?}, median {median:?}");
    Ok(())
}
