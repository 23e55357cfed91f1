//! `search`.

use rye_engine::{Claim, Detail, Engine, Filters, SearchHit, SearchRequest, Sort};
use serde_json::{Value, json};

use super::arguments::{DetailArgument, SearchArguments, SortArgument};
use super::failure::Failure;
use super::reply::{BUDGET, Reply};

/// The most hits of one answer.
const MOST: usize = 100;

pub(super) fn search(engine: &Engine, arguments: &SearchArguments) -> Result<Reply, Failure> {
    if arguments.limit == 0 || arguments.limit > MOST {
        return Err(Failure::arguments(format!("`limit` is 1 to {MOST}")));
    }
    let detail = match arguments.detail {
        DetailArgument::Summary => Detail::Summary,
        DetailArgument::Full => Detail::Full,
    };
    let report = engine.search(&request(arguments), detail)?;
    let mut reply = Reply::new("success");
    reply.put("total", json!(report.total));
    let (hits, text) = fitting(&report.hits)?;
    let omitted = report.hits.len() - hits.len();
    reply.text = match (report.total, hits.len()) {
        (0, _) => "no item matches\n".to_owned(),
        (total, shown) => {
            format!("{} to {} of {total}\n{text}", arguments.offset + 1, arguments.offset + shown)
        }
    };
    reply.put("hits", Value::Array(hits));
    if omitted > 0 {
        reply.put("omitted", json!(omitted));
        reply.say(format_args!("{omitted} more are left out here: ask again with `offset`"));
    }
    if !report.near_misses.is_empty() {
        let (near, text) = fitting(&report.near_misses)?;
        reply.text.extend(["what comes near:\n", &text]);
        reply.put("near_misses", Value::Array(near));
    }
    for note in &report.notes {
        reply.say(format_args!("note: {note}"));
        reply.note(note);
    }
    Ok(reply)
}

fn request(arguments: &SearchArguments) -> SearchRequest {
    let filters = Filters {
        kinds: arguments.item_type.into_iter().collect(),
        spaces: arguments.space.into_iter().collect(),
        category: arguments.category.clone(),
        tags: arguments.tag.clone().into_iter().collect(),
        ..Filters::default()
    };
    let sort = match arguments.sort {
        SortArgument::Score => Sort::Score,
        SortArgument::Id => Sort::Id,
        SortArgument::Name => Sort::Name,
        SortArgument::Version => Sort::Version,
    };
    SearchRequest {
        query: arguments.query.clone(),
        filters,
        sort,
        limit: arguments.limit,
        offset: arguments.offset,
    }
}

/// As many hits as an answer has room for, but one at least, in both forms.
fn fitting(hits: &[SearchHit]) -> Result<(Vec<Value>, String), Failure> {
    let mut values = Vec::new();
    let mut text = String::new();
    let mut size = 0;
    for hit in hits {
        let value = serde_json::to_value(hit).map_err(|error| Failure::internal(error.to_string()))?;
        size += value.to_string().len();
        if size > BUDGET && !values.is_empty() {
            break;
        }
        text.push_str(&line(hit));
        values.push(value);
    }
    Ok((values, text))
}

fn line(hit: &SearchHit) -> String {
    let mut remarks = vec![hit.space.to_string()];
    remarks.extend(hit.version.clone());
    if hit.signer == Claim::Nobody {
        remarks.push("unsigned".to_owned());
    }
    remarks.extend(hit.shadowed_by.map(|space| format!("shadowed by {space}")));
    remarks.extend(hit.shadows.iter().map(|space| format!("shadows {space}")));
    let description = hit.problem.as_ref().or(hit.description.as_ref());
    let description = description.map(|text| format!(": {}", one_line(text))).unwrap_or_default();
    let mut line = format!("{} {} ({}){description}\n", hit.kind, hit.id, remarks.join(", "));
    if let Some(schema) = hit.full.as_ref().and_then(|full| full.schema.as_ref()) {
        line.extend(["  parameters: ", &schema.to_string(), "\n"]);
    }
    line
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
