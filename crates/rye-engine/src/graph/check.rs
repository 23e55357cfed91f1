//! Checking a graph against the items that it names.

use std::collections::HashMap;

use rye_graph::{ActionSite, Graph, Param, Read};
use rye_item::{ItemId, ItemKind, ItemRef, ReadItem, Space};
use rye_metadata::{Position, Problem, Severity};
use rye_plan::parameters::{Schema, Violation, ViolationKind};
use rye_plan::{ChainDraft, ChainIssue, Parameters};
use serde_json::Value;

use super::circle::circle;
use crate::engine::Call;
use crate::items::Items;
use crate::{Engine, EngineError, LoadRequest, with_sources};

/// What is wrong with a graph.
#[derive(Debug)]
pub struct GraphCheck {
    /// The graph's item.
    pub item: ItemRef,
    /// Its file.
    pub path: std::path::PathBuf,
    /// The graph, if it could be walked as far as its file goes.
    pub graph: Option<Graph>,
    /// Everything that is wrong, with its place, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Whether the items that a graph names have to be signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NamedItems {
    /// They have to be what may run.
    MayRun,
    /// They may still be unsigned.
    MayBeUnsigned,
}

/// What the check knows of an item that a graph names.
struct Named {
    /// Why it cannot be executed.
    issues: Vec<String>,
    schema: Option<Schema>,
}

impl GraphCheck {
    /// Whether there is anything that would stop it.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|problem| problem.severity == Severity::Error)
    }
}

impl Engine {
    /// Checks the file of a graph, whether it is signed or not: its form, the items that it names, and the parameters that
    /// it gives them.
    ///
    /// # Errors
    /// If there is no such item.
    pub fn check_graph(&self, id: &str) -> Result<GraphCheck, EngineError> {
        let request = LoadRequest { kind: ItemKind::Tool, id: id.to_owned(), from: None, to: None };
        let loaded = self.load(&request)?.item;
        let call = self.call()?;
        let trust = self.trust_of(&call)?;
        let items = Items { call: &call, verifier: trust.verifier(self) };
        let (graph, mut problems) = check_file(&loaded.file, &call, &items, NamedItems::MayRun);
        // What is wrong with the graph as an item comes on top, unless it is the same.
        for problem in loaded.problems.into_iter().filter(|problem| problem.severity == Severity::Error) {
            if problems.iter().all(|known| known.field != problem.field) {
                problems.push(problem);
            }
        }
        if let Some(error) =
            loaded.metadata.config_schema.as_ref().and_then(|schema| Schema::compile(schema).err())
        {
            problems.push(problem("config_schema", None, &format!("is not a JSON Schema: {error}")));
        }
        sort(&mut problems);
        Ok(GraphCheck {
            item: loaded.file.item().clone(),
            path: loaded.file.path().to_owned(),
            graph,
            problems,
        })
    }
}

/// Checks the file of a graph: its form, the items that it names, and the parameters that it gives them. Gives the graph, if
/// it could be walked as far as its file goes.
pub(crate) fn check_file(
    file: &ReadItem,
    call: &Call,
    items: &Items<'_>,
    named: NamedItems,
) -> (Option<Graph>, Vec<Problem>) {
    let Read { graph, draft, mut problems } =
        rye_graph::read(&String::from_utf8_lossy(file.bytes().as_slice()));
    if let Some(found) = graph.as_ref().or(draft.as_ref()) {
        problems.extend(check_items(found, file.item(), call, items, named));
        sort(&mut problems);
    }
    (graph, problems)
}

fn check_items(
    graph: &Graph,
    own: &ItemRef,
    call: &Call,
    items: &Items<'_>,
    mode: NamedItems,
) -> Vec<Problem> {
    let mut known = HashMap::new();
    let mut problems = Vec::new();
    for site in graph.actions() {
        let Some(id) = site.item_id() else { continue };
        let field = format!("{}.item_id", site.field());
        if own.kind == site.item_kind() && own.id.as_str() == id {
            problems.push(problem(
                &field,
                site.position(),
                "names the graph itself, which would have no end",
            ));
            continue;
        }
        let named = known
            .entry((site.item_kind(), id))
            .or_insert_with(|| look_at(own, call, items, site.item_kind(), id, mode));
        problems.extend(named.issues.iter().map(|issue| problem(&field, site.position(), issue)));
        if let Some(schema) = &named.schema {
            check_params(&site, schema, &mut problems);
        }
    }
    problems
}

/// In the order of the file; what has no place comes last.
fn sort(problems: &mut [Problem]) {
    problems.sort_by_key(|problem| problem.position.map_or((u32::MAX, u32::MAX), |at| (at.line, at.column)));
}

fn look_at(
    own: &ItemRef,
    call: &Call,
    items: &Items<'_>,
    kind: ItemKind,
    id: &str,
    mode: NamedItems,
) -> Named {
    let failed = |issue: String| Named { issues: vec![issue], schema: None };
    let item = match ItemId::new(id) {
        Ok(id) => ItemRef::new(kind, id),
        Err(error) => return failed(error.to_string()),
    };
    if kind != ItemKind::Tool {
        let found = call.locate(&item, Space::Project).map_err(EngineError::from);
        let element = found.and_then(|located| items.look_at(located).map_err(EngineError::from));
        return match element.map(|element| element.trust.map(|_| ())) {
            Ok(Err(refusal)) if mode == NamedItems::MayRun => {
                failed(format!("cannot run: {}", with_sources(&*refusal)))
            }
            Ok(_) => Named { issues: Vec::new(), schema: None },
            Err(error) => failed(with_sources(&error)),
        };
    }
    let draft = match ChainDraft::explore(&item, items) {
        Ok(draft) => draft,
        Err(error) => return failed(with_sources(&EngineError::from(error))),
    };
    let counts = |issue: &&ChainIssue| mode == NamedItems::MayRun || !matches!(issue, ChainIssue::Refused(_));
    let issues = draft.issues.iter().filter(counts);
    let mut issues: Vec<_> = issues.map(|issue| format!("cannot run: {}", with_sources(issue))).collect();
    let metadata = draft.elements.first().map(|element| &element.metadata);
    if metadata.is_some_and(|metadata| metadata.is_graph())
        && let Some(way) = circle(own, &item, call, items)
    {
        issues.push(in_words(&way));
    }
    let schema = metadata.and_then(|metadata| metadata.config_schema.as_ref());
    // A schema that is none is the concern of whoever signs the item.
    Named { issues, schema: schema.and_then(|schema| Schema::compile(schema).ok()) }
}

fn in_words(way: &[ItemRef]) -> String {
    let is_circle = way.split_last().is_some_and(|(last, before)| before.contains(last));
    let how = if is_circle { "in a circle" } else { "deeper than a run goes" };
    let way: Vec<_> = way.iter().map(ToString::to_string).collect();
    format!("leads from graph to graph, {how}: {}", way.join(" -> "))
}

/// Holds the parameters that are known before a run against the schema of the item.
fn check_params(site: &ActionSite<'_>, schema: &Schema, problems: &mut Vec<Problem>) {
    let literal = |param: &Param| Some((param.name.clone(), param.value.as_literal()?.clone()));
    let values: Vec<(String, Value)> = site.params().iter().filter_map(literal).collect();
    let Ok(parameters) = Parameters::from_pairs(values) else { return };
    let Err(errors) = parameters.check(schema) else { return check_names(site, schema, problems) };
    for violation in &errors.violations {
        let name = violation.path.split('/').nth(1).unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let param = site.params().iter().find(|param| param.name == name);
        match (&violation.kind, param) {
            // What is known only during a run may be anything.
            (_, Some(param)) if param.value.as_literal().is_none() => {}
            (ViolationKind::Missing { .. }, None) => problems.push(problem(
                &format!("{}.params.{name}", site.field()),
                site.position(),
                &violation.kind.to_string(),
            )),
            // It is about all parameters, of which only some are known.
            (_, None) => {}
            (kind, Some(param)) => {
                let within = within(violation);
                let field = format!("{}.params.{name}{within}", site.field());
                problems.push(problem(&field, param.position, &kind.to_string()));
            }
        }
    }
    check_names(site, schema, problems);
}

/// Names of parameters that are no names of the item's, whatever their values become.
fn check_names(site: &ActionSite<'_>, schema: &Schema, problems: &mut Vec<Problem>) {
    let source = schema.source();
    if source.get("additionalProperties") != Some(&Value::Bool(false))
        || source.get("patternProperties").is_some()
    {
        return;
    }
    let Some(properties) = source.get("properties").and_then(Value::as_object) else { return };
    for param in site.params().iter().filter(|param| param.value.as_literal().is_none()) {
        if !properties.contains_key(&param.name) {
            let field = format!("{}.params.{}", site.field(), param.name);
            problems.push(problem(&field, param.position, "is unknown to the item"));
        }
    }
}

/// The rest of a violation's path, as problems name fields.
fn within(violation: &Violation) -> String {
    violation.path.split('/').skip(2).flat_map(|part| [".", part]).collect()
}

fn problem(field: &str, position: Option<Position>, message: &str) -> Problem {
    Problem { severity: Severity::Error, field: field.to_owned(), message: message.to_owned(), position }
}
