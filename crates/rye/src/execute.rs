//! `rye execute`: runs an item. Its answer is standard output; everything else goes to standard error.

mod arguments;
mod flag_value;
mod item_help;
mod report;

use std::io::{self, Read, Write};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use lillux::interrupt::cancel_on_interrupt;
use lillux::process::Channel;
use rye_engine::{Engine, EngineSettings, ExecuteReport, ExecuteRequest, Executed, LoadRequest};
use rye_item::{ItemId, ItemRef};
use rye_metadata::Metadata;
use rye_plan::Parameters;
use rye_run::runner::{Failure, RunEvent};

use crate::cli::{ExecuteArgs, RunOptions};
use crate::command_error::CommandError;
use crate::first_steps::lead_on;
use crate::output::{Output, Tone, print_bytes, print_json, print_json_masked};
use crate::progress::Progress;
use crate::{environment, plan_view};

pub(crate) use arguments::{ArgumentError, Arguments};
pub(crate) use report::{answer, in_words};

/// The exit codes of runs that did not succeed.
const FAILED: u8 = 1;
const TIMED_OUT: u8 = 124;
const INTERRUPTED: u8 = 130;
/// The most bytes of parameters that are read.
const MAX_PARAMETERS: u64 = 1024 * 1024 * 1024;

pub(crate) fn execute(
    mut settings: EngineSettings,
    args: &ExecuteArgs,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let Some((id, rest)) = args.rest.split_first() else {
        return if args.help { item_help::print_own() } else { Err(CommandError::no_id()) };
    };
    let item = ItemRef::new(args.kind, ItemId::new(id.as_str()).map_err(rye_engine::EngineError::from)?);
    // The project decides where the item is, so it has to be known before the item's own parameters are.
    if let Some(project) = named_project(rest) {
        settings.spaces.project = Some(environment::named_folder(&settings.spaces.start, project));
    }
    settings.warm = environment::warm();
    settings.keeps_signatures = true;
    // Our process ends with the call, and frees all of it at once.
    let engine = ManuallyDrop::new(Engine::new(settings));
    let metadata = if rest.is_empty() && !args.help { None } else { Some(metadata(&engine, &item)?) };
    let schema = metadata.as_ref().and_then(|metadata| metadata.config_schema.as_ref());
    let arguments = Arguments::read(id, rest, schema, &args.options);
    let arguments = arguments.map_err(|error| CommandError::arguments(&item, &error))?;
    let output = if arguments.wants_json { output.as_json() } else { output };
    if args.help || arguments.wants_help {
        return item_help::print(&item, &metadata.unwrap_or_default());
    }
    let request = request(item, &arguments)?;
    let options = &arguments.options;
    if options.dry_run {
        let plan = engine.dry_run(&request).map_err(|error| lead_on(error, &engine))?;
        return plan_view::print_plan(&plan, &engine.mask(&plan), output);
    }
    if options.is_async {
        return start(&engine, &request, output);
    }
    run(&engine, &request, options, output)
}

/// Lets the item run on its own, and tells by which name it is found again.
fn start(engine: &Engine, request: &ExecuteRequest, output: Output) -> Result<ExitCode, CommandError> {
    let id = engine.start_async(request).map_err(|error| lead_on(error, engine))?.to_string();
    if output.is_json() {
        print_json(&serde_json::json!({ "status": "running", "run_id": id }))?;
    } else {
        print_bytes(format!("{id}\n").as_bytes())?;
        output.note(Tone::Good, "hint", format!("`rye runs wait {id}` waits for its end"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the parameters from wherever they are.
pub(crate) fn read_parameters(source: &str) -> Result<Parameters, CommandError> {
    Parameters::parse(read_source(source)?).map_err(|error| CommandError::parameters(&error))
}

/// What an argument stands for: the text itself, `@FILE`, or `-` for standard input.
pub(crate) fn read_source(source: &str) -> Result<Vec<u8>, CommandError> {
    Ok(match source.strip_prefix('@') {
        _ if source == "-" => read_all(io::stdin().lock(), Path::new("standard input"))?,
        Some(path) => {
            let file = std::fs::File::open(path).map_err(|error| CommandError::input(path, &error))?;
            read_all(file, Path::new(path))?
        }
        None => source.as_bytes().to_vec(),
    })
}

fn read_all(input: impl Read, name: &Path) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    let read = input.take(MAX_PARAMETERS).read_to_end(&mut bytes);
    read.map_err(|error| CommandError::input(&name.display().to_string(), &error))?;
    Ok(bytes)
}

fn named_project(rest: &[String]) -> Option<&str> {
    let at = rest.iter().position(|arg| arg == "--project" || arg.starts_with("--project="))?;
    match rest[at].split_once('=') {
        Some((_, project)) => Some(project),
        None => rest.get(at + 1).map(String::as_str),
    }
}

fn metadata(engine: &Engine, item: &ItemRef) -> Result<Arc<Metadata>, CommandError> {
    let request = LoadRequest { kind: item.kind, id: item.id.as_str().to_owned(), from: None, to: None };
    Ok(engine.load(&request)?.item.metadata)
}

fn request(item: ItemRef, arguments: &Arguments) -> Result<ExecuteRequest, CommandError> {
    let RunOptions { params, timeout, locked, .. } = &arguments.options;
    let mut parameters = params.as_deref().map(read_parameters).transpose()?;
    if arguments.has_values() {
        let json = arguments.parameters(parameters.as_ref());
        let json = json.map_err(|error| CommandError::arguments(&item, &error))?;
        parameters = Some(Parameters::parse(json).map_err(|error| CommandError::parameters(&error))?);
    }
    let timeout = match timeout {
        None => None,
        Some(seconds) => {
            let duration = Duration::try_from_secs_f64(*seconds).ok().filter(|duration| !duration.is_zero());
            Some(duration.ok_or_else(|| CommandError::seconds(*seconds))?)
        }
    };
    let parameters = parameters.unwrap_or_default();
    Ok(ExecuteRequest { parameters, timeout, locked: *locked, ..ExecuteRequest::new(item) })
}

fn run(
    engine: &Engine,
    request: &ExecuteRequest,
    options: &RunOptions,
    output: Output,
) -> Result<ExitCode, CommandError> {
    let cancel = cancel_on_interrupt().map_err(|error| CommandError::input("signals", &error))?;
    let shows_errors = !output.is_json();
    let progress = Progress::new("running", 0, output);
    let executed = engine.execute(request, Some(&cancel), &mut |event| {
        if let RunEvent::Output { channel: Channel::Stderr, bytes } = event
            && shows_errors
        {
            // Who talks shows that it goes on.
            progress.end();
            // If nobody reads it, nothing is lost: its end is part of the report.
            let _ = io::stderr().write_all(bytes);
        }
    });
    progress.end();
    let (report, record) = executed.map_err(|error| lead_on(error, engine))?;
    let report = ManuallyDrop::new(report);
    for element in report.waived() {
        let text = format!("{} runs although nobody answers for it: RYE_DEV_MODE is set", element.item);
        output.note(Tone::Warning, "warning", text);
    }
    let mask = || report.plan.as_ref().map(|plan| engine.mask(plan)).unwrap_or_default();
    if options.trace && !output.is_json() {
        report::trace(&report, &mask(), output);
    }
    if output.is_json() {
        print_json_masked(&report::as_json(&report, options.trace), &mask())?;
    } else {
        print_answer(&report)?;
    }
    if let Err(error) = record.write() {
        let text = format!("the run is not on record: {}", rye_engine::with_sources(&error));
        output.note(Tone::Warning, "warning", text);
    }
    Ok(finish(&report, output))
}

/// Prints what the tool has printed, all of it.
fn print_answer(report: &ExecuteReport) -> Result<(), CommandError> {
    match &report.result {
        Executed::Text(text) => print_bytes(text.as_bytes()),
        Executed::Run { outcome, is_direct: true } => print_json(&report::direct(outcome)),
        Executed::Run { outcome, is_direct: false } => match &outcome.output.file {
            None => print_bytes(&outcome.output.bytes),
            Some((path, _)) => {
                let name = path.display().to_string();
                let mut file =
                    std::fs::File::open(path).map_err(|error| CommandError::input(&name, &error))?;
                match io::copy(&mut file, &mut io::stdout().lock()) {
                    Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                        Err(CommandError::output(&error))
                    }
                    _ => Ok(()),
                }
            }
        },
    }
}

fn finish(report: &ExecuteReport, output: Output) -> ExitCode {
    let Executed::Run { outcome, .. } = &report.result else { return ExitCode::SUCCESS };
    let Some(failure) = outcome.failure else { return ExitCode::SUCCESS };
    if !output.is_json() {
        report::failure(report, outcome, failure, output);
    }
    match failure {
        Failure::TimedOut { .. } => ExitCode::from(TIMED_OUT),
        Failure::Cancelled => ExitCode::from(INTERRUPTED),
        _ => ExitCode::from(FAILED),
    }
}
