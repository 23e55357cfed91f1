//! The graph of an item that may run.

use std::path::Path;
use std::sync::Arc;

use lillux::clock::SystemClock;
use rye_graph::Graph;
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_metadata::Problem;
use rye_plan::Parameters;
use rye_run::journal::RunId;
use serde_json::Value;

use super::known_graphs::KnownGraph;
use crate::copies::Comparing;
use crate::{Engine, EngineError, ExecuteRequest};

/// A graph that was read from bytes which were verified, together with what it was called with.
#[derive(Debug, Clone)]
pub struct VerifiedGraph {
    /// The item.
    pub item: ItemRef,
    /// The graph.
    pub graph: Arc<Graph>,
    /// What it is called with, with the defaults of its schema.
    pub inputs: Value,
    /// What is not as it should be, and does not stop it.
    pub warnings: Vec<Problem>,
}

impl Engine {
    /// The graph that an execution would walk: found, verified, held against its lock, and its parameters against their
    /// schema.
    ///
    /// # Errors
    /// If the item could not be executed, or is no graph.
    pub fn graph(&self, request: &ExecuteRequest) -> Result<VerifiedGraph, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let run_id = RunId::generate(&SystemClock);
        let plan = self.plan(&call, &trust, request, &run_id, Comparing::Always)?;
        self.hold_lock(&call, &trust, &plan, request.locked)?;
        let inputs = inputs(&plan.parameters);
        let copy = plan.copy.as_ref().ok_or_else(|| EngineError::NotAGraph { item: request.item.clone() })?;
        self.graph_in(&plan.chain[0].item, &copy.tool, inputs)
    }

    /// The same for a graph of which only a part is to be walked, so that its parameters need not be complete. Defaults of its
    /// schema are there.
    ///
    /// # Errors
    /// As for [`Self::graph`].
    pub fn graph_without_parameters(&self, request: &ExecuteRequest) -> Result<VerifiedGraph, EngineError> {
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let bare = ExecuteRequest { parameters: Parameters::default(), ..request.clone() };
        let plan = self.plan_without_parameters(&call, &trust, &bare)?;
        self.hold_lock(&call, &trust, &plan, request.locked)?;
        let copy = plan.copy.as_ref().ok_or_else(|| EngineError::NotAGraph { item: request.item.clone() })?;
        let mut all = inputs(&plan.parameters);
        if let (Value::Object(all), Value::Object(given)) = (&mut all, inputs(&request.parameters)) {
            all.extend(given);
        }
        self.graph_in(&plan.chain[0].item, &copy.tool, all)
    }

    /// The graph in a copy that an execution has made of it: whoever names the copy has verified it. `source` is the file
    /// that it is a copy of.
    ///
    /// # Errors
    /// If it cannot be read, or is no graph.
    pub fn graph_of_copy(
        &self,
        copy: &Path,
        source: &Path,
        inputs: Value,
    ) -> Result<VerifiedGraph, EngineError> {
        let call = self.call()?;
        let id = call
            .spaces
            .all()
            .find_map(|root| source.strip_prefix(root.kind_path(ItemKind::Tool)).ok())
            .map_or_else(|| Path::new(source.file_name().unwrap_or_default()).to_owned(), Path::to_owned);
        let id = ItemId::new(id.with_extension("").to_string_lossy())?;
        self.graph_in(&ItemRef::new(ItemKind::Tool, id), copy, inputs)
    }

    fn graph_in(&self, item: &ItemRef, copy: &Path, inputs: Value) -> Result<VerifiedGraph, EngineError> {
        let unreadable = |source| EngineError::RunLog { path: copy.to_owned(), source };
        let bytes = std::fs::read(copy).map_err(unreadable)?;
        let Ok(text) = String::from_utf8(bytes) else {
            return Err(EngineError::NotAGraph { item: item.clone() });
        };
        match self.known_graphs.get(&text) {
            Ok(KnownGraph { graph, warnings, .. }) => {
                Ok(VerifiedGraph { item: item.clone(), graph, inputs, warnings })
            }
            Err(problems) => Err(EngineError::GraphInvalid { item: item.clone(), problems }),
        }
    }
}

fn inputs(parameters: &Parameters) -> Value {
    serde_json::from_str(&parameters.to_json()).unwrap_or_default()
}
