//! Making the steps of a graph: each is an execution like any other.

use std::collections::BTreeMap;
use std::io::Read as _;

use lillux::CancelToken;
use rye_graph::driver::{Ancestor, StepCall, StepOutcome, StepRunner};
use rye_graph::{PermissionPattern, StartStep, StepFailure};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;
use rye_run::runner::{Failure, Outcome, OutputData};
use serde_json::{Map, Value, json};

use super::result_cache::ResultCache;
use super::{ANCESTORS_VARIABLE, KEY_VARIABLE};
use crate::{
    Engine, EngineError, ErrorCode, ExecuteReport, ExecuteRequest, Executed, LoadRequest, with_sources,
};

/// More than a value of a graph may have.
const LARGEST: u64 = 64 * 1024 * 1024;

/// What executes the steps of one graph.
#[derive(Debug)]
pub(super) struct EngineSteps<'e> {
    engine: &'e Engine,
    /// What each of the graphs around it may execute.
    bounds: Vec<(String, Vec<PermissionPattern>)>,
    /// The graphs around a step, for graphs within it.
    ancestors: Vec<Ancestor>,
    cache: Option<ResultCache>,
}

impl<'e> EngineSteps<'e> {
    /// For the steps of a graph, given those around it and it itself, the outermost first.
    pub(super) fn new(engine: &'e Engine, ancestors: &[Ancestor]) -> Self {
        // A pattern that cannot be read covers nothing.
        let patterns = |ancestor: &Ancestor| {
            ancestor.permissions.iter().filter_map(|text| PermissionPattern::parse(text).ok()).collect()
        };
        Self {
            engine,
            bounds: ancestors.iter().map(|ancestor| (ancestor.item.clone(), patterns(ancestor))).collect(),
            ancestors: ancestors.to_vec(),
            cache: engine.settings.cache.as_deref().map(ResultCache::new),
        }
    }

    fn execute(&self, call: &StepCall, cancel: &CancelToken) -> Result<StepOutcome, StepFailure> {
        let StartStep { item_kind, item_id, params, .. } = &call.start;
        if let Some((graph, _)) = self
            .bounds
            .iter()
            .find(|(_, patterns)| !patterns.iter().any(|pattern| pattern.allows(*item_kind, item_id)))
        {
            let message = format!("`{graph}` has no permission to execute `{item_kind}:{item_id}`");
            return Err(lasting(ErrorCode::PermissionDenied, message));
        }
        let id = ItemId::new(item_id.as_str()).map_err(|error| of_engine(&error.into()))?;
        let parameters = match params {
            Value::Object(map) if map.is_empty() => Parameters::default(),
            params => Parameters::parse(params.to_string())
                .map_err(|error| lasting(ErrorCode::ParamsInvalid, error.to_string()))?,
        };
        let variables = if *item_kind == ItemKind::Tool { self.variables(call) } else { BTreeMap::new() };
        let request =
            ExecuteRequest { parameters, variables, ..ExecuteRequest::new(ItemRef::new(*item_kind, id)) };
        let key = self.cache_key(call, &request)?;
        if let Some(result) = key.and_then(|(cache, key)| cache.get(key)) {
            return Ok(StepOutcome::Gives { result, cached: true });
        }
        let (report, record) =
            self.engine.execute(&request, Some(cancel), &mut |_| {}).map_err(|error| of_engine(&error))?;
        let result = result_of(&report);
        // The run counts, whether it is on record or not.
        let _ = record.write();
        let result = result?;
        if let Some((cache, key)) = key {
            cache.put(key, &result);
        }
        Ok(StepOutcome::Gives { result, cached: false })
    }

    fn variables(&self, call: &StepCall) -> BTreeMap<String, String> {
        let mut ancestors = self.ancestors.clone();
        if let Some(own) = ancestors.last_mut() {
            own.calls = Some(format!("{}:{}", call.start.item_kind, call.start.item_id));
        }
        let variables = [
            ("RYE_RUN_ID", call.run.clone()),
            ("RYE_STEP_ID", call.start.step.to_string()),
            (KEY_VARIABLE, call.key.clone()),
            (ANCESTORS_VARIABLE, json!(ancestors).to_string()),
        ];
        variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// By what the result of a step is kept, if it is to be. A text is made as quickly as it is looked up.
    fn cache_key(
        &self,
        call: &StepCall,
        request: &ExecuteRequest,
    ) -> Result<Option<(&ResultCache, lillux::Digest)>, StepFailure> {
        let Some(cache) = self.cache.as_ref().filter(|_| call.start.cache_result) else { return Ok(None) };
        if request.item.kind != ItemKind::Tool {
            return Ok(None);
        }
        let plan = self.engine.dry_run(request).map_err(|error| of_engine(&error))?;
        Ok(Some((cache, ResultCache::key(&call.start, &plan))))
    }
}

impl StepRunner for EngineSteps<'_> {
    fn run(&self, call: &StepCall, cancel: &CancelToken) -> StepOutcome {
        self.execute(call, cancel).unwrap_or_else(StepOutcome::Fails)
    }

    fn is_brief(&self, start: &StartStep) -> bool {
        // A text is a file that is read.
        start.item_kind != ItemKind::Tool
    }

    fn may_repeat(&self, start: &StartStep) -> bool {
        if start.item_kind != ItemKind::Tool {
            return true;
        }
        let request = LoadRequest { kind: start.item_kind, id: start.item_id.clone(), from: None, to: None };
        let Ok(report) = self.engine.load(&request) else { return false };
        let metadata = &report.item.metadata;
        let annotations = metadata.annotations.as_ref();
        let says = |hint: Option<bool>| hint == Some(true);
        // A graph that is called again by the same key goes on where it was.
        metadata.is_graph()
            || annotations.is_some_and(|hints| says(hints.idempotent_hint) || says(hints.read_only_hint))
    }
}

/// What an execution gave, as a value.
fn result_of(report: &ExecuteReport) -> Result<Value, StepFailure> {
    match &report.result {
        Executed::Text(text) => Ok(Value::from(text.as_str())),
        Executed::Run { outcome, is_direct } => {
            if let Some(failure) = outcome.failure {
                return Err(of_failure(failure, outcome));
            }
            if *is_direct { Ok(direct(outcome)) } else { data(outcome) }
        }
    }
}

/// What a primitive gives that was called itself.
fn direct(outcome: &Outcome) -> Value {
    match &outcome.http {
        Some(answer) => json!({
            "status": answer.status,
            "url": answer.url,
            "headers": answer.headers.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<_, _>>(),
            "body": data(outcome).unwrap_or_default(),
        }),
        None => json!({
            "stdout": String::from_utf8_lossy(&outcome.output.bytes),
            "stderr": String::from_utf8_lossy(&outcome.errors.bytes),
            "returncode": outcome.exit_code,
        }),
    }
}

fn data(outcome: &Outcome) -> Result<Value, StepFailure> {
    let stream = &outcome.output;
    if let Some((path, _)) = &stream.file {
        if stream.total > LARGEST {
            let message = format!("it printed {} bytes, more than a graph can hold", stream.total);
            return Err(lasting(ErrorCode::OutputLimit, message));
        }
        let mut text = String::new();
        let file = std::fs::File::open(path).and_then(|file| file.take(LARGEST).read_to_string(&mut text));
        file.map_err(|error| lasting(ErrorCode::OutputLimit, format!("its output is gone: {error}")))?;
        return Ok(serde_json::from_str(text.trim()).unwrap_or(Value::String(text)));
    }
    Ok(match stream.data() {
        OutputData::Nothing => Value::Null,
        OutputData::Json(json) => {
            serde_json::from_str(json.get()).unwrap_or_else(|_| Value::from(json.get()))
        }
        OutputData::Text(text) => Value::String(text),
    })
}

fn of_failure(failure: Failure, outcome: &Outcome) -> StepFailure {
    let how = match failure {
        Failure::Exit { code } => format!("it ended with exit code {code}"),
        Failure::Signal { signal } => format!("signal {signal} ended it"),
        Failure::TimedOut { limit } => format!("it took longer than {} s", limit.as_secs_f64()),
        Failure::Cancelled => "it was cancelled".to_owned(),
        Failure::OutputLimit { .. } => "it wrote more than it may".to_owned(),
        Failure::Status { status } => format!("the server answered with status {status}"),
    };
    let tail = outcome.errors_tail();
    let lines = || tail.lines().rev().map(str::trim).filter(|line| !line.is_empty());
    // What comes after an error is a hint, or a trace.
    let last = lines().find(|line| line.starts_with("error")).or_else(|| lines().next());
    let message = match last {
        Some(last) => format!("{how}: {last}"),
        None => how,
    };
    let retryable = failure != Failure::Cancelled;
    StepFailure { code: ErrorCode::of_failure(failure).as_str().to_owned(), message, retryable }
}

fn of_engine(error: &EngineError) -> StepFailure {
    let code = error.code();
    // Everything else would be refused again in the same way.
    let retryable = matches!(code, ErrorCode::SpawnFailed | ErrorCode::HttpFailed | ErrorCode::Timeout);
    StepFailure { retryable, ..lasting(code, with_sources(error)) }
}

fn lasting(code: ErrorCode, message: String) -> StepFailure {
    StepFailure { code: code.as_str().to_owned(), message, retryable: false }
}
