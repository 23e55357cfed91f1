//! `cargo xtask demo`: what RYE does, shown in a project of its own that is gone afterwards.

mod figures;
mod graph;
mod scratch;
mod session;
mod stage;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use self::figures::{Figure, ServerFigure, Start, table};
use self::scratch::Scratch;
use self::session::Session;
use self::stage::{Expect, Stage, median, show_text};
use crate::error::TaskError;
use crate::program::{Profile, Program, nothing_left};
use crate::workspace::Workspace;

/// The languages that are shown, by the names of their templates.
const LANGUAGES: [&str; 3] = ["python", "bash", "node"];
const PARAMETERS: &str = r#"{"name":"World"}"#;
/// How often a call is made for a figure.
const RUNS: usize = 9;

const NEXT: &str = "\
next:
  cargo install --locked --path crates/rye  install the program, with everything that it needs inside
  rye init                                  in a folder of yours; then `rye new tool my/first --lang python`
  rye mcp install                           tell Claude Code, Codex, VS Code or another client about it
  rye help start                            the same steps, one by one
";

/// Builds the program, unless one is named by `--rye`, and shows what it does.
pub(crate) fn run(workspace: &Workspace, args: &[String]) -> Result<(), TaskError> {
    let mut args = args.to_vec();
    let program = Program::take(&mut args, Profile::Release)?;
    nothing_left(&args)?;
    let rye = program.path(workspace)?;
    let scratch = Scratch::new()?;
    println!("This happens in {}, which is removed at the end.", scratch.folder().display());
    let stage = Stage::new(&rye, &scratch);

    heading("A key, a folder for tools, and trust in this project");
    stage.show("init --owner ada", Expect::Success, 3)?;
    let tools = make_tools(&stage)?;
    let Some(first) = tools.first() else {
        return Err(TaskError::Demo {
            what: "there is no interpreter at all".to_owned(),
            said: String::new(),
        });
    };
    explain(&stage, first)?;
    let mut figures = run_tools(&stage, &tools)?;
    tamper(&stage, first)?;
    agent(&stage, first, &mut figures)?;
    graphs(&stage, first)?;

    heading("How long a call took: a new process each time, and a server that has one ready");
    show_text(&table(&figures), usize::MAX);
    println!(
        "\nMedians of {RUNS} calls on this machine, now. `cargo xtask bench` measures with care.\n\n{NEXT}"
    );
    Ok(())
}

fn heading(text: &str) {
    println!("\n== {text}\n");
}

/// A tool that was made, with its file.
struct Tool {
    id: String,
    file: String,
}

/// Makes a tool in each language whose interpreter is here.
fn make_tools(stage: &Stage<'_>) -> Result<Vec<Tool>, TaskError> {
    heading("A tool in each language, from a template, signed at once");
    let mut tools = Vec::new();
    for language in LANGUAGES {
        let id = format!("demo/{language}_greet");
        let printed = stage.show(&format!("new tool {id} --lang {language}"), Expect::Success, 1)?;
        let plan = stage.output(&["explain", id.as_str(), "--params", PARAMETERS])?;
        let said = String::from_utf8_lossy(&plan.stdout);
        if plan.status.success() {
            let file =
                printed.lines().next().unwrap_or_default().split_whitespace().last().unwrap_or_default();
            tools.push(Tool { id, file: file.to_owned() });
        } else if said.contains("INTERPRETER_NOT_FOUND") {
            println!("    (left out from here on: what runs {language} is not on this machine)");
        } else {
            return Err(TaskError::Demo { what: format!("`{id}` cannot run"), said: said.into_owned() });
        }
    }
    Ok(tools)
}

fn explain(stage: &Stage<'_>, tool: &Tool) -> Result<(), TaskError> {
    heading("What exactly would run, from where, signed by whom");
    stage.show(&format!("explain {} --params {PARAMETERS}", tool.id), Expect::Success, 6)?;
    Ok(())
}

fn run_tools(stage: &Stage<'_>, tools: &[Tool]) -> Result<Vec<Figure>, TaskError> {
    heading("They run, each in a new process; then their own examples");
    let mut figures = Vec::new();
    for Tool { id, .. } in tools {
        stage.show(&format!("execute {id} --name World"), Expect::Success, 3)?;
        let command_line = stage.time(&["execute", id.as_str(), "--name", "World"], RUNS)?;
        figures.push(Figure { tool: id.clone(), command_line, server: None });
    }
    let ids: Vec<_> = tools.iter().map(|tool| tool.id.as_str()).collect();
    stage.show(&format!("test {}", ids.join(" ")), Expect::Success, 10)?;
    Ok(figures)
}

/// Changes a file after it was signed.
fn tamper(stage: &Stage<'_>, tool: &Tool) -> Result<(), TaskError> {
    heading("Somebody changes a signed file, and it does not run any more");
    let failed = |action| move |source| TaskError::File { action, path: tool.file.clone().into(), source };
    let text = std::fs::read_to_string(&tool.file).map_err(failed("read"))?;
    let changed = text.replace("Hello {", "Goodbye {").replace("Hello $", "Goodbye $");
    std::fs::write(&tool.file, changed).map_err(failed("write"))?;
    println!("    ({} says `Goodbye` now)", tool.file);
    stage.show(&format!("execute {} --name World", tool.id), Expect::Refusal("SIGNATURE_INVALID"), 4)?;
    Ok(())
}

/// A session with all five tools, in which the changed file is signed again, and calls are timed.
fn agent(stage: &Stage<'_>, changed: &Tool, figures: &mut [Figure]) -> Result<(), TaskError> {
    heading("An agent, through `rye mcp serve`: five tools, however many items there are");
    let mut session = Session::open(stage)?;
    let listed = session.request("tools/list", &json!({}))?;
    let names = listed["tools"].as_array().into_iter().flatten().map(|tool| text(&tool["name"]));
    println!("    tools/list -> {}", names.collect::<Vec<_>>().join(", "));

    let found = session.call("search", &json!({ "query": "greets", "space": "project" }))?;
    let ids = found["hits"].as_array().into_iter().flatten().map(|hit| text(&hit["id"]));
    say("search", r#"{"query": "greets"}"#, &ids.collect::<Vec<_>>().join(", "));

    let id = &changed.id;
    let loaded = session.call("load", &json!({ "item_id": id }))?;
    say("load", id, &format!("signature: {}", text(&loaded["signer"]["state"])));
    let call = json!({ "item_id": id, "parameters": { "name": "World" } });
    let refused = session.call("execute", &call)?;
    wants(&refused["error"]["code"], "SIGNATURE_INVALID", "the changed file was not refused", &refused)?;
    say("execute", id, &format!("refused: {}", text(&refused["error"]["code"])));
    let signed = session.call("sign", &json!({ "item_id": id }))?;
    wants(&signed["items"][0]["result"], "signed", "the changed file was not signed", &signed)?;
    say("sign", id, &format!("the operator is asked: {:?} yes", session.questions.join(" ")));
    let done = session.call("execute", &call)?;
    wants(&done["status"], "success", "the signed file did not run", &done)?;
    say("execute", id, &done["data"].to_string());
    let help = session.call("help", &json!({}))?;
    let topics = help["topics"].as_array().map_or(0, Vec::len);
    say("help", "", &format!("{topics} topics"));

    for figure in figures {
        figure.server = Some(through_server(&mut session, &figure.tool)?);
    }
    Ok(())
}

/// The median time of calls that found a process ready, or of all of them if the runtime keeps none.
fn through_server(session: &mut Session, id: &str) -> Result<ServerFigure, TaskError> {
    let (mut warm, mut cold) = (Vec::new(), Vec::new());
    // A process is made ready while others work, so some calls come too early for one.
    while warm.len() < RUNS && cold.len() < RUNS * 3 {
        let start = Instant::now();
        let done = session.call("execute", &json!({ "item_id": id, "parameters": { "name": "World" } }))?;
        let times = if done["warm"] == true { &mut warm } else { &mut cold };
        times.push(start.elapsed());
        wants(&done["status"], "success", "a run through the server failed", &done)?;
        std::thread::sleep(Duration::from_millis(20));
    }
    let (start, times) = if warm.is_empty() { (Start::Cold, cold) } else { (Start::Warm, warm) };
    Ok(ServerFigure { time: median(times), start })
}

fn graphs(stage: &Stage<'_>, tool: &Tool) -> Result<(), TaskError> {
    heading("A graph that runs a tool for each element of a list");
    graph::greet_everybody(stage, &tool.id)
}

fn say(tool: &str, arguments: &str, answer: &str) {
    println!("    {tool:<8} {arguments} -> {answer}");
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn wants(value: &Value, wanted: &str, otherwise: &str, whole: &Value) -> Result<(), TaskError> {
    if value == wanted {
        return Ok(());
    }
    Err(TaskError::Demo { what: otherwise.to_owned(), said: format!("{whole:#}") })
}
