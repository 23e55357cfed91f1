//! A project whose tools are signed by an operator who trusts it, and the runs in it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use lillux::clock::{Clock as _, SystemClock};
use rye_engine::{Engine, EngineSettings, ExecuteRequest, Lifetime, SignRequest, SpaceSettings};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::parameters::Parameters;
use rye_run::journal::RunId;
use rye_trust::{ExistingKey, KeyFolder, NewSigningKey, Strictness};
use serde_json::Value;

use crate::space::{Call, RYE, TestSpace};

pub(crate) struct Workshop {
    pub(crate) space: TestSpace,
}

impl Workshop {
    /// A project without tools that sees what the program has inside.
    pub(crate) fn new() -> Self {
        Self { space: TestSpace::with_bundle() }
    }

    /// An engine that sees what the program sees.
    pub(crate) fn engine(&self) -> Engine {
        let path = |name: &str| self.space.path(name);
        let text = |name: &str| path(name).into_os_string();
        let variables =
            [("HOME", text("home")), ("XDG_CACHE_HOME", text("cache")), ("PATH", "/usr/bin:/bin".into())];
        Engine::new(EngineSettings {
            spaces: SpaceSettings {
                start: path("project"),
                project: None,
                home: Some(path("home")),
                user_space: None,
                system_space: None,
            },
            cache: Some(path("cache/rye")),
            lifetime: Lifetime::Short,
            keeps_signatures: false,
            strictness: Strictness::Strict,
            environment: variables.into_iter().collect(),
            program: RYE.into(),
            state: Some(path("home/.local/state/rye")),
            warm: rye_engine::Warm::Cold,
            sessions: None,
        })
    }

    /// Writes a shell tool and signs it.
    pub(crate) fn shell_tool(&self, name: &str, header: &str, script: &str) -> ItemRef {
        let head = "#!/bin/bash\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: 1.0.0\n";
        self.signed(name, "sh", &format!("{head}{header}{script}\n"))
    }

    /// Writes a tool and signs it.
    pub(crate) fn signed(&self, name: &str, extension: &str, contents: &str) -> ItemRef {
        self.space.write(&format!("project/.ai/tools/{name}.{extension}"), contents);
        let engine = self.engine();
        engine.trust_project().unwrap();
        let keys = KeyFolder::at(&self.space.path("home/.ai"));
        if keys.own_key().unwrap().is_none() {
            let now = SystemClock.now();
            let new = NewSigningKey { owner: "me", passphrase: None, existing: ExistingKey::Refuse, now };
            keys.generate(&new).unwrap();
        }
        let request = SignRequest { pattern: name.to_owned(), kind: None, space: None };
        let report = engine.sign(&request, &keys.signing_key(None).unwrap(), &|_| {}).unwrap();
        assert!(report.items.iter().all(|item| item.result.is_ok()), "{report:?}");
        ItemRef::new(ItemKind::Tool, ItemId::new(name).unwrap())
    }

    /// Starts a tool in the background.
    pub(crate) fn start(&self, tool: &ItemRef, parameters: &str) -> RunId {
        let parameters = Parameters::parse(parameters).unwrap();
        let request = ExecuteRequest { parameters, ..ExecuteRequest::new(tool.clone()) };
        self.engine().start_async(&request).unwrap()
    }

    /// Executes a tool, and waits until its record is written.
    pub(crate) fn execute(&self, tool: &ItemRef) -> RunId {
        let (report, record) =
            self.engine().execute(&ExecuteRequest::new(tool.clone()), None, &mut |_| {}).unwrap();
        record.write().unwrap();
        report.run_id
    }

    /// `rye runs` with these arguments.
    pub(crate) fn runs<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Call<'_> {
        self.space.rye(["runs"].into_iter().chain(args))
    }

    pub(crate) fn show(&self, id: RunId) -> Value {
        self.runs(["show", &id.to_string()]).json()
    }

    /// Waits for a file that a tool writes, and reads it.
    pub(crate) fn wait_for_file(&self, name: &str) -> String {
        eventually(name, || {
            std::fs::read_to_string(self.space.path(name)).ok().filter(|text| text.ends_with('\n'))
        })
    }

    /// The folder of a run's output.
    pub(crate) fn output(&self, id: RunId) -> PathBuf {
        self.space.path("project/.ai/state/output").join(id.to_string())
    }
}

/// Looks again and again until there is something to see.
pub(crate) fn eventually<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A time to sleep that no other process on this machine sleeps, so that it tells whose process it is.
pub(crate) fn own_time() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("3600.{}00{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The processes that have a text in their command line.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_text = |pid: &u32| {
        std::fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|line| line.windows(text.len()).any(|part| part == text.as_bytes()))
    };
    numbers.filter(has_text).collect()
}
