//! Items and long outputs as resources.

use base64ct::{Base64, Encoding as _};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};
use rye_engine::{Detail, Engine, LoadRequest, SearchRequest, Sort};
use rye_item::{ItemId, ItemRef};

use super::failure::Failure;
use super::outputs::Outputs;
use super::resource_uri::{ResourceUri, Subject};

/// How many items one page of the list has.
const PAGE: usize = 100;

/// A page of the list of all items, and where the next one begins.
pub(super) fn list(engine: &Engine, offset: usize) -> Result<(Vec<Resource>, Option<usize>), Failure> {
    let request = SearchRequest { sort: Sort::Id, limit: PAGE, offset, ..SearchRequest::new("") };
    let report = engine.search(&request, Detail::Summary)?;
    let next = offset + report.hits.len();
    let resources = report.hits.into_iter().filter_map(|hit| {
        let item = ItemRef::new(hit.kind, ItemId::new(hit.id.as_str()).ok()?);
        let uri = ResourceUri::item(&item, Some(hit.space), None);
        let resource = Resource::new(uri.to_string(), hit.id).with_title(hit.name);
        Some(match hit.description {
            Some(description) => resource.with_description(description),
            None => resource,
        })
    });
    Ok((resources.collect(), (next < report.total && next > offset).then_some(next)))
}

/// How resources are named.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        ("rye://tool/{+id}{?space,project}", "tool", "The source of a tool"),
        ("rye://directive/{+id}{?space,project}", "directive", "The source of a directive"),
        ("rye://knowledge/{+id}{?space,project}", "knowledge", "The text of a knowledge item"),
        (
            "rye://output/{run_id}/{stream}{?offset,project}",
            "output",
            "What a run has written to `stdout` or `stderr`, in pieces of at most 1 MiB",
        ),
    ]
    .into_iter()
    .map(|(template, name, description)| ResourceTemplate::new(template, name).with_description(description))
    .collect()
}

/// What a resource holds, or nothing if there is none of this name.
pub(super) fn read(
    engine: &Engine,
    outputs: &Outputs,
    uri: &ResourceUri,
) -> Result<Option<Vec<ResourceContents>>, Failure> {
    match &uri.subject {
        Subject::Item(item, space) => {
            let request =
                LoadRequest { kind: item.kind, id: item.id.as_str().to_owned(), from: *space, to: None };
            let report = engine.load(&request)?;
            Ok(Some(vec![contents(report.item.file.bytes().as_slice(), uri)]))
        }
        Subject::Output { run, channel, offset } => {
            let Some(piece) = outputs.read(engine, *run, *channel, *offset)? else { return Ok(None) };
            let mut all = vec![contents(&piece.bytes, uri)];
            if let Some(next) = piece.next {
                let next = ResourceUri::output(*run, *channel, next, uri.project.as_deref());
                let text = format!("… {} bytes in all: go on with {next}", piece.total);
                all.push(ResourceContents::text(text, next.to_string()));
            }
            Ok(Some(all))
        }
    }
}

fn contents(bytes: &[u8], uri: &ResourceUri) -> ResourceContents {
    match str::from_utf8(bytes) {
        Ok(text) => ResourceContents::text(text, uri.to_string()),
        Err(_) => ResourceContents::blob(Base64::encode_string(bytes), uri.to_string()),
    }
}
