//! Whether people find what they seek, over a labelled set of queries.

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, Document, SearchRequest, WeightedText};

use crate::corpus::{NONE, open};

const TOOLS: &str = include_str!("../relevance/tools.txt");
const QUERIES: &str = include_str!("../relevance/queries.txt");

/// The documents of the set. A line `== kind space category executor` holds for those that follow it, and these are
/// written `stem version [tags] description`.
fn documents() -> Vec<Document> {
    let mut documents = Vec::new();
    let mut head: (ItemKind, Space, &str, &str) = (ItemKind::Tool, Space::System, "", "");
    for line in TOOLS.lines() {
        if let Some(line) = line.strip_prefix("== ") {
            let [kind, space, category, executor] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            head = (kind.parse().unwrap(), space.parse().unwrap(), category, executor);
            continue;
        }
        let (kind, space, category, executor) = head;
        let (stem, rest) = line.split_once(' ').unwrap();
        let (version, rest) = rest.split_once(" [").unwrap();
        let (tags, description) = rest.split_once("] ").unwrap();
        let mut document = Document::new(kind, space, ItemId::new(format!("{category}/{stem}")).unwrap());
        document.category = Some(category.to_owned());
        document.executor = Some(executor.to_owned());
        document.version = Some(version.to_owned());
        document.tags = tags.split(", ").map(str::to_owned).collect();
        document.fields = vec![WeightedText::new("description", description, 1.0)];
        documents.push(document);
    }
    documents
}

#[test]
fn what_is_sought_is_among_the_first_five() {
    let documents = documents();
    let index = open(&documents);
    let mut collection = Collection::new();
    collection.add(&index, &NONE);
    let (mut recall, mut reciprocal_rank, mut count) = (0.0, 0.0, 0.0);
    for line in QUERIES.lines().filter(|line| !line.starts_with('#')) {
        let (query, wanted) = line.split_once(" => ").unwrap();
        let wanted: Vec<&str> = wanted.split(", ").collect();
        for id in &wanted {
            assert!(documents.iter().any(|document| document.id.as_str() == *id), "there is no `{id}`");
        }
        let results = collection.search(&SearchRequest::new(query));
        // With no hit a person sees what comes near.
        let near = results.near_misses.iter().flat_map(|near| &near.partial);
        let shown = results.hits.iter().chain(near);
        let found: Vec<&str> =
            shown.map(|hit| collection.document(hit.index, hit.document).unwrap().id()).collect();
        let first = &found[..found.len().min(5)];
        let among = wanted.iter().filter(|id| first.contains(id)).count();
        let share =
            f64::from(u32::try_from(among).unwrap()) / f64::from(u32::try_from(wanted.len().min(5)).unwrap());
        let position = found.iter().position(|id| wanted.contains(id)).map(|position| position + 1);
        if share < 1.0 || position != Some(1) {
            println!("{query}: {share:.2}, first at {position:?}, total {}: {first:?}", results.total);
        }
        recall += share;
        reciprocal_rank += position.map_or(0.0, |position| 1.0 / f64::from(u32::try_from(position).unwrap()));
        count += 1.0;
    }
    println!(
        "{} documents, {count} queries: recall@5 {:.3}, MRR {:.3}",
        documents.len(),
        recall / count,
        reciprocal_rank / count
    );
    assert!(documents.len() >= 300 && count >= 60.0);
    assert!(recall / count >= 0.95, "recall@5 is {:.3}", recall / count);
}
