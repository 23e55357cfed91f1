//! Directives and help topics as prompts.

use rmcp::model::{JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use rye_engine::{
    Detail, Engine, ExecuteRequest, Executed, Filters, HelpAnswer, LoadRequest, SearchRequest, Sort,
};
use rye_item::{ItemId, ItemKind, ItemRef};
use rye_plan::Parameters;

use super::failure::Failure;

/// What the name of a help topic begins with.
const HELP: &str = "help/";
/// How many directives one page of the list has.
const PAGE: usize = 50;

/// A page of the list of prompts: the directives by id, and the help topics on the first page.
pub(super) fn list(engine: &Engine, offset: usize) -> Result<(Vec<Prompt>, Option<usize>), Failure> {
    let filters = Filters { kinds: vec![ItemKind::Directive], ..Filters::default() };
    let request = SearchRequest { filters, sort: Sort::Id, limit: PAGE, offset, ..SearchRequest::new("") };
    let report = engine.search(&request, Detail::Summary)?;
    let next = offset + report.hits.len();
    let mut prompts = Vec::new();
    for hit in report.hits.iter().filter(|hit| hit.shadowed_by.is_none()) {
        let request = LoadRequest { kind: hit.kind, id: hit.id.clone(), from: Some(hit.space), to: None };
        // It may be gone by now.
        let Ok(report) = engine.load(&request) else { continue };
        let text = String::from_utf8_lossy(report.item.file.bytes().as_slice()).into_owned();
        let arguments = arguments(&text);
        let arguments = (!arguments.is_empty()).then_some(arguments);
        prompts.push(Prompt::new(hit.id.clone(), hit.description.clone(), arguments));
    }
    if offset == 0
        && let HelpAnswer::Topics(topics) = engine.help(None)?
    {
        let topic = |topic: rye_engine::TopicSummary| {
            Prompt::new(format!("{HELP}{}", topic.name), topic.description, None)
        };
        prompts.extend(topics.topics.into_iter().map(topic));
    }
    Ok((prompts, (next < report.total && next > offset).then_some(next)))
}

/// The text of a prompt.
pub(super) fn get(
    engine: &Engine,
    name: &str,
    arguments: Option<JsonObject>,
) -> Result<Vec<PromptMessage>, Failure> {
    if let Some(topic) = name.strip_prefix(HELP)
        && let Ok(HelpAnswer::Topic(topic)) = engine.help(Some(topic))
    {
        return Ok(vec![PromptMessage::new_text(Role::User, topic.text)]);
    }
    let id = ItemId::new(name).map_err(rye_engine::EngineError::from)?;
    let parameters = Parameters::from_pairs(arguments.unwrap_or_default())
        .map_err(|error| Failure::arguments(error.to_string()))?;
    let request = ExecuteRequest { parameters, ..ExecuteRequest::new(ItemRef::new(ItemKind::Directive, id)) };
    let (report, _record) = engine.execute(&request, None, &mut |_| {})?;
    match report.result {
        Executed::Text(text) => Ok(vec![PromptMessage::new_text(Role::User, text)]),
        Executed::Run { .. } => Err(Failure::internal("a directive is a text")),
    }
}

/// The inputs that a directive names, each once: those without a default have to be given.
fn arguments(text: &str) -> Vec<PromptArgument> {
    let mut found: Vec<PromptArgument> = Vec::new();
    for part in text.split("{input:").skip(1) {
        let Some((inside, _)) = part.split_once('}') else { continue };
        let name = inside.split([':', '?']).next().unwrap_or_default();
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(is_name) {
            continue;
        }
        let is_required = name == inside;
        match found.iter_mut().find(|argument| argument.name == name) {
            Some(known) => known.required = Some(known.required == Some(true) || is_required),
            None => found.push(PromptArgument::new(name).with_required(is_required)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_arguments() {
        let found = arguments("{input:a} {input:b?} {input:c:x y} {input:b} {input:} {input:d!} {input:e");
        let found: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.required == Some(true))).collect();
        assert_eq!(found, [("a", true), ("b", true), ("c", false)]);
    }
}
