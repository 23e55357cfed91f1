//! An index that is updated is the index that would have been built.

use proptest::prelude::*;
use rye_item::ItemId;
use rye_search::{Collection, Document, DocumentSet, IndexBuilder, SearchRequest, SearchResults};

use crate::corpus::{NONE, build, documents, key, open, query};

/// Splits the numbers of documents by a pattern of bits.
fn pick(documents: &[Document], mask: u64, wanted: bool) -> Vec<Document> {
    let chosen = documents.iter().enumerate().filter(|(index, _)| (mask >> (index % 64) & 1 == 1) == wanted);
    chosen.map(|(_, document)| document.clone()).collect()
}

/// What a person sees of results, whichever index each comes from.
pub(crate) fn shown(collection: &Collection<'_>, results: &SearchResults) -> String {
    use std::fmt::Write;
    let mut text = format!("{} {:?} {:?}\n", results.total, results.searched, results.notes);
    let line = |index, document| {
        let document = collection.document(index, document).unwrap();
        format!("{} {} {} {:?}", document.id(), document.space(), document.kind(), document.payload())
    };
    let near = results.near_misses.as_ref();
    for hit in results.hits.iter().chain(near.iter().flat_map(|near| &near.partial)) {
        writeln!(text, "{} {} {:?}", line(hit.index, hit.document), hit.score, hit.why).unwrap();
    }
    if let Some(near) = near {
        writeln!(text, "{:?} {:?} {}", near.missing, near.values, near.outside_of_fields).unwrap();
        for &(index, document) in &near.similar_ids {
            writeln!(text, "{}", line(index, document)).unwrap();
        }
    }
    text
}

proptest! {
    #[test]
    fn a_kept_index_with_changes_is_the_same_as_a_new_one(documents in documents(0..30), mask: u64) {
        let whole = build(&documents);
        let mut changed = documents.clone();
        for document in changed.iter_mut().step_by(3) {
            document.name.push_str(" changed running");
        }
        let expect = build(&changed);
        let index = open(&documents);
        // Everything that differs is taken out, and with it some that does not.
        let out = |position: usize| position.is_multiple_of(3) || mask >> (position % 64) & 1 == 1;
        let except: DocumentSet = (0..).zip(&documents).enumerate().filter(|(position, _)| out(*position)).map(|(_, (number, _))| number).collect();
        let mut builder = IndexBuilder::new();
        builder.keep(&index, &except);
        for (_, document) in changed.iter().enumerate().filter(|&(position, _)| out(position)) {
            builder.add(document.clone()).unwrap();
        }
        prop_assert!(builder.finish().unwrap() == expect);
        let mut builder = IndexBuilder::new();
        builder.keep(&index, &NONE);
        prop_assert!(builder.finish().unwrap() == whole);
    }

    #[test]
    fn the_order_of_documents_is_of_no_account(documents in documents(0..20)) {
        let mut reversed = documents.clone();
        reversed.reverse();
        prop_assert!(build(&documents) == build(&reversed));
        let index = open(&documents);
        prop_assert_eq!(index.len(), documents.len());
        for (document, view) in documents.iter().zip(index.documents()) {
            prop_assert_eq!(key(document), (view.id().to_owned(), view.space(), view.kind()));
            prop_assert_eq!(&document.name, view.name());
            prop_assert_eq!(document.category.as_deref(), view.category());
            prop_assert_eq!(document.executor.as_deref(), view.executor());
            prop_assert_eq!(document.version.as_deref(), view.version());
            prop_assert!(view.tags().eq(document.tags.iter()));
            prop_assert_eq!(&document.payload, view.payload());
            let found = index.find(document.kind, &document.id, document.space).unwrap();
            prop_assert_eq!(found.number(), view.number());
        }
    }

    #[test]
    fn several_indexes_are_searched_as_one(documents in documents(1..30), mask: u64, hide: u64, query in query()) {
        let whole = open(&documents);
        let mut one = Collection::new();
        one.add(&whole, &NONE);

        // One half has some documents of the other half, too, hidden and with another text.
        let first = pick(&documents, mask, false);
        let second = pick(&documents, mask, true);
        let mut outdated = pick(&first, hide, true);
        for document in &mut outdated {
            document.name = "outdated commit files zzz".to_owned();
            document.tags.push("outdated".to_owned());
        }
        let keys: Vec<_> = outdated.iter().map(key).collect();
        outdated.extend(second);
        let (first, second) = (open(&first), open(&outdated));
        let is_hidden = |view: &rye_search::DocumentView<'_>| {
            keys.contains(&(view.id().to_owned(), view.space(), view.kind()))
        };
        let hidden: DocumentSet = second.documents().filter(is_hidden).map(|view| view.number()).collect();
        let mut both = Collection::new();
        both.add(&first, &NONE);
        both.add(&second, &hidden);

        prop_assert_eq!(one.len(), both.len());
        let request = SearchRequest::new(query);
        prop_assert_eq!(shown(&one, &one.search(&request)), shown(&both, &both.search(&request)));
    }
}

#[test]
fn many_documents_are_written_in_several_steps() {
    let document = |number: usize| {
        let id = ItemId::new(format!("many/number_{number}")).unwrap();
        Document::new(rye_item::ItemKind::Tool, rye_item::Space::User, id)
    };
    let index = open(&(0..40_000).map(document).collect::<Vec<_>>());
    let mut collection = Collection::new();
    collection.add(&index, &NONE);
    let results = collection.search(&SearchRequest::new("number_39999"));
    assert_eq!(
        (results.total, collection.document(0, results.hits[0].document).unwrap().id()),
        (1, "many/number_39999")
    );
    assert_eq!(collection.search(&SearchRequest::new("many number")).total, 40_000);
}
