//! `load`.

use base64ct::{Base64, Encoding as _};
use rye_engine::{
    Copy, CopyTarget, Engine, ErrorCode, Item, LoadRequest, Overwrite, TargetSpace, with_sources,
};
use serde_json::{Value, json};

use super::arguments::{DestinationArgument, LoadArguments};
use super::failure::Failure;
use super::reply::{BUDGET, PREVIEW, Reply, beginning};
use super::resource_uri::ResourceUri;

pub(super) fn load(engine: &Engine, arguments: &LoadArguments) -> Result<Reply, Failure> {
    let overwrite = if arguments.overwrite { Overwrite::Replace } else { Overwrite::Refuse };
    let to = arguments.destination.map(|destination| CopyTarget { space: destination.into(), overwrite });
    let request =
        LoadRequest { kind: arguments.item_type, id: arguments.item_id.clone(), from: arguments.source, to };
    let report = engine.load(&request)?;
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
    reply.put("metadata", json!(*item.metadata));
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
    Ok(reply)
}

impl From<DestinationArgument> for TargetSpace {
    fn from(destination: DestinationArgument) -> Self {
        match destination {
            DestinationArgument::Project => Self::Project,
            DestinationArgument::User => Self::User,
        }
    }
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
