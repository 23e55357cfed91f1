//! Results that may be used again: by what was called, everything that it consists of, and what it was called with.

use std::fs::DirBuilder;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use lillux::Digest;
use lillux::clock::SystemClock;
use rye_graph::StartStep;
use rye_plan::Plan;
use rye_run::journal::RunId;
use serde_json::{Value, json};

/// A folder with results. What is in it can be made again.
#[derive(Debug)]
pub(super) struct ResultCache {
    folder: PathBuf,
}

impl ResultCache {
    pub(super) fn new(cache: &Path) -> Self {
        Self { folder: cache.join("graph-results") }
    }

    /// By what a result is known again. A chain of which anything is different gives another one.
    pub(super) fn key(start: &StartStep, plan: &Plan) -> Digest {
        let element = |element: &rye_plan::PlanElement| json!([element.item.to_string(), element.digest]);
        let key = json!({
            "version": 1,
            "chain": plan.chain.iter().chain(plan.extractors.iter()).map(element).collect::<Vec<_>>(),
            "server": plan.server.as_deref().map(element),
            "item": format!("{}:{}", start.item_kind, start.item_id),
            "params": sorted(&start.params),
        });
        Digest::of(key.to_string().as_bytes())
    }

    pub(super) fn get(&self, key: Digest) -> Option<Value> {
        serde_json::from_slice(&std::fs::read(self.path(key)).ok()?).ok()
    }

    /// Keeps a result. If it cannot be kept, it is made again the next time.
    pub(super) fn put(&self, key: Digest, result: &Value) {
        let put = || -> std::io::Result<()> {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
            let draft = self.folder.join(format!(".{}", RunId::generate(&SystemClock)));
            let mut file = std::fs::File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(&serde_json::to_vec(result)?)?;
            std::fs::rename(&draft, self.path(key))
        };
        let _ = put();
    }

    fn path(&self, key: Digest) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }
}

/// A value with the names of its objects in their order, so that the order in which a graph has them does not matter.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut names: Vec<_> = map.keys().collect();
            names.sort_unstable();
            names.into_iter().map(|name| (name.clone(), sorted(&map[name]))).collect()
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        other => other.clone(),
    }
}
