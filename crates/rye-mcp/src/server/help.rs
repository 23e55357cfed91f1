//! `help`.

use std::path::Path;

use rye_engine::{
    Engine, EngineError, ErrorCode, HelpAnswer, HelpTopic, RefusedTopic, TopicSummary, with_sources,
};
use rye_item::{ItemId, ItemKind, ItemRef};
use serde_json::{Value, json};

use super::arguments::HelpArguments;
use super::failure::Failure;
use super::reply::{BUDGET, PREVIEW, Reply, beginning};
use super::resource_uri::ResourceUri;

/// About as much stands around the name and the description of a topic.
const AROUND: usize = 64;
/// The folder of the items that are topics.
const FOLDER: &str = "rye/help";

/// The answer that needs no thread of its own, because nothing is read for it.
pub(super) fn known(engine: &Engine, arguments: &HelpArguments) -> Option<Result<Reply, Failure>> {
    let topics = arguments.topic.is_none().then(|| engine.known_topics())??;
    Some(answer(topics, arguments))
}

pub(super) fn help(engine: &Engine, arguments: &HelpArguments) -> Result<Reply, Failure> {
    answer(engine.help(arguments.topic.as_deref())?, arguments)
}

fn answer(answer: HelpAnswer, arguments: &HelpArguments) -> Result<Reply, Failure> {
    let mut reply = Reply::new("success");
    let refused = match answer {
        HelpAnswer::Topics(topics) => {
            put_topics(&mut reply, &topics.topics);
            topics.refused
        }
        HelpAnswer::Topic(topic) => {
            put_topic(&mut reply, &topic, arguments.project_path.as_deref())?;
            topic.refused
        }
    };
    if !refused.is_empty() {
        reply.put("refused", refused.iter().map(refusal).collect());
    }
    Ok(reply)
}

/// As many topics as an answer has room for.
fn put_topics(reply: &mut Reply, topics: &[TopicSummary]) {
    let mut values = Vec::new();
    let mut size = 0;
    for topic in topics {
        let description = topic.description.as_deref().unwrap_or_default();
        size += topic.name.len() + description.len() + AROUND;
        if size > BUDGET {
            break;
        }
        reply.say(format_args!("{}: {description}", topic.name));
        values.push(summary(topic));
    }
    let omitted = topics.len() - values.len();
    if omitted > 0 {
        reply.say(format_args!("{omitted} more are left out here: `search` finds them below {FOLDER}"));
    }
    reply.put("topics", Value::Array(values));
}

fn put_topic(reply: &mut Reply, topic: &HelpTopic, project: Option<&Path>) -> Result<(), Failure> {
    let mut object = summary(&topic.summary);
    object["title"] = json!(topic.title);
    if topic.text.len() <= BUDGET {
        object["text"] = json!(topic.text);
        reply.text.clone_from(&topic.text);
    } else {
        let id = ItemId::new(format!("{FOLDER}/{}", topic.summary.name)).map_err(EngineError::from)?;
        let item = ItemRef::new(ItemKind::Knowledge, id);
        let uri = ResourceUri::item(&item, Some(topic.summary.space), project);
        let (bytes, preview) = (topic.text.len(), beginning(&topic.text, PREVIEW));
        object["text"] = json!(preview);
        object["output"] = json!({ "uri": uri.to_string(), "bytes": bytes });
        preview.clone_into(&mut reply.text);
        reply.say(format_args!("\n… {bytes} bytes in all: read the resource {uri}"));
        reply.links.push(uri.link(item.id.as_str(), bytes as u64));
    }
    reply.put("topic", object);
    Ok(())
}

fn summary(topic: &TopicSummary) -> Value {
    let TopicSummary { name, description, space, shadows } = topic;
    json!({ "name": name, "description": description, "space": space, "shadows": shadows })
}

fn refusal(topic: &RefusedTopic) -> Value {
    let refusal = topic.error.refusal();
    let code = ErrorCode::of_refusal(refusal).as_str();
    json!({ "name": topic.name, "space": topic.space, "code": code, "reason": with_sources(refusal) })
}
