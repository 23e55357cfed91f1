//! `sign`.

use std::sync::Arc;

use lillux::keys::SigningKey;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::RequestContext;
use rye_engine::{Engine, EngineError, SignEvent, SignReport, SignRequest, Signed, SignedItem};
use rye_item::Space;
use rye_trust::{KeyFolder, KeyFolderError};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::arguments::{DestinationArgument, SignArguments};
use super::blocking::blocking;
use super::consent::{Consent, Question};
use super::failure::Failure;
use super::handler::Shared;
use super::policy::Policy;
use super::progress::{Reporter, Said};
use super::reply::Reply;

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
    let key = blocking(move || {
        let key = folder.signing_key(passphrase.as_ref()).map_err(locked)?;
        opening.check_signing_key(&key)?;
        Ok(key)
    })
    .await?;
    let question = Question {
        rule: Policy::read(&server.user_space()?)?.sign,
        name: "sign",
        action: format!("signing `{}`", arguments.item_id),
        message: question(&arguments),
        command: command(&arguments),
    };
    if let Consent::Asked(question) = server.questions.ask(&question, call, context).await? {
        return Ok((*question).into());
    }
    let (lines, progress) = watch::channel(Said::default());
    let signing = blocking(move || sign_now(&engine, &arguments, &key, &lines));
    let mut reporter = Reporter::new(context, progress);
    let reply = tokio::select! {
        reply = signing => reply?,
        never = reporter.go_on() => match never {},
    };
    reporter.finish().await;
    Ok(CallToolResult::from(reply).into())
}

fn sign_now(
    engine: &Engine,
    arguments: &SignArguments,
    key: &SigningKey,
    lines: &watch::Sender<Said>,
) -> Result<Reply, Failure> {
    let request = SignRequest {
        pattern: arguments.item_id.clone(),
        kind: arguments.item_type,
        space: arguments.space.map(Space::from),
    };
    let found = std::sync::atomic::AtomicUsize::new(0);
    let report = engine.sign(&request, key, &|event| match event {
        SignEvent::Found(count) => found.store(count, std::sync::atomic::Ordering::Relaxed),
        SignEvent::Done(count) => {
            let found = found.load(std::sync::atomic::Ordering::Relaxed);
            lines.send_replace(format!("{count} of {found} items").into());
        }
    })?;
    Ok(answer(&report))
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
    if !manifests.is_empty() {
        reply.put("manifests", Value::Array(manifests));
    }
    if !report.is_good() {
        let message = format!("{refusals} of {count} items were refused, or a list of files was");
        let hint = Some("correct what is said about each, and sign again".to_owned());
        let failure = Failure { code: "METADATA_INVALID", message, hint, retryable: false };
        reply.text = format!("{}\n{}", failure.to_text(), reply.text);
        reply.put("error", failure.to_json());
        reply.is_error = true;
    }
    reply
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

fn question(arguments: &SignArguments) -> String {
    let place = arguments.project_path.as_ref().map(|path| format!(" in {}", path.display()));
    format!("Sign `{}`{} with your key, so that it can run?", arguments.item_id, place.unwrap_or_default())
}

fn command(arguments: &SignArguments) -> String {
    let kind = arguments.item_type.map(|kind| format!(" --kind {kind}")).unwrap_or_default();
    let space = arguments.space.map(|space| format!(" --space {}", Space::from(space))).unwrap_or_default();
    let project = arguments.project_path.as_ref().map(|path| format!(" --project '{}'", path.display()));
    format!("rye sign '{}'{kind}{space}{}", arguments.item_id, project.unwrap_or_default())
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
