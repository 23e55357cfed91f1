//! `load`.

use std::sync::Arc;

use base64ct::{Base64, Encoding as _};
use lillux::Digest;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rye_engine::{
    Copy, CopyTarget, Engine, EngineError, ErrorCode, Item, LoadReport, LoadRequest, Overwrite, TargetSpace,
    with_sources,
};
use rye_item::Space;
use serde_json::{Value, json};

use super::arguments::{DestinationArgument, LoadArguments};
use super::consent::{Consent, Question};
use super::failure::Failure;
use super::handler::Shared;
use super::policy::Policy;
use super::reply::{BUDGET, PREVIEW, Reply, beginning};
use super::resource_uri::ResourceUri;
use super::shell_command::shell_command;

/// What came of an attempt to load without replacing a file.
enum Loaded {
    Done(Box<Reply>),
    /// There is a file in this space that may be replaced.
    Taken(DestinationArgument),
}

/// What a copy would replace.
struct Replacement {
    /// The space of the item that is copied.
    from: Space,
    /// What tells it from any other: what is there, and what would be.
    digest: Digest,
}

pub(super) async fn load(
    server: &Arc<Shared>,
    arguments: LoadArguments,
    call: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Failure> {
    let engine = server.projects.engine(arguments.project_path.as_deref())?;
    let arguments = Arc::new(arguments);
    let (looking, given) = (Arc::clone(&engine), Arc::clone(&arguments));
    let destination = match server.places.look(move || load_beside(&looking, &given)).await? {
        Loaded::Done(reply) => return Ok(CallToolResult::from(*reply).into()),
        Loaded::Taken(destination) => destination,
    };
    let mut question = question(server, &arguments, destination)?;
    if question.has_to_be_asked(context)? {
        let (looking, given) = (Arc::clone(&engine), Arc::clone(&arguments));
        let shown = server.places.look(move || replacement(&looking, &given, destination)).await?;
        question.message = message(&arguments, destination, shown.from);
        question.about = Some(shown.digest);
    }
    if let Consent::Asked(question) = server.questions.ask(&question, call, context).await? {
        return Ok((*question).into());
    }
    let replacing = move || {
        if let Some(agreed) = question.about
            && replacement(&engine, &arguments, destination)?.digest != agreed
        {
            return Err(question.changed());
        }
        Ok(answer(&engine.load(&request(&arguments, Overwrite::Replace))?, &arguments))
    };
    Ok(CallToolResult::from(server.places.look(replacing).await?).into())
}

fn load_beside(engine: &Engine, arguments: &LoadArguments) -> Result<Loaded, Failure> {
    match (engine.load(&request(arguments, Overwrite::Refuse)), arguments.destination) {
        (Err(EngineError::Store(error)), Some(destination))
            if arguments.overwrite && error.already_exists() =>
        {
            Ok(Loaded::Taken(destination))
        }
        (loaded, _) => Ok(Loaded::Done(Box::new(answer(&loaded?, arguments)))),
    }
}

fn request(arguments: &LoadArguments, overwrite: Overwrite) -> LoadRequest {
    let to = arguments.destination.map(|destination| CopyTarget { space: destination.into(), overwrite });
    LoadRequest { kind: arguments.item_type, id: arguments.item_id.clone(), from: arguments.source, to }
}

fn replacement(
    engine: &Engine,
    arguments: &LoadArguments,
    destination: DestinationArgument,
) -> Result<Replacement, Failure> {
    let source = LoadRequest { to: None, ..request(arguments, Overwrite::Refuse) };
    let item = engine.load(&source)?.item;
    let there = LoadRequest { id: item.item().id.to_string(), from: Some(destination.into()), ..source };
    let digest = |item: &Item| Digest::of(item.file.bytes().as_slice());
    // What cannot be read as an item, a link for example, can be replaced as well.
    let there = engine.load(&there).ok().map(|there| digest(&there.item));
    let digest = Digest::of(format!("{} {there:?}", digest(&item)).as_bytes());
    Ok(Replacement { from: item.space(), digest })
}

fn question(
    server: &Shared,
    arguments: &LoadArguments,
    destination: DestinationArgument,
) -> Result<Question, Failure> {
    Ok(Question {
        rule: Policy::read(&server.user_space()?)?.destructive,
        name: "destructive",
        action: format!("replacing `{}` in the {} space", arguments.item_id, Space::from(destination)),
        message: String::new(),
        command: command(arguments, destination),
        about: None,
    })
}

fn message(arguments: &LoadArguments, destination: DestinationArgument, from: Space) -> String {
    let project = arguments.project_path.as_ref().map(|path| path.to_string_lossy());
    let place = project.map(|path| format!(" in `{}`", path.escape_debug())).unwrap_or_default();
    let LoadArguments { item_type, item_id, .. } = arguments;
    format!(
        "Replace the {item_type} `{}` of the {} space by that of the {from} space{place}?",
        item_id.escape_debug(),
        Space::from(destination)
    )
}

fn command(arguments: &LoadArguments, destination: DestinationArgument) -> String {
    let kind = arguments.item_type.to_string();
    let source = arguments.source.map(|space| space.to_string());
    let destination = Space::from(destination).to_string();
    let project = arguments.project_path.as_ref().map(|path| path.to_string_lossy());
    let mut words = vec!["rye", "load", arguments.item_id.as_str(), "--kind", &kind];
    let options = [("--from", source.as_deref()), ("--project", project.as_deref())];
    words.extend(options.into_iter().filter_map(|(option, value)| Some([option, value?])).flatten());
    words.extend(["--to", &destination, "--force"]);
    shell_command(&words)
}

fn answer(report: &LoadReport, arguments: &LoadArguments) -> Reply {
    let item = &report.item;
    let copy = |copy: &Copy| json!({ "space": copy.space, "path": copy.path.to_string_lossy() });
    let mut reply = Reply::new("success");
    reply.put("item_type", json!(item.item().kind));
    reply.put("item_id", json!(item.item().id));
    reply.put("space", json!(item.space()));
    reply.put("path", json!(item.path.to_string_lossy()));
    reply.put("digest", json!(item.digest()));
    reply.put("signer", signer(item));
    reply.put_some("schema", item.metadata.config_schema.clone().filter(Value::is_object));
    reply.put_some("annotations", item.metadata.annotations.as_ref().map(|hints| json!(hints)));
    put_metadata(&mut reply, item);
    if !item.problems.is_empty() {
        reply.put("problems", json!(item.problems));
    }
    reply.put("shadows", report.shadows.iter().map(copy).collect());
    reply.put_some("shadowed_by", report.shadowed_by.as_ref().map(copy));
    if let Some(path) = &report.copied_to {
        reply.put("copied_to", json!(path.to_string_lossy()));
        let refused = report.copy_refused.as_ref().map(|error| with_sources(error.refusal()));
        reply.put_some("copy_refused", refused);
    }
    reply.text = heading(item);
    put_content(&mut reply, item, arguments);
    reply
}

impl From<DestinationArgument> for TargetSpace {
    fn from(destination: DestinationArgument) -> Self {
        match destination {
            DestinationArgument::Project => Self::Project,
            DestinationArgument::User => Self::User,
        }
    }
}

/// What an item says about itself. Of a text, most of that may be the text once more.
fn put_metadata(reply: &mut Reply, item: &Item) {
    let mut metadata = json!(*item.metadata);
    if let Some(Value::String(doc)) = metadata.get_mut("doc")
        && doc.len() > PREVIEW
    {
        reply.note(format!("`metadata.doc` is the beginning of {} bytes", doc.len()));
        doc.truncate(beginning(doc, PREVIEW).len());
    }
    reply.put("metadata", metadata);
}

fn put_content(reply: &mut Reply, item: &Item, arguments: &LoadArguments) {
    let bytes = item.file.bytes().as_slice();
    match str::from_utf8(bytes) {
        Ok(text) if text.len() <= BUDGET => {
            reply.put("content", json!(text));
            reply.text.push_str(text);
        }
        text => {
            let uri = ResourceUri::item(item.item(), Some(item.space()), arguments.project_path.as_deref());
            let preview = match text {
                Ok(text) => beginning(text, PREVIEW).to_owned(),
                Err(_) => Base64::encode_string(&bytes[..bytes.len().min(PREVIEW)]),
            };
            reply.text.push_str(&preview);
            reply.say(format_args!("\n… {} bytes in all: read the resource {uri}", bytes.len()));
            let digest = lillux::Digest::of(bytes);
            reply.put(
                "output",
                json!({ "uri": uri.to_string(), "bytes": bytes.len(), "digest": digest, "preview": preview }),
            );
            reply.links.push(uri.link(item.item().id.as_str(), bytes.len() as u64));
        }
    }
}

fn heading(item: &Item) -> String {
    let metadata = &item.metadata;
    let mut text = format!("{} {} ({})\n", item.item().kind, item.item().id, item.space());
    let mut line = |name: &str, value: &str| text.extend([name, ": ", value, "\n"]);
    for (name, value) in [("version", &metadata.version), ("description", &metadata.description)] {
        if let Some(value) = value {
            line(name, value);
        }
    }
    if let Some(executor) = metadata.executor_id.as_id() {
        line("executor", executor);
    }
    if let Err(error) = &item.trust {
        line("refused", &with_sources(error.refusal()));
    }
    for problem in &item.problems {
        line(&problem.severity.to_string(), &format!("`{}` {}", problem.field, problem.message));
    }
    text.push('\n');
    text
}

/// Who answers for an item, or why nobody does.
fn signer(item: &Item) -> Value {
    match &item.trust {
        Ok(verified) => json!(verified.signer()),
        Err(error) => {
            let refusal = error.refusal();
            let code = ErrorCode::of_refusal(refusal).as_str();
            json!({ "state": "refused", "code": code, "reason": with_sources(refusal) })
        }
    }
}
