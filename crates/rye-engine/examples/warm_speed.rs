//! How long a call of a tool takes that starts warm, beside one that starts cold. Figures, not a test.
//!
//! `cargo run --release -p rye-engine --example warm_speed TOOL_FILE [CALLS] [PAUSE_MS]`
//!
//! The file is copied, signed and called with `{"name": "some words"}`.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lillux::clock::{Clock as _, SystemClock};
use rye_engine::{Engine, EngineSettings, ExecuteRequest, Executed, Lifetime, SignRequest, SpaceSettings};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use rye_run::runner::Start;
use rye_trust::{ExistingKey, KeyFolder, NewSigningKey};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = PathBuf::from(arguments.next().ok_or("which tool?")?);
    let calls: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let pause = Duration::from_millis(arguments.next().map_or(Ok(0), |text| text.parse())?);
    let folder = tempfile::tempdir()?;
    let tools = folder.path().join("project/.ai/tools");
    std::fs::create_dir_all(&tools)?;
    std::fs::create_dir_all(folder.path().join("home"))?;
    std::fs::copy(&file, tools.join(file.file_name().unwrap_or_default()))?;
    let tool = file.file_stem().unwrap_or_default().to_string_lossy();
    let [warm, cold] = [true, false].map(|is_warm| engine(folder.path(), is_warm));
    sign(&warm, folder.path(), &tool)?;
    let until = Instant::now() + Duration::from_secs(20);
    while !call(&warm, &tool)?.1 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
    }
    let (mut warm_times, mut cold_times, mut warm_count) = (Vec::new(), Vec::new(), 0);
    for number in 0..calls {
        std::thread::sleep(pause);
        let (time, is_warm) = call(&warm, &tool)?;
        warm_count += usize::from(is_warm);
        warm_times.push(time);
        if number % 5 == 0 {
            cold_times.push(call(&cold, &tool)?.0);
        }
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "{warm_count} of {calls} warm")?;
    writeln!(out, "warm {}", summary(&mut warm_times))?;
    writeln!(out, "cold {}", summary(&mut cold_times))?;
    Ok(())
}

fn engine(folder: &Path, warm: bool) -> Engine {
    let spaces = SpaceSettings {
        start: folder.join("project"),
        project: None,
        home: Some(folder.join("home")),
        user_space: None,
        system_space: None,
    };
    Engine::new(EngineSettings {
        cache: Some(folder.join("cache")),
        lifetime: Lifetime::Long,
        environment: [("PATH", "/usr/bin:/bin")].into_iter().collect(),
        warm,
        ..EngineSettings::new(spaces)
    })
}

fn sign(engine: &Engine, folder: &Path, tool: &str) -> Result<(), Box<dyn Error>> {
    let keys = KeyFolder::at(&folder.join("home/.ai"));
    let now = SystemClock.now();
    keys.generate(&NewSigningKey { owner: "speed", passphrase: None, existing: ExistingKey::Refuse, now })?;
    engine.trust_project()?;
    let request = SignRequest { pattern: tool.to_owned(), kind: None, space: None };
    engine.sign(&request, &keys.signing_key(None)?, &|_| {})?;
    Ok(())
}

/// How long a call takes until its answer is there, and whether it started warm.
fn call(engine: &Engine, tool: &str) -> Result<(Duration, bool), Box<dyn Error>> {
    let item = ItemRef::new(ItemKind::Tool, ItemId::new(tool)?);
    let parameters = Parameters::parse(r#"{"name": "some words"}"#)?;
    let request = ExecuteRequest { parameters, ..ExecuteRequest::new(item) };
    let started = Instant::now();
    let (report, _) = engine.execute(&request, None, &mut |_| {})?;
    let time = started.elapsed();
    match report.result {
        Executed::Run { outcome, .. } if outcome.is_success() => Ok((time, outcome.start == Start::Warm)),
        other => Err(format!("{other:?}").into()),
    }
}

fn summary(times: &mut [Duration]) -> String {
    times.sort();
    let last = times.len().saturating_sub(1);
    let at = |part: usize| times.get(last * part / 100).map_or(0, Duration::as_micros);
    format!("min {} µs, median {} µs, 90 % {} µs", at(0), at(50), at(90))
}
