//! `rye search`: items by words, fields and ids.

use std::process::ExitCode;

use rye_engine::{Claim, Engine, Filters, SearchHit, SearchReport, SearchRequest};
use serde_json::json;

use crate::cli::{Detail, SearchArgs, Sort};
use crate::command_error::CommandError;
use crate::output::{Output, Tone, print_bytes, print_json};
use crate::progress::Progress;
use crate::table::Table;

pub(crate) fn search(engine: &Engine, args: &SearchArgs, output: Output) -> Result<ExitCode, CommandError> {
    let detail = match args.detail {
        Detail::Names | Detail::Summary => rye_engine::Detail::Summary,
        Detail::Full => rye_engine::Detail::Full,
    };
    // The first search after many changes reads all of them.
    let progress = Progress::new("looking", 0, output);
    let report = engine.search(&request(args), detail)?;
    progress.end();
    if output.is_json() {
        match args.detail {
            Detail::Names => print_json(&names(&report))?,
            Detail::Summary | Detail::Full => print_json(&report)?,
        }
    } else {
        print_bytes(as_text(&report, args, output).as_bytes())?;
        for note in &report.notes {
            output.note(Tone::Warning, "note", note);
        }
    }
    Ok(if report.total > 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn request(args: &SearchArgs) -> SearchRequest {
    let filters = Filters {
        kinds: args.kind.into_iter().collect(),
        spaces: args.space.into_iter().collect(),
        category: args.category.clone(),
        tags: args.tag.clone().into_iter().collect(),
        ..Filters::default()
    };
    let sort = match args.sort {
        Sort::Score => rye_engine::Sort::Score,
        Sort::Id => rye_engine::Sort::Id,
        Sort::Name => rye_engine::Sort::Name,
        Sort::Version => rye_engine::Sort::Version,
    };
    SearchRequest { query: args.query.join(" "), filters, sort, limit: args.limit, offset: args.offset }
}

fn names(report: &SearchReport) -> serde_json::Value {
    let name = |hit: &SearchHit| json!({ "kind": hit.kind, "id": hit.id, "space": hit.space });
    let names = |hits: &[SearchHit]| hits.iter().map(name).collect::<Vec<_>>();
    let mut answer = json!({ "total": report.total, "hits": names(&report.hits) });
    if report.total == 0 {
        answer["near_misses"] = json!(names(&report.near_misses));
        answer["searched"] = json!(report.searched);
    }
    if !report.notes.is_empty() {
        answer["notes"] = json!(report.notes);
    }
    answer
}

fn as_text(report: &SearchReport, args: &SearchArgs, output: Output) -> String {
    if report.total == 0 {
        return nothing(report, output);
    }
    let mut text = list(&report.hits, args.detail, output);
    if args.detail != Detail::Names {
        let line = match report.hits.len() {
            0 => format!("none of {}", report.total),
            shown => format!("{} to {} of {}", args.offset + 1, args.offset + shown, report.total),
        };
        text.push_str(&output.paint(Tone::Faint, line));
        text.push('\n');
    }
    text
}

/// What is said if there is no hit: what was searched, and what comes near.
fn nothing(report: &SearchReport, output: Output) -> String {
    let places: Vec<_> = report
        .searched
        .iter()
        .map(|place| format!("{} {} {}", place.count, place.space, plural(place)))
        .collect();
    let searched = if places.is_empty() { "nothing".to_owned() } else { places.join(", ") };
    let mut text = format!("no item matches; searched {searched}\n");
    if !report.near_misses.is_empty() {
        text.push_str("what comes near:\n");
        text.push_str(&list(&report.near_misses, Detail::Summary, output));
    }
    text
}

fn plural(place: &rye_engine::SearchedPlace) -> String {
    match place.kind.name() {
        "knowledge" => "knowledge".to_owned(),
        name if place.count == 1 => name.to_owned(),
        name => format!("{name}s"),
    }
}

fn list(hits: &[SearchHit], detail: Detail, output: Output) -> String {
    if detail == Detail::Names {
        return hits.iter().flat_map(|hit| [hit.id.as_str(), "\n"]).collect();
    }
    let mut table = Table::default();
    for hit in hits {
        let version = hit.version.clone().unwrap_or_default();
        let description = match &hit.problem {
            Some(problem) => (Tone::Bad, problem.clone()),
            None => (Tone::Plain, hit.description.clone().unwrap_or_default()),
        };
        table.row([
            (Tone::Faint, hit.kind.to_string()),
            (Tone::Strong, hit.id.clone()),
            (Tone::Faint, hit.space.to_string()),
            (Tone::Faint, version),
            description,
            (Tone::Warning, remarks(hit)),
        ]);
    }
    let mut text = table.render(output);
    if detail == Detail::Full {
        for hit in hits {
            let schema = hit.full.as_ref().and_then(|full| full.schema.as_ref());
            if let Some(Ok(schema)) = schema.map(serde_json::to_string_pretty) {
                text.extend(["\n", &output.paint(Tone::Strong, &hit.id), "\n", &schema, "\n"]);
            }
        }
    }
    text
}

/// What should be known before an item is used.
fn remarks(hit: &SearchHit) -> String {
    let mut remarks = Vec::new();
    if hit.signer == Claim::Nobody {
        remarks.push("unsigned".to_owned());
    }
    if let Some(space) = hit.shadowed_by {
        remarks.push(format!("shadowed by {space}"));
    }
    remarks.extend(hit.shadows.iter().map(|space| format!("shadows {space}")));
    remarks.join(", ")
}
