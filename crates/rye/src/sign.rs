//! `rye sign`: one item or many.

use std::process::ExitCode;

use rye_engine::{
    Engine, EngineSettings, LoadRequest, SignEvent, SignRefusal, SignReport, SignRequest, Signed, SignedItem,
    SignedManifest,
};
use rye_item::{ItemKind, Space};
use rye_trust::ManifestChanges;
use serde_json::{Value, json};

use crate::cli::SignArgs;
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::problems::{problem_json, problem_lines};
use crate::progress::Progress;
use crate::table::{Table, one_line};
use crate::{first_steps, signing_key};

/// So many files of each kind of change are named.
const MAX_NAMES: usize = 20;
const FAILED: u8 = 3;

pub(crate) fn sign(
    settings: EngineSettings,
    args: &SignArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let engine = Engine::new(settings);
    let key =
        signing_key::open(&engine.settings().spaces).map_err(|error| lead_to_key(error, &engine, args))?;
    let request =
        |pattern: &String| SignRequest { pattern: pattern.clone(), kind: args.kind, space: args.space };
    let requests: Vec<_> = args.patterns.iter().map(request).collect();
    let progress = Progress::new("signing", 0, output);
    engine.check_signing_key(&key)?;
    let report = engine.sign_all(&requests, &key, &|event| match event {
        SignEvent::Found(count) => progress.set_length(count),
        SignEvent::Done(count) => progress.set_position(count),
    })?;
    progress.end();
    if output.is_json() {
        print_json(&as_json(&report))?;
    } else {
        print_bytes(as_text(&report, output).as_bytes())?;
    }
    Ok(if report.is_good() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}

/// Who has no key yet is told how to get one, and everything else that the items need.
fn lead_to_key(error: CommandError, engine: &Engine, args: &SignArgs) -> CommandError {
    if first_steps::has_key(&engine.settings().spaces) {
        return error;
    }
    let space = args.space.or_else(|| {
        let kind = args.kind.unwrap_or(ItemKind::Tool);
        let request = LoadRequest { kind, id: args.patterns.first()?.clone(), from: None, to: None };
        Some(engine.load(&request).ok()?.item.space())
    });
    match first_steps::before_signing(engine, space.unwrap_or(Space::Project)) {
        Some(command) => error.with_hint(format!("run `{command}`, or `rye keys import FILE`")),
        None => error,
    }
}

fn as_text(report: &SignReport, output: Output) -> String {
    let mut table = Table::default();
    for item in &report.items {
        let (tone, word, reason) = match &item.result {
            Ok(Signed::Line | Signed::Manifest) => (Tone::Good, "signed", String::new()),
            Ok(Signed::Already) => (Tone::Faint, "unchanged", String::new()),
            Err(SignRefusal::Graph { problems }) => (
                Tone::Bad,
                "refused",
                format!("its graph cannot be walked: {}", count(problems.len(), "problem")),
            ),
            Err(refusal) => (Tone::Bad, "refused", refusal.to_string()),
        };
        table.row([
            (tone, word.to_owned()),
            (Tone::Faint, item.space.to_string()),
            (Tone::Strong, item.item.to_string()),
            (Tone::Plain, reason),
        ]);
    }
    let mut text = table.render(output);
    for item in &report.items {
        if let Err(SignRefusal::Graph { problems }) = &item.result {
            text.push_str(&problem_lines(&item.path, problems, output));
        }
    }
    for manifest in &report.manifests {
        text.push_str(&manifest_text(manifest, output));
    }
    text.push_str(&output.paint(Tone::Faint, summary(report)));
    text.push('\n');
    text
}

fn manifest_text(manifest: &SignedManifest, output: Output) -> String {
    let path = one_line(&manifest.path.display().to_string());
    if let Some(error) = &manifest.error {
        let word = output.paint(Tone::Bad, "refused");
        return format!("{word}  {path}: {}\n", one_line(&error.to_string()));
    }
    let changes = &manifest.changes;
    let counts = [(&changes.added, "new"), (&changes.changed, "changed"), (&changes.gone, "gone")];
    let words: Vec<_> = counts
        .iter()
        .filter(|(files, _)| !files.is_empty())
        .map(|(files, word)| format!("{} {word}", files.len()))
        .collect();
    let words = if words.is_empty() { "unchanged".to_owned() } else { words.join(", ") };
    let mut text = format!("{path}: {}, {words}\n", count(manifest.files, "file"));
    for (files, word) in counts {
        for file in files.iter().take(MAX_NAMES) {
            let word = output.paint(Tone::Warning, word);
            text.extend(["  ", &word, " ", &one_line(file), "\n"]);
        }
        if files.len() > MAX_NAMES {
            let more = (files.len() - MAX_NAMES).to_string();
            text.extend(["  and ", &more, " more that are ", word, "\n"]);
        }
    }
    text
}

fn summary(report: &SignReport) -> String {
    let number = |is: fn(&SignedItem) -> bool| report.items.iter().filter(|item| is(item)).count();
    let signed = number(|item| matches!(item.result, Ok(Signed::Line | Signed::Manifest)));
    let unchanged = number(|item| matches!(item.result, Ok(Signed::Already)));
    let refused = number(|item| item.result.is_err())
        + report.manifests.iter().filter(|manifest| manifest.error.is_some()).count();
    format!("{signed} signed with the key {}, {unchanged} unchanged, {refused} refused", report.key)
}

fn count(number: usize, word: &str) -> String {
    if number == 1 { format!("1 {word}") } else { format!("{number} {word}s") }
}

fn as_json(report: &SignReport) -> Value {
    let items = report.items.iter().map(|item| {
        let (result, reason) = match &item.result {
            Ok(Signed::Line) => ("line", None),
            Ok(Signed::Manifest) => ("manifest", None),
            Ok(Signed::Already) => ("unchanged", None),
            Err(refusal) => ("refused", Some(refusal.to_string())),
        };
        let mut json = json!({
            "kind": item.item.kind,
            "id": item.item.id,
            "space": item.space,
            "path": item.path.to_string_lossy(),
            "result": result,
            "reason": reason,
        });
        if let Err(SignRefusal::Graph { problems }) = &item.result {
            json["problems"] = problems.iter().map(problem_json).collect();
        }
        json
    });
    let manifests = report.manifests.iter().map(|manifest| {
        let ManifestChanges { added, changed, gone } = &manifest.changes;
        json!({
            "path": manifest.path.to_string_lossy(),
            "files": manifest.files,
            "new": added,
            "changed": changed,
            "gone": gone,
            "reason": manifest.error.as_ref().map(ToString::to_string),
        })
    });
    json!({
        "key": report.key,
        "items": items.collect::<Vec<_>>(),
        "manifests": manifests.collect::<Vec<_>>(),
    })
}
