//! `rye explain`: what exactly would run, and what would stop it.

use std::fmt::Write as _;
use std::process::ExitCode;

use rye_engine::{Engine, EngineError, ErrorCode, ExecuteRequest, Explanation, with_sources};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::{ChainIssue, Element};
use rye_run::mask::Mask;
use serde_json::{Value, json};

use crate::cli::ExplainArgs;
use crate::command_error::CommandError;
use crate::execute::read_parameters;
use crate::output::{Output, Tone, print_bytes, print_json_masked};
use crate::{plan_view, trust};

pub(crate) fn explain(engine: &Engine, args: &ExplainArgs, output: Output) -> Result<ExitCode, CommandError> {
    let id = ItemId::new(args.id.as_str()).map_err(EngineError::from)?;
    let parameters = args.params.as_deref().map(read_parameters).transpose()?.unwrap_or_default();
    let item = ItemRef::new(ItemKind::Tool, id);
    let request = ExecuteRequest { parameters, locked: args.locked, ..ExecuteRequest::new(item) };
    let explanation = engine.explain(&request)?;
    let would_run = matches!(explanation.plan, Some(Ok(_)));
    let mask = match &explanation.plan {
        Some(Ok(plan)) => engine.mask(plan),
        _ => Mask::default(),
    };
    if output.is_json() {
        print_json_masked(&as_json(&explanation), &mask)?;
    } else {
        print_bytes(mask.mask_text(&as_text(&explanation, output)).as_bytes())?;
    }
    Ok(if would_run { ExitCode::SUCCESS } else { ExitCode::from(3) })
}

fn as_text(explanation: &Explanation, output: Output) -> String {
    let mut text = String::new();
    if let Some(Ok(plan)) = &explanation.plan {
        text.push_str(&plan_view::as_text(plan, output));
    } else {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{}", output.paint(Tone::Strong, "chain"));
        for (depth, element) in explanation.chain.elements.iter().enumerate() {
            text.push_str(&element_line(element, depth, output));
        }
    }
    if let Some(lock) = &explanation.lock {
        let _ = writeln!(text, "{}\n  {}", output.paint(Tone::Strong, "locked by"), lock.display());
    }
    let stops = stops(explanation);
    if !stops.is_empty() {
        let _ = writeln!(text, "{}", output.paint(Tone::Bad, "what stops it"));
    }
    for (code, message, _) in &stops {
        let _ = writeln!(text, "  {message} [{}]", code.as_str());
    }
    for hint in stops.iter().filter_map(|(_, _, hint)| hint.as_ref()) {
        let _ = writeln!(text, "  {} {hint}", output.paint(Tone::Good, "hint:"));
    }
    text
}

fn as_json(explanation: &Explanation) -> Value {
    let stops = stops(explanation);
    let stops: Vec<_> = stops
        .into_iter()
        .map(|(code, message, hint)| json!({ "code": code.as_str(), "message": message, "hint": hint }))
        .collect();
    let mut answer = match &explanation.plan {
        Some(Ok(plan)) => plan_view::as_json(plan),
        _ => json!({ "chain": explanation.chain.elements.iter().map(element_json).collect::<Vec<_>>() }),
    };
    answer["lock"] = json!(explanation.lock);
    answer["stops"] = json!(stops);
    answer
}

/// Everything that would stop it, with what to do.
fn stops(explanation: &Explanation) -> Vec<(ErrorCode, String, Option<String>)> {
    let of_issue = |issue: &ChainIssue| {
        (ErrorCode::of_issue(issue), issue.to_string(), rye_engine::hint_for_issue(issue))
    };
    let mut stops: Vec<_> = explanation.chain.issues.iter().map(of_issue).collect();
    if let Some(Err(error)) = &explanation.plan {
        stops.push((error.code(), with_sources(error), error.hint()));
    }
    stops
}

fn element_line(element: &Element, depth: usize, output: Output) -> String {
    let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
    let version =
        element.metadata.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let id = output.paint(Tone::Strong, &element.item().id);
    let digest = &element.file.bytes().digest().to_string()[..12];
    let who = match &element.trust {
        Ok(verified) => format!("signed by {}", trust::signer(verified.signer())),
        Err(error) => output.paint(Tone::Bad, with_sources(error.refusal())),
    };
    format!("  {indent}{id}{version} ({}) {digest}, {who}\n", element.space())
}

fn element_json(element: &Element) -> Value {
    json!({
        "kind": element.item().kind,
        "id": element.item().id,
        "space": element.space(),
        "version": element.metadata.version,
        "path": element.file.path(),
        "digest": element.file.bytes().digest(),
        "signer": element.trust.as_ref().ok().map(rye_trust::Verified::signer),
        "refused": element.trust.as_ref().err().map(|error| with_sources(error.refusal())),
        "shadows": element.shadows,
    })
}
