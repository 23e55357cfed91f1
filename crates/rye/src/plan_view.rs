//! A plan as people and programs see it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::process::ExitCode;

use rye_env::{Finding, Origin};
use rye_plan::{Action, HttpBody, HttpPlan, Plan, PlanElement, ProcessPlan};
use rye_run::mask::Mask;
use serde_json::{Map, Value, json};

use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json_masked};
use crate::trust::signer;

/// What stands for a value that is not shown.
const HIDDEN: &str = "***";
/// The most of the standard input that is shown.
const SHOWN_INPUT: usize = 4096;

/// Prints a plan in the form that was asked for.
pub(crate) fn print_plan(plan: &Plan, mask: &Mask, output: Output) -> Result<ExitCode, CommandError> {
    if output.is_json() {
        print_json_masked(&as_json(plan), mask)?;
    } else {
        print_bytes(mask.mask_text(&as_text(plan, output)).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A plan for people.
pub(crate) fn as_text(plan: &Plan, output: Output) -> String {
    let mut text = String::new();
    let heading = |text: &mut String, words: &str| {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "{}", output.paint(Tone::Strong, words));
    };
    heading(&mut text, "chain");
    for (depth, element) in plan.chain.iter().enumerate() {
        text.push_str(&element_line(element, depth, output));
    }
    if let Some(server) = &plan.server {
        heading(&mut text, "server");
        text.push_str(&element_line(server, 0, output));
    }
    if let Some((worker, helper)) =
        plan.worker.as_ref().and_then(|worker| Some((worker, worker.helper.as_ref()?)))
    {
        heading(&mut text, &format!("helper ({})", worker.mode.as_str()));
        text.push_str(&element_line(helper, 0, output));
    }
    for report in plan.environment.interpreters() {
        heading(&mut text, &format!("interpreter {} ({})", report.var, report.resolver));
        for place in &report.looked_at {
            let tone = if place.finding == Finding::Chosen { Tone::Good } else { Tone::Faint };
            let _ = writeln!(text, "  {}", output.paint(tone, place));
        }
        if let Some(chosen) = &report.chosen {
            let how = if report.is_fallback() { " (the fallback)" } else { "" };
            let _ = writeln!(text, "  = {}{how}", chosen.path.display());
        }
        if let Some(command) = &report.command {
            let _ = writeln!(text, "  `{}` was run to find it", command.command.join(" "));
        }
        for warning in &report.warnings {
            let _ = writeln!(text, "  {} {warning}", output.paint(Tone::Warning, "warning:"));
        }
    }
    let variables: Vec<_> = plan.environment.changes().collect();
    if !variables.is_empty() || !plan.secrets.is_empty() {
        heading(&mut text, "environment");
    }
    for (name, variable) in variables {
        let value = shown_value(&variable.value, &variable.origin);
        let origin = output.paint(Tone::Faint, format_args!("({})", origin(&variable.origin)));
        let _ = writeln!(text, "  {}={value} {origin}", name.to_string_lossy());
    }
    for secret in &plan.secrets {
        let _ = writeln!(
            text,
            "  {}={HIDDEN} {}",
            secret.env,
            output.paint(Tone::Faint, format_args!("(secret {})", secret.name))
        );
    }
    for line in plan.environment.refused_lines() {
        let word = output.paint(Tone::Warning, "left out:");
        let _ = writeln!(text, "  {word} {} of `{}`, line {}", line.name, line.path.display(), line.line);
    }
    if let Some(copy) = &plan.copy {
        heading(&mut text, "files");
        let _ = writeln!(text, "  {}", copy.root.display());
        for file in &copy.left_out {
            let word = output.paint(Tone::Warning, "left out:");
            let _ = writeln!(text, "  {word} `{}`: {}", file.path, file.reason);
        }
    }
    heading(&mut text, "command");
    match &plan.action {
        Action::Process(process) => {
            let _ = writeln!(text, "  {}", command_line(plan, process));
        }
        Action::Http(request) => {
            let _ = writeln!(text, "  {} {}", request.method.as_str(), request.url);
            for (name, value) in &request.headers {
                let _ = writeln!(text, "  {name}: {value}");
            }
            if let Some(auth) = &request.auth {
                let names: Vec<_> = auth.secrets().collect();
                let _ = writeln!(text, "  authorized by the secret {}", names.join(", "));
            }
        }
    }
    let _ = writeln!(text, "  at most {} s", plan.timeout.as_secs_f64());
    text
}

/// One element of a chain, as a line of a small tree.
pub(crate) fn element_line(element: &PlanElement, depth: usize, output: Output) -> String {
    let indent = if depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(depth - 1)) };
    let version = element.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let id = output.paint(Tone::Strong, &element.item.id);
    let digest = &element.digest.to_string()[..12];
    let mut line = format!(
        "  {indent}{id}{version} ({}) {digest}, signed by {}",
        element.space,
        signer(&element.signer)
    );
    if !element.shadows.is_empty() {
        let spaces: Vec<_> = element.shadows.iter().map(|space| space.name()).collect();
        let _ = write!(
            line,
            "{}",
            output.paint(Tone::Warning, format_args!(", hides that of {}", spaces.join(" and ")))
        );
    }
    line.push('\n');
    line
}

/// The plan for programs.
pub(crate) fn as_json(plan: &Plan) -> Value {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| object.insert(name.to_owned(), value);
    put("chain", plan.chain.iter().map(element_json).collect());
    put("extractors", plan.extractors.iter().map(element_json).collect());
    if let Some(server) = &plan.server {
        put("server", element_json(server));
    }
    if let Some(worker) = &plan.worker {
        let mut shown = Map::from_iter([("mode".to_owned(), json!(worker.mode))]);
        shown.extend(worker.helper.iter().map(|helper| ("helper".to_owned(), element_json(helper))));
        put("worker", Value::Object(shown));
    }
    put("primitive", json!(plan.primitive));
    match &plan.action {
        Action::Process(process) => put("process", process_json(plan, process)),
        Action::Http(request) => put("http", http_json(request)),
    };
    let variables = plan.environment.changes().map(|(name, variable)| {
        let value = shown_value(&variable.value, &variable.origin);
        json!({ "name": name.to_string_lossy(), "value": value, "origin": origin(&variable.origin) })
    });
    put("environment", variables.collect());
    put(
        "secrets",
        plan.secrets.iter().map(|secret| json!({ "name": secret.name, "env": secret.env })).collect(),
    );
    let interpreters = plan.environment.interpreters().iter().map(|report| {
        json!({
            "element": &*report.element,
            "var": report.var,
            "type": report.resolver,
            "looked_at": report.looked_at.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "path": report.chosen.as_ref().map(|chosen| &chosen.path),
            "fallback": report.is_fallback(),
            "inside_project": report.chosen.as_ref().is_some_and(|chosen| chosen.inside_project),
            "warnings": report.warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    });
    put("interpreters", interpreters.collect());
    if let Some(copy) = &plan.copy {
        let left_out = copy.left_out.iter();
        let left_out: Vec<_> =
            left_out.map(|file| json!({ "path": file.path, "reason": file.reason.to_string() })).collect();
        let digest = copy.snapshot.as_ref().map(rye_trust::snapshot::Snapshot::digest);
        put("files", json!({ "root": copy.root, "tool": copy.tool, "digest": digest, "left_out": left_out }));
    }
    put("timeout_s", json!(plan.timeout.as_secs_f64()));
    let mechanisms = lillux::process::Mechanism::STRONGEST_FIRST;
    put("containment", mechanisms.iter().map(|mechanism| mechanism.name()).collect());
    Value::Object(object)
}

/// One element of a chain.
pub(crate) fn element_json(element: &PlanElement) -> Value {
    json!({
        "kind": element.item.kind,
        "id": element.item.id,
        "space": element.space,
        "version": element.version,
        "path": element.path,
        "digest": element.digest,
        "signer": element.signer,
        "shadows": element.shadows,
    })
}

fn process_json(plan: &Plan, process: &ProcessPlan) -> Value {
    let stdin = String::from_utf8_lossy(&process.stdin[..process.stdin.len().min(SHOWN_INPUT)]).into_owned();
    json!({
        "program": process.program,
        "args": process.args,
        "cwd": process.cwd,
        "stdin": stdin,
        "stdin_bytes": process.stdin.len(),
        "command_line": command_line(plan, process),
    })
}

fn http_json(request: &HttpPlan) -> Value {
    json!({
        "method": request.method.as_str(),
        "url": request.url,
        "headers": request.headers,
        "body": match &request.body {
            None => Value::Null,
            Some(HttpBody::Text(text)) => json!(text),
            Some(HttpBody::Json(value)) => value.clone(),
        },
        "secrets": request.auth.iter().flat_map(rye_plan::HttpAuth::secrets).collect::<Vec<_>>(),
        "retries": request.retries,
    })
}

/// The command as one could type it.
fn command_line(plan: &Plan, process: &ProcessPlan) -> String {
    let mut line = format!("cd {} && ", word(&process.cwd.to_string_lossy()));
    if process.stdin.len() > SHOWN_INPUT {
        let _ = write!(line, "cat PARAMS.json | ");
    } else if !process.stdin.is_empty() {
        let _ = write!(line, "printf %s {} | ", word(&String::from_utf8_lossy(&process.stdin)));
    }
    let assignments: Vec<String> = plan
        .environment
        .changes()
        .filter(|(_, variable)| !matches!(variable.origin, Origin::DotEnv { .. }))
        .map(|(name, variable)| {
            format!("{}={}", name.to_string_lossy(), word(&variable.value.to_string_lossy()))
        })
        .collect();
    if !assignments.is_empty() {
        let _ = write!(line, "env {} ", assignments.join(" "));
    }
    line.push_str(&word(&process.program));
    for arg in &process.args {
        let _ = write!(line, " {}", word(arg));
    }
    line
}

fn word(text: &str) -> Cow<'_, str> {
    shlex::try_quote(text).unwrap_or(Cow::Borrowed(HIDDEN))
}

/// What a `.env` file says is often a secret, and nobody needs to see it to know where it came from.
fn shown_value(value: &OsStr, origin: &Origin) -> String {
    match origin {
        Origin::DotEnv { .. } => HIDDEN.to_owned(),
        _ => value.to_string_lossy().into_owned(),
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Process => "inherited".to_owned(),
        Origin::DotEnv { path, line } => format!("{}:{line}", path.display()),
        Origin::Interpreter { element, name } => format!("{name} of {element}"),
        Origin::Declared { element } => format!("env of {element}"),
        Origin::Tool => "config of the chain".to_owned(),
        Origin::Anchor { element } => format!("anchor of {element}"),
        _ => "somebody".to_owned(),
    }
}
