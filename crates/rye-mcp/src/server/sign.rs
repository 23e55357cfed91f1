//! `sign`.

use std::sync::Arc;

use lillux::keys::SigningKey;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rye_engine::{
    Engine, EngineError, SignEvent, SignPreview, SignRefusal, SignReport, SignRequest, Signed, SignedItem,
    is_pattern,
};
use rye_item::Space;
use rye_trust::{KeyFolder, KeyFolderError};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::arguments::{DestinationArgument, SignArguments};
use super::consent::{Consent, Question};
use super::failure::Failure;
use super::handler::Shared;
use super::policy::Policy;
use super::progress::{Reporter, Said};
use super::reply::Reply;
use super::shell_command::shell_command;

/// So many are named in a question.
const NAMED: usize = 10;
/// So many items are listed, those that were refused before the others.
const LISTED: usize = 100;

pub(super) async fn sign(
    server: &Arc<Shared>,
    arguments: SignArguments,
    call: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, Failure> {
    let engine = server.projects.engine(arguments.project_path.as_deref())?;
    let folder = KeyFolder::at(&server.user_space()?);
    let (opening, passphrase) = (Arc::clone(&engine), server.settings.passphrase.clone());
    let opened = server.places.plan(move || {
        let key = folder.signing_key(passphrase.as_ref()).map_err(locked)?;
        opening.check_signing_key(&key)?;
        Ok(key)
    });
    let key = Arc::new(opened.await?);
    let mut question = Question {
        rule: Policy::read(&server.user_space()?)?.sign,
        name: "sign",
        action: format!("signing `{}`", arguments.item_id),
        message: String::new(),
        command: command(&arguments),
        about: None,
    };
    let mut preview = None;
    if question.has_to_be_asked(context)? {
        let (engine, request, key) = (Arc::clone(&engine), request(&arguments), Arc::clone(&key));
        let shown = server.places.plan(move || Ok(engine.preview_signing(&request, &key)?)).await?;
        question.message = message(&arguments, &shown);
        question.about = Some(shown.digest());
        preview = Some(shown);
    }
    if let Consent::Asked(question) = server.questions.ask(&question, call, context).await? {
        return Ok((*question).into());
    }
    let (lines, progress) = watch::channel(Said::default());
    let request = request(&arguments);
    let signing = server.places.plan(move || sign_now(&engine, &request, preview.as_ref(), &key, &lines));
    let mut reporter = Reporter::new(context, progress);
    let reply = tokio::select! {
        reply = signing => reply?,
        never = reporter.go_on() => match never {},
    };
    reporter.finish().await;
    Ok(CallToolResult::from(reply).into())
}

/// Signs what somebody has agreed to, or whatever there is if the policy allows that.
fn sign_now(
    engine: &Engine,
    request: &SignRequest,
    agreed: Option<&SignPreview>,
    key: &SigningKey,
    lines: &watch::Sender<Said>,
) -> Result<Reply, Failure> {
    let found = std::sync::atomic::AtomicUsize::new(0);
    let events = |event| match event {
        SignEvent::Found(count) => found.store(count, std::sync::atomic::Ordering::Relaxed),
        SignEvent::Done(count) => {
            let found = found.load(std::sync::atomic::Ordering::Relaxed);
            lines.send_replace(format!("{count} of {found} items").into());
        }
    };
    let report = match agreed {
        Some(preview) => engine.sign_previewed(request, preview, key, &events)?,
        None => engine.sign(request, key, &events)?,
    };
    Ok(answer(&report))
}

fn request(arguments: &SignArguments) -> SignRequest {
    SignRequest {
        pattern: arguments.item_id.clone(),
        kind: arguments.item_type,
        space: arguments.space.map(Space::from),
    }
}

impl From<DestinationArgument> for Space {
    fn from(destination: DestinationArgument) -> Self {
        match destination {
            DestinationArgument::Project => Self::Project,
            DestinationArgument::User => Self::User,
        }
    }
}

fn answer(report: &SignReport) -> Reply {
    let mut reply = Reply::new(if report.is_good() { "success" } else { "error" });
    reply.put("key", json!(report.key));
    let (refused, good): (Vec<_>, Vec<_>) = report.items.iter().partition(|item| item.result.is_err());
    let (refusals, count) = (refused.len(), report.items.len());
    let listed: Vec<_> = refused.into_iter().chain(good).take(LISTED).collect();
    for item in &listed {
        let (word, reason) = result(item);
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        reply.say(format_args!("{word} {} {} ({}){reason}", item.item.kind, item.item.id, item.space));
    }
    if count > listed.len() {
        reply.put("omitted", json!(count - listed.len()));
        reply.say(format_args!("and {} more", count - listed.len()));
    }
    reply.put("items", listed.into_iter().map(item).collect());
    let manifests: Vec<Value> = report
        .manifests
        .iter()
        .map(|manifest| {
            json!({
                "path": manifest.path.to_string_lossy(),
                "files": manifest.files,
                "reason": manifest.error.as_ref().map(ToString::to_string),
            })
        })
        .collect();
    for manifest in &report.manifests {
        if let Some(refusal) = &manifest.error {
            reply.say(format_args!("refused {}: {refusal}", manifest.path.display()));
        }
    }
    if !manifests.is_empty() {
        reply.put("manifests", Value::Array(manifests));
    }
    if !report.is_good() {
        let failure = if was_changed(report) {
            Failure::no_consent(
                "something has changed since the operator was asked, and was not signed",
                "sign again, so that the operator is asked about what is there now",
            )
        } else {
            let message = format!("{refusals} of {count} items were refused, or a list of files was");
            let hint = Some("correct what is said about each, and sign again".to_owned());
            Failure { code: "METADATA_INVALID", message, hint, retryable: false }
        };
        reply.text = format!("{}\n{}", failure.to_text(), reply.text);
        reply.put("error", failure.to_json());
        reply.is_error = true;
    }
    reply
}

/// Whether something is not what the operator was asked about.
fn was_changed(report: &SignReport) -> bool {
    let items = report.items.iter().filter_map(|item| item.result.as_ref().err());
    let mut refusals = items.chain(report.manifests.iter().filter_map(|manifest| manifest.error.as_ref()));
    refusals.any(|refusal| matches!(refusal, SignRefusal::NotShown { .. }))
}

fn item(item: &SignedItem) -> Value {
    let (result, reason) = result(item);
    json!({
        "item_type": item.item.kind,
        "item_id": item.item.id,
        "space": item.space,
        "result": result,
        "reason": reason,
    })
}

fn result(item: &SignedItem) -> (&'static str, Option<String>) {
    match &item.result {
        Ok(Signed::Line | Signed::Manifest) => ("signed", None),
        Ok(Signed::Already) => ("unchanged", None),
        Err(refusal) => ("refused", Some(refusal.to_string())),
    }
}

/// The question, with what it is about: a pattern alone tells nobody what it matches.
fn message(arguments: &SignArguments, preview: &SignPreview) -> String {
    let project = arguments.project_path.as_ref().map(|path| path.to_string_lossy());
    let place = project.map(|path| format!(" in `{}`", path.escape_debug())).unwrap_or_default();
    let space =
        arguments.space.map(|space| format!(" of the {} space", Space::from(space))).unwrap_or_default();
    let id = &arguments.item_id;
    let mut message =
        format!("Sign `{}`{space}{place} with your key, so that it can run?", id.escape_debug());
    if is_pattern(id) {
        let is_new = |item: &&SignedItem| !matches!(item.result, Ok(Signed::Already));
        let names = preview.items.iter().filter(is_new).map(|item| item.item.to_string()).collect();
        message.push_str(&some_of("To be signed", "item", names));
    }
    if !preview.files.is_empty() {
        message.push_str(&some_of("Along with that", "other file", preview.files.clone()));
    }
    message
}

/// How many there are, and if they are few, which.
fn some_of(before: &str, what: &str, names: Vec<String>) -> String {
    let count = names.len();
    let plural = if count == 1 { "" } else { "s" };
    // Whoever is asked has to be able to tell where a name ends.
    let names: Vec<_> = names.into_iter().map(|name| format!("`{}`", name.escape_debug())).collect();
    let names = if (1..=NAMED).contains(&count) { format!(" ({})", names.join(", ")) } else { String::new() };
    format!(" {before}: {count} {what}{plural}{names}.")
}

fn command(arguments: &SignArguments) -> String {
    let kind = arguments.item_type.map(|kind| kind.to_string());
    let space = arguments.space.map(|space| Space::from(space).to_string());
    let project = arguments.project_path.as_ref().map(|path| path.to_string_lossy());
    let mut words = vec!["rye", "sign", arguments.item_id.as_str()];
    let options =
        [("--kind", kind.as_deref()), ("--space", space.as_deref()), ("--project", project.as_deref())];
    words.extend(options.into_iter().filter_map(|(option, value)| Some([option, value?])).flatten());
    shell_command(&words)
}

fn locked(error: KeyFolderError) -> Failure {
    let needs_passphrase = error.needs_passphrase();
    let mut failure = Failure::from(EngineError::from(error));
    if needs_passphrase {
        let hint = "start the server with RYE_PASSPHRASE, or ask the operator to run `rye sign`";
        failure.hint = Some(hint.to_owned());
    }
    failure
}
