//! `help`.

use rye_engine::{Engine, ErrorCode, HelpAnswer, RefusedTopic, TopicSummary, with_sources};
use serde_json::{Value, json};

use super::failure::Failure;
use super::reply::Reply;

pub(super) fn help(engine: &Engine, topic: Option<&str>) -> Result<Reply, Failure> {
    let mut reply = Reply::new("success");
    let refused = match engine.help(topic)? {
        HelpAnswer::Topics(topics) => {
            for topic in &topics.topics {
                let description = topic.description.as_deref().unwrap_or_default();
                reply.say(format_args!("{}: {description}", topic.name));
            }
            reply.put("topics", topics.topics.iter().map(summary).collect());
            topics.refused
        }
        HelpAnswer::Topic(topic) => {
            let mut object = summary(&topic.summary);
            object["title"] = json!(topic.title);
            object["text"] = json!(topic.text);
            reply.put("topic", object);
            reply.text = topic.text;
            topic.refused
        }
    };
    if !refused.is_empty() {
        reply.put("refused", refused.iter().map(refusal).collect());
    }
    Ok(reply)
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
