//! `rye new`: an item that works, from a template.

mod template;

use std::path::PathBuf;
use std::process::ExitCode;

use rye_engine::{
    Engine, EngineError, EngineSettings, HelpAnswer, HelpTopic, HelpTopics, SignRequest, TargetSpace,
    with_sources,
};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use serde_json::json;

use crate::cli::{NewArgs, NewKind, Target};
use crate::command_error::CommandError;
use crate::first_steps;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::signing_key;
use crate::table::Table;
use template::Made;

pub(crate) use template::TemplateError;

pub(crate) fn new(
    settings: EngineSettings,
    args: &NewArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let engine = Engine::new(settings);
    let (Some(kind), Some(name), false) = (args.kind, &args.name, args.list) else {
        return list(&engine, args.kind, output);
    };
    let id = ItemId::new(name.as_str()).map_err(EngineError::from)?;
    let template = find(&engine, kind, args.lang.as_deref())?;
    let made = template::fill(&template.text, &id)
        .map_err(|error| CommandError::template(kind.name(), &template.summary.name, &error))?;
    let target = match args.space {
        Target::Project => TargetSpace::Project,
        Target::User => TargetSpace::User,
    };
    let paths = engine.create(target, &made.items)?;
    let space = Space::from(target);
    let unsigned = if args.no_sign { Some(NotSigned::Unwanted) } else { sign(&engine, &made, space).err() };
    let next = next_commands(&engine, &made, space, unsigned.as_ref());
    let report = Report { made, paths, unsigned, next };
    report.print(output)?;
    Ok(ExitCode::SUCCESS)
}

/// Why something was not signed.
enum NotSigned {
    /// Nobody wanted it.
    Unwanted,
    /// Something is missing, or wrong.
    Because(String),
}

struct Report {
    made: Made,
    paths: Vec<PathBuf>,
    unsigned: Option<NotSigned>,
    next: Vec<String>,
}

impl NewKind {
    /// The folder of its templates.
    fn name(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Runtime => "runtime",
            Self::Directive => "directive",
            Self::Knowledge => "knowledge",
            Self::Graph => "graph",
        }
    }

    const ALL: [Self; 5] = [Self::Tool, Self::Runtime, Self::Directive, Self::Knowledge, Self::Graph];
}

/// The template that was named, or the only one.
fn find(engine: &Engine, kind: NewKind, lang: Option<&str>) -> Result<HelpTopic, CommandError> {
    let known = topics(engine, kind)?;
    let name = match (lang, known.topics.as_slice()) {
        (Some(lang), _) => lang,
        (None, [only]) => only.name.as_str(),
        (None, some) => {
            let names: Vec<_> = some.iter().map(|topic| topic.name.clone()).collect();
            return Err(CommandError::no_language(kind.name(), &names));
        }
    };
    match engine.template(kind.name(), Some(name)) {
        Ok(HelpAnswer::Topic(topic)) => Ok(topic),
        Ok(HelpAnswer::Topics(_)) | Err(EngineError::TopicNotFound { .. }) => {
            let names: Vec<_> = known.topics.iter().map(|topic| topic.name.clone()).collect();
            Err(CommandError::unknown_language(kind.name(), name, &names))
        }
        Err(error) => Err(error.into()),
    }
}

fn topics(engine: &Engine, kind: NewKind) -> Result<HelpTopics, CommandError> {
    match engine.template(kind.name(), None)? {
        HelpAnswer::Topics(topics) => Ok(topics),
        HelpAnswer::Topic(_) => Ok(HelpTopics { topics: Vec::new(), refused: Vec::new() }),
    }
}

fn list(engine: &Engine, kind: Option<NewKind>, output: Output) -> Result<ExitCode, CommandError> {
    let kinds = NewKind::ALL.into_iter().filter(|known| kind.is_none_or(|kind| kind == *known));
    let mut table = Table::default();
    let mut all = Vec::new();
    for kind in kinds {
        let known = topics(engine, kind)?;
        for topic in &known.topics {
            let description = topic.description.clone().unwrap_or_default();
            all.push(json!({
                "kind": kind.name(), "lang": topic.name, "description": description, "space": topic.space,
            }));
            table.row([
                (Tone::Plain, kind.name().to_owned()),
                (Tone::Strong, topic.name.clone()),
                (Tone::Plain, description),
                (Tone::Faint, topic.space.to_string()),
            ]);
        }
        for refused in &known.refused {
            let reason = with_sources(refused.error.refusal());
            let text = format!(
                "the template `{}` of the {} space is not used: {reason}",
                refused.name, refused.space
            );
            output.note(Tone::Warning, "note", text);
        }
    }
    if output.is_json() {
        print_json(&json!({ "templates": all }))?;
    } else {
        print_bytes(table.render(output).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Signs everything that was made, with the files that run with it.
fn sign(engine: &Engine, made: &Made, space: Space) -> Result<(), NotSigned> {
    let settings = &engine.settings().spaces;
    let because = |error: String| NotSigned::Because(error);
    if !first_steps::has_key(settings) {
        return Err(because("you have no key yet".to_owned()));
    }
    let key = signing_key::open(settings).map_err(|error| because(error.message().to_owned()))?;
    let requests: Vec<_> = made
        .items
        .iter()
        .map(|new| SignRequest {
            pattern: new.item.id.to_string(),
            kind: Some(new.item.kind),
            space: Some(space),
        })
        .collect();
    let failed = |error: EngineError| because(with_sources(&error));
    engine.check_signing_key(&key).map_err(failed)?;
    let report = engine.sign_all(&requests, &key, &|_| {}).map_err(failed)?;
    let refusals = report.items.iter().filter_map(|item| item.result.as_ref().err());
    let refusals = refusals.chain(report.manifests.iter().filter_map(|manifest| manifest.error.as_ref()));
    match refusals.map(ToString::to_string).next() {
        Some(reason) => Err(because(reason)),
        None => Ok(()),
    }
}

/// What to type next, as it is.
fn next_commands(engine: &Engine, made: &Made, space: Space, unsigned: Option<&NotSigned>) -> Vec<String> {
    let settings = &engine.settings().spaces;
    let mut next = Vec::new();
    if unsigned.is_some() {
        next.extend(first_steps::before_signing(engine, space));
        for kind in ItemKind::ALL {
            let items: Vec<&ItemRef> =
                made.items.iter().map(|new| &new.item).filter(|item| item.kind == kind).collect();
            if !items.is_empty() {
                next.push(first_steps::with_project(&rye_engine::sign_command(&items, space), settings));
            }
        }
    }
    next.extend(made.next.iter().map(|command| first_steps::with_project(command, settings)));
    next
}

impl Report {
    fn print(&self, output: Output) -> Result<(), CommandError> {
        let Self { made, paths, unsigned, next } = self;
        let reason = match unsigned {
            Some(NotSigned::Because(reason)) => Some(reason),
            _ => None,
        };
        if output.is_json() {
            let items = made.items.iter().zip(paths).map(|(new, path)| {
                json!({ "kind": new.item.kind, "id": new.item.id, "path": path.to_string_lossy() })
            });
            return print_json(&json!({
                "items": items.collect::<Vec<_>>(),
                "signed": unsigned.is_none(),
                "reason": reason,
                "next": next,
            }));
        }
        let word = if unsigned.is_none() { "made and signed" } else { "made" };
        let mut table = Table::default();
        for (new, path) in made.items.iter().zip(paths) {
            table.row([
                (Tone::Good, word.to_owned()),
                (Tone::Strong, new.item.to_string()),
                (Tone::Plain, path.display().to_string()),
            ]);
        }
        let mut text = table.render(output);
        if let Some(reason) = reason {
            let word = output.paint(Tone::Warning, "not signed:");
            text.extend([&word, " ", &crate::table::one_line(reason), "\n"]);
        }
        text.push_str("\nnext:\n");
        for command in next {
            text.extend(["  ", command, "\n"]);
        }
        print_bytes(text.as_bytes())
    }
}
