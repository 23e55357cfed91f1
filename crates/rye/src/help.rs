//! `rye help`: a topic, a command, or which topics there are.

mod plain_text;

use std::process::ExitCode;

use clap::CommandFactory;
use rye_engine::{
    Engine, EngineError, HelpAnswer, HelpTopic, HelpTopics, RefusedTopic, TopicSummary, with_sources,
};
use serde_json::{Value, json};

use crate::cli::{Cli, HelpArgs};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::table::Table;

pub(crate) fn help(engine: &Engine, args: &HelpArgs, output: Output) -> Result<ExitCode, CommandError> {
    if args.words.is_empty() {
        let HelpAnswer::Topics(topics) = engine.help(None)? else { return Ok(ExitCode::SUCCESS) };
        print_topics(&topics, output)?;
        return Ok(ExitCode::SUCCESS);
    }
    let usage = command_help(&args.words);
    let topic = match engine.help(Some(&args.words.join(" "))) {
        Ok(HelpAnswer::Topic(topic)) => Some(topic),
        Ok(HelpAnswer::Topics(_)) => None,
        // A command need not be a topic too.
        Err(EngineError::TopicNotFound { .. }) if usage.is_some() => None,
        // How to use a command is known, whatever the spaces are like.
        Err(error) if usage.is_some() => {
            output.note(Tone::Warning, "note", with_sources(&error));
            None
        }
        Err(EngineError::TopicNotFound { name, mut similar }) => {
            similar.extend(similar_commands(&name));
            return Err(EngineError::TopicNotFound { name, similar }.into());
        }
        Err(error) => return Err(error.into()),
    };
    if output.is_json() {
        print_json(&json!({ "command": usage, "topic": topic.as_ref().map(topic_json) }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let text = topic.as_ref().map(|topic| plain_text::render(&topic.text, output));
    let parts: Vec<String> = usage.into_iter().chain(text).collect();
    print_bytes(parts.join("\n").as_bytes())?;
    if let Some(topic) = &topic {
        for space in &topic.summary.shadows {
            let text =
                format!("this topic of the {} space shadows one of the {space} space", topic.summary.space);
            output.note(Tone::Faint, "note", text);
        }
        note_refused(&topic.refused, output);
    }
    Ok(ExitCode::SUCCESS)
}

/// The help that the command line itself gives, if the words are a command.
pub(crate) fn command_help(words: &[impl AsRef<str>]) -> Option<String> {
    let mut command = Cli::command();
    command.build();
    let mut found = &mut command;
    for word in words {
        found = found.find_subcommand_mut(word.as_ref()).filter(|command| !command.is_hide_set())?;
    }
    Some(found.render_help().to_string())
}

/// Commands that may be meant.
fn similar_commands(name: &str) -> Vec<String> {
    let command = Cli::command();
    let names = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names = names.map(|command| command.get_name().to_owned());
    names.filter(|known| strsim::osa_distance(known, name) <= 2).collect()
}

fn print_topics(topics: &HelpTopics, output: Output) -> Result<(), CommandError> {
    if output.is_json() {
        let refused: Vec<_> = topics.refused.iter().map(refused_json).collect();
        let topics: Vec<_> = topics.topics.iter().map(summary_json).collect();
        return print_json(&json!({ "topics": topics, "refused": refused }));
    }
    let mut table = Table::default();
    for topic in &topics.topics {
        let shadows = topic.shadows.iter().map(|space| format!("shadows {space}"));
        let remarks: Vec<_> = std::iter::once(topic.space)
            .filter(|space| *space != rye_item::Space::System)
            .map(|space| space.to_string())
            .chain(shadows)
            .collect();
        table.row([
            (Tone::Strong, topic.name.clone()),
            (Tone::Plain, topic.description.clone().unwrap_or_default()),
            (Tone::Warning, remarks.join(", ")),
        ]);
    }
    let end = "\n`rye help TOPIC` explains one; `rye help COMMAND` shows the options of a command; `rye --help` lists the commands.\n";
    print_bytes(format!("{}{end}", table.render(output)).as_bytes())?;
    note_refused(&topics.refused, output);
    Ok(())
}

/// What is not shown is told.
fn note_refused(refused: &[RefusedTopic], output: Output) {
    for topic in refused {
        let reason = with_sources(topic.error.refusal());
        let text = format!("the topic `{}` of the {} space is not shown: {reason}", topic.name, topic.space);
        output.note(Tone::Warning, "note", text);
    }
}

fn summary_json(topic: &TopicSummary) -> Value {
    let TopicSummary { name, description, space, shadows } = topic;
    json!({ "name": name, "description": description, "space": space, "shadows": shadows })
}

fn topic_json(topic: &HelpTopic) -> Value {
    let mut object = summary_json(&topic.summary);
    object["title"] = json!(topic.title);
    object["text"] = json!(topic.text);
    object["refused"] = topic.refused.iter().map(refused_json).collect();
    object
}

fn refused_json(topic: &RefusedTopic) -> Value {
    let code = rye_engine::ErrorCode::of_refusal(topic.error.refusal()).as_str();
    let reason = with_sources(topic.error.refusal());
    json!({ "name": topic.name, "space": topic.space, "code": code, "reason": reason })
}
