//! `rye test`: whether the examples of items come out as they say.

mod comparison;
mod example;
mod report;
mod scratch;

use std::collections::HashSet;
use std::process::ExitCode;

use lillux::CancelToken;
use lillux::interrupt::cancel_on_interrupt;
use rye_engine::{
    Engine, EngineError, EngineSettings, ErrorCode, ExecuteRequest, Executed, LoadRequest, with_sources,
};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::Parameters;
use rye_run::runner::Failure;
use serde_json::Value;

use crate::cli::TestArgs;
use crate::command_error::CommandError;
use crate::execute;
use crate::output::Output;
use crate::progress::Progress;
use example::{Example, ExampleError, Expectation, Status};
use scratch::Scratch;

const FAILED: u8 = 1;
const INTERRUPTED: u8 = 130;

/// What became of one example.
struct Tested {
    item: ItemRef,
    /// Where it is, if it could be read.
    space: Option<Space>,
    description: String,
    verdict: Verdict,
}

enum Verdict {
    Passed,
    /// In which ways it came out otherwise, and more about each.
    Failed(Vec<Mismatch>),
    /// Why it was not run.
    Skipped(String),
}

/// One thing that is not as expected.
struct Mismatch {
    what: String,
    details: Vec<String>,
}

/// What came of a call.
struct Answer {
    status: Status,
    data: Value,
    /// The code and the message of the error.
    error: Option<(&'static str, String)>,
    /// The end of what it said.
    said: String,
    was_cancelled: bool,
}

pub(crate) fn test(
    settings: EngineSettings,
    args: &TestArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let engine = Engine::new(settings);
    let items = items(&engine, args)?;
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::input("signals", &error))?;
    let progress = Progress::new("testing", items.len(), output);
    let mut all = Vec::new();
    for item in items {
        if !test_item(&engine, &item, &cancel, &mut all)? {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        progress.step();
    }
    progress.end();
    report::print(&all, output)?;
    let passed = all.iter().filter(|tested| matches!(tested.verdict, Verdict::Passed)).count();
    let failed = all.iter().any(|tested| matches!(tested.verdict, Verdict::Failed(_)));
    Ok(if failed || passed == 0 { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}

/// An item whose examples are to be run.
struct Wanted {
    item: ItemRef,
    /// Whether it was named, and not only met by a pattern.
    is_named: bool,
}

/// The items that are meant, each once.
fn items(engine: &Engine, args: &TestArgs) -> Result<Vec<Wanted>, CommandError> {
    let mut items = Vec::new();
    let mut extend = |found: Vec<(Space, ItemRef)>| {
        items.extend(found.into_iter().map(|(_, item)| Wanted { item, is_named: false }));
    };
    if args.all {
        extend(engine.list(None, args.kind)?);
    }
    let (patterns, ids): (Vec<_>, Vec<_>) =
        args.patterns.iter().partition(|text| rye_engine::is_pattern(text));
    for pattern in patterns {
        extend(engine.list(Some(pattern), args.kind)?);
    }
    for id in ids {
        let id = ItemId::new(id.as_str()).map_err(EngineError::from)?;
        items.push(Wanted { item: ItemRef::new(args.kind.unwrap_or(ItemKind::Tool), id), is_named: true });
    }
    let mut seen = HashSet::new();
    items.retain(|wanted| seen.insert(wanted.item.clone()));
    Ok(items)
}

/// Runs the examples of an item; says whether to go on.
fn test_item(
    engine: &Engine,
    wanted: &Wanted,
    cancel: &CancelToken,
    all: &mut Vec<Tested>,
) -> Result<bool, CommandError> {
    let Wanted { item, is_named } = wanted;
    let request = LoadRequest { kind: item.kind, id: item.id.to_string(), from: None, to: None };
    let loaded = match engine.load(&request) {
        Ok(report) => report.item,
        Err(error) if *is_named => return Err(error.into()),
        // One that cannot be read keeps no other from being tested.
        Err(error) => {
            let mismatch = Mismatch { what: with_sources(&error), details: Vec::new() };
            let description = "cannot be read".to_owned();
            all.push(Tested {
                item: item.clone(),
                space: None,
                description,
                verdict: Verdict::Failed(vec![mismatch]),
            });
            return Ok(true);
        }
    };
    let (item, space) = (loaded.item().clone(), loaded.space());
    let examples = loaded.metadata.examples.as_ref().map(example::all).unwrap_or_default();
    for (index, example) in examples.into_iter().enumerate() {
        let named = example.as_ref().ok().and_then(|example| example.description.clone());
        let description = named.unwrap_or_else(|| format!("example {}", index + 1));
        let verdict = match example {
            Err(error) => Verdict::wrong(&error),
            Ok(example) => match verdict(engine, &item, space, &example, cancel)? {
                Some(verdict) => verdict,
                None => return Ok(false),
            },
        };
        all.push(Tested { item: item.clone(), space: Some(space), description, verdict });
    }
    Ok(true)
}

/// Runs an example, unless there is a reason not to. Nothing, if somebody has interrupted it.
fn verdict(
    engine: &Engine,
    item: &ItemRef,
    space: Space,
    example: &Example,
    cancel: &CancelToken,
) -> Result<Option<Verdict>, CommandError> {
    if let Some(needs) = &example.needs {
        return Ok(Some(Verdict::Skipped(format!("it needs {needs}"))));
    }
    if example.expectation.is_empty() {
        return Ok(Some(Verdict::Skipped("it expects nothing".to_owned())));
    }
    let answer = if space == Space::Project {
        if !example.files.is_empty() {
            let what = "it brings `files`, and an item of a project runs in the project".to_owned();
            return Ok(Some(Verdict::Failed(vec![Mismatch { what, details: Vec::new() }])));
        }
        call(engine, item, example, cancel)?
    } else {
        let failed = |error| CommandError::unwritable(&std::env::temp_dir(), &error);
        let scratch = Scratch::new(&example.files).map_err(failed)?;
        let mut settings = engine.settings().clone();
        settings.spaces.project = Some(scratch.path().to_owned());
        call(&Engine::new(settings), item, example, cancel)?
    };
    if answer.was_cancelled {
        return Ok(None);
    }
    let mismatches = compare(&example.expectation, &answer);
    Ok(Some(if mismatches.is_empty() { Verdict::Passed } else { Verdict::Failed(mismatches) }))
}

fn call(
    engine: &Engine,
    item: &ItemRef,
    example: &Example,
    cancel: &CancelToken,
) -> Result<Answer, CommandError> {
    let params = Value::from(example.params.clone()).to_string();
    let parameters = Parameters::parse(params).map_err(|error| CommandError::parameters(&error))?;
    let request = ExecuteRequest { parameters, ..ExecuteRequest::new(item.clone()) };
    let (report, record) = match engine.execute(&request, Some(cancel), &mut |_| {}) {
        Ok(executed) => executed,
        Err(error) => {
            let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
            return Ok(Answer {
                status: Status::Error,
                data: Value::Null,
                error: Some((error.code().as_str(), format!("{}{hint}", with_sources(&error)))),
                said: String::new(),
                was_cancelled: false,
            });
        }
    };
    // A run without a record has come out as it has.
    let _ = record.write();
    let data = execute::answer(&report);
    Ok(match &report.result {
        Executed::Text(_) => {
            Answer { status: Status::Success, data, error: None, said: String::new(), was_cancelled: false }
        }
        Executed::Run { outcome, .. } => {
            let code = |failure| (ErrorCode::of_failure(failure).as_str(), execute::in_words(failure));
            Answer {
                status: if outcome.is_success() { Status::Success } else { Status::Error },
                data,
                error: outcome.failure.map(code),
                said: outcome.errors_tail(),
                was_cancelled: matches!(outcome.failure, Some(Failure::Cancelled)),
            }
        }
    })
}

fn compare(expectation: &Expectation, answer: &Answer) -> Vec<Mismatch> {
    let mut all = Vec::new();
    let failed = answer.error.as_ref().map(|(code, message)| format!("{message} [{code}]"));
    match (expectation.status(), answer.status) {
        (Status::Success, Status::Error) => {
            let what = failed.clone().unwrap_or_default();
            all.push(Mismatch { what, details: answer.said.lines().map(str::to_owned).collect() });
            // What a failed run has printed is not an answer.
            return all;
        }
        (Status::Error, Status::Success) => {
            let what = format!("it succeeded with {}", answer.data);
            all.push(Mismatch { what, details: Vec::new() });
        }
        (Status::Success, Status::Success) | (Status::Error, Status::Error) => {}
    }
    if let (Some(expected), Some((code, _))) = (&expectation.error, &answer.error)
        && expected != code
    {
        let what = format!("{expected} was expected: {}", failed.unwrap_or_default());
        all.push(Mismatch { what, details: Vec::new() });
    }
    if let Some(expected) = &expectation.result
        && let Some(details) = comparison::difference(expected, &answer.data)
    {
        all.push(Mismatch { what: "the result is another one".to_owned(), details });
    }
    if let Some(expected) = &expectation.contains {
        let details = comparison::missing(expected, &answer.data);
        if !details.is_empty() {
            all.push(Mismatch { what: "the result lacks something".to_owned(), details });
        }
    }
    all
}

impl Verdict {
    fn wrong(error: &ExampleError) -> Self {
        let what = format!("the example cannot be understood: {error}");
        Self::Failed(vec![Mismatch { what, details: Vec::new() }])
    }
}
