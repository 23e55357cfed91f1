//! A project and a home of their own for each test.

use std::fs;
use std::path::{Path, PathBuf};

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::{
    Detail, Engine, EngineSettings, Lifetime, SearchHit, SearchReport, SearchRequest, SignRequest, Sort,
    SpaceSettings,
};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_trust::{ExistingKey, KeyFolder, NewSigningKey, Strictness};
use tempfile::TempDir;

pub(crate) struct Tree {
    folder: TempDir,
}

/// What a search shows of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) kind: ItemKind,
    pub(crate) space: Space,
    pub(crate) description: Option<String>,
    pub(crate) problem: Option<String>,
    shadowed_by: Option<Space>,
}

impl Tree {
    /// A tree with an empty project.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("project/.ai")).unwrap();
        fs::create_dir_all(folder.path().join("home")).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, and makes the folders on the way to it.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// An engine that has not seen anything.
    pub(crate) fn engine(&self, lifetime: Lifetime) -> Engine {
        Engine::new(EngineSettings { cache: None, ..self.settings(lifetime) })
    }

    /// An engine that keeps its indexes in the tree.
    pub(crate) fn engine_with_cache(&self, lifetime: Lifetime) -> Engine {
        Engine::new(self.settings(lifetime))
    }

    /// An engine that keeps processes ready.
    pub(crate) fn warm_engine(&self) -> Engine {
        Engine::new(EngineSettings {
            warm: rye_engine::Warm::Pool(std::sync::Arc::default()),
            ..self.settings(Lifetime::Long)
        })
    }

    /// An engine with a key to sign with, in a project that it trusts.
    pub(crate) fn trusted(&self) -> (Engine, SigningKey) {
        let folder = KeyFolder::at(&self.path("home/.ai"));
        let new = NewSigningKey {
            owner: "ada",
            passphrase: None,
            existing: ExistingKey::Refuse,
            now: SystemClock.now(),
        };
        folder.generate(&new).unwrap();
        let engine = self.engine_with_cache(Lifetime::Short);
        engine.trust_project().unwrap();
        (engine, folder.signing_key(None).unwrap())
    }

    fn settings(&self, lifetime: Lifetime) -> EngineSettings {
        EngineSettings {
            spaces: self.spaces(),
            cache: Some(self.path("cache")),
            lifetime,
            keeps_signatures: false,
            strictness: Strictness::Strict,
            environment: [("PATH", "/usr/bin:/bin")].into_iter().collect(),
            program: "rye".into(),
            state: Some(self.path("state")),
            warm: rye_engine::Warm::Cold,
            sessions: None,
        }
    }

    /// Writes a shell tool, and signs it in the name of an operator who trusts the project.
    pub(crate) fn signed_tool(&self, name: &str, header: &str, script: &str) -> ItemRef {
        let contents = format!(
            "#!/bin/bash\n# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: 1.0.0\n{header}{script}\n"
        );
        self.write(&format!("project/.ai/tools/{name}.sh"), contents);
        self.sign(name)
    }

    /// Signs a tool in the name of an operator who trusts the project.
    pub(crate) fn sign(&self, name: &str) -> ItemRef {
        let engine = self.engine_with_cache(Lifetime::Short);
        engine.trust_project().unwrap();
        let keys = KeyFolder::at(&self.path("home/.ai"));
        if keys.own_key().unwrap().is_none() {
            let now = SystemClock.now();
            let new = NewSigningKey { owner: "me", passphrase: None, existing: ExistingKey::Refuse, now };
            keys.generate(&new).unwrap();
        }
        let key = keys.signing_key(None).unwrap();
        let request = SignRequest { pattern: name.to_owned(), kind: None, space: None };
        let report = engine.sign(&request, &key, &|_| {}).unwrap();
        assert!(report.items.iter().all(|item| item.result.is_ok()), "{report:?}");
        ItemRef::new(ItemKind::Tool, ItemId::new(name).unwrap())
    }

    fn spaces(&self) -> SpaceSettings {
        SpaceSettings {
            start: self.path("project"),
            project: Some(self.path("project")),
            home: Some(self.path("home")),
            user_space: None,
            system_space: None,
        }
    }
}

/// A shell tool with this description.
pub(crate) fn tool(description: &str) -> String {
    format!(
        "# tool_type: script\n# executor_id: bash_runtime\n# version: 1.0.0\n# description: {description}\n"
    )
}

/// Everything in the project and the user space.
pub(crate) fn everything(engine: &Engine) -> Vec<Seen> {
    let mut seen: Vec<_> = search(engine, "").hits.into_iter().map(Seen::from).collect();
    seen.retain(|seen| seen.space != Space::System);
    seen.sort();
    seen
}

/// The ids that a query finds.
pub(crate) fn ids(engine: &Engine, query: &str) -> Vec<String> {
    search(engine, query).hits.into_iter().map(|hit| hit.id).collect()
}

fn search(engine: &Engine, query: &str) -> SearchReport {
    let request = SearchRequest { sort: Sort::Id, limit: usize::MAX, ..SearchRequest::new(query) };
    engine.search(&request, Detail::Summary).unwrap()
}

impl From<SearchHit> for Seen {
    fn from(hit: SearchHit) -> Self {
        let SearchHit { id, kind, space, description, problem, shadowed_by, .. } = hit;
        Self { id, kind, space, description, problem, shadowed_by }
    }
}
