//! The query language.

use std::sync::LazyLock;

use rye_search::{Collection, DocumentSet, Index, Query, SearchRequest, SearchResults, Sort};

use super::sample_index;

static INDEX: LazyLock<Index<Vec<u8>>> =
    LazyLock::new(|| Index::open(sample_index::bytes()).expect("it was just built"));
static HIDDEN: LazyLock<DocumentSet> = LazyLock::new(|| [1, 3, 900].into_iter().collect());

pub(crate) fn query(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let parsed = Query::parse(&text);
    let shown = parsed.query.to_string();
    assert_eq!(Query::parse(&shown).query, parsed.query, "shown as {shown:?}");
    for note in &parsed.notes {
        assert!(!note.to_string().contains(char::is_control), "{note}");
    }
    let none = DocumentSet::new();
    let mut collection = Collection::new();
    collection.add(&*INDEX, &none);
    collection.add(&*INDEX, &HIDDEN);
    for (sort, limit, offset) in [(Sort::Score, 20, 0), (Sort::Name, 1, 1), (Sort::Version, 3, usize::MAX)] {
        let request = SearchRequest { sort, limit, offset, ..SearchRequest::new(text.as_ref()) };
        let results = collection.search(&request);
        check(&collection, &request, &results);
        assert_eq!(results.query, parsed.query);
        assert_eq!(collection.search(&request), results, "the same search, the same results");
    }
}

/// What holds for the results of any search.
pub(super) fn check(collection: &Collection<'_>, request: &SearchRequest, results: &SearchResults) {
    let SearchResults { total, hits, near_misses, .. } = results;
    assert!(hits.len() <= request.limit && hits.len() <= *total && *total <= collection.len());
    assert!(near_misses.is_none() || *total == 0);
    let partial = near_misses.iter().flat_map(|near| &near.partial);
    for hit in hits.iter().chain(partial) {
        assert!(collection.document(hit.index, hit.document).is_some() && hit.score.is_finite(), "{hit:?}");
    }
    if request.sort == Sort::Score {
        assert!(
            hits.is_sorted_by(
                |a, b| a.why.rank < b.why.rank || (a.why.rank == b.why.rank && a.score >= b.score)
            )
        );
    }
}
