//! An index in memory, and a query over it.

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, Document, DocumentSet, Index, IndexBuilder, SearchRequest, WeightedText};

use super::counted;
use crate::Result;
use crate::tree::{id, words};

pub(super) fn index() -> Result<()> {
    let documents = documents()?;
    counted(&mut || built(&documents).map(drop))
}

pub(super) fn query() -> Result<()> {
    let index = Index::open(built(&documents()?)?)?;
    let hidden = DocumentSet::new();
    let mut collection = Collection::new();
    collection.add(&index, &hidden);
    let requests = ["merge invoice", "calendar", "sned message quickly"].map(SearchRequest::new);
    counted(&mut || {
        let found = requests.iter().filter(|request| !collection.search(request).hits.is_empty()).count();
        if found == requests.len() { Ok(()) } else { Err("something is not found".into()) }
    })
}

fn documents() -> Result<Vec<Document>> {
    let documents = (0..300).map(|number| {
        let (verb, noun, quality) = words(number);
        let mut document = Document::new(ItemKind::Tool, Space::Project, ItemId::new(id(number))?);
        let text = format!("Tool {number}: {verb} a {noun} {quality}.");
        document.fields.push(WeightedText::new("description", text, 1.0));
        Ok(document)
    });
    documents.collect()
}

fn built(documents: &[Document]) -> Result<Vec<u8>> {
    let mut builder = IndexBuilder::new();
    for document in documents {
        builder.add(document.clone())?;
    }
    Ok(builder.finish()?)
}
