//! What a search gives, as a person would see it.

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, Document, Filters, SearchRequest, SearchResults, Sort, WeightedText};

use crate::corpus::{NONE, open};

fn item(kind: ItemKind, space: Space, id: &str, version: &str, description: &str) -> Document {
    let mut document = Document::new(kind, space, ItemId::new(id).unwrap());
    document.category = document.id.parent().map(str::to_owned);
    document.version = Some(version.to_owned()).filter(|version| !version.is_empty());
    document.tags = vec![id.split('/').next().unwrap().to_owned()];
    document.fields = vec![WeightedText::new("description", description, 1.0)];
    document
}

fn documents() -> Vec<Document> {
    use ItemKind::{Directive, Knowledge, Tool};
    use Space::{Project, System, User};
    vec![
        item(Tool, System, "git/commit", "1.0.0", "Records staged changes."),
        item(Tool, Project, "git/commit", "2.0.0", "Records staged changes, our way."),
        item(Tool, System, "git/commit_amend", "1.0.0", "Changes the last commit: commit, commit, commit."),
        item(Tool, System, "vcs/commit", "1.10.0", "Records changes elsewhere."),
        item(Tool, User, "gitlab/merge", "1.2.0", "Merges a branch; does not commit."),
        item(Directive, Project, "release/steps", "", "Commit, then tag, then publish."),
        item(Knowledge, Project, "handbook/naming", "", "How branches are named."),
        item(Tool, System, "net/kubernetes_pods", "1.0.0", "Lists pods."),
    ]
}

fn search(request: &SearchRequest) -> (Vec<String>, SearchResults) {
    let index = open(&documents());
    let mut collection = Collection::new();
    collection.add(&index, &NONE);
    let results = collection.search(request);
    let hits = results.hits.iter().map(|hit| {
        let document = collection.document(hit.index, hit.document).unwrap();
        format!("{}:{} {:?}", document.space(), document.id(), hit.why.rank)
    });
    (hits.collect(), results)
}

#[track_caller]
fn check(query: &str, expect: &[&str]) -> SearchResults {
    let (hits, results) = search(&SearchRequest::new(query));
    assert_eq!(hits, expect, "{query}");
    results
}

#[test]
fn an_id_comes_before_a_name_before_a_beginning_before_words() {
    check(
        "git/commit",
        &["project:git/commit ExactId", "system:git/commit ExactId", "system:git/commit_amend IdPrefix"],
    );
    check(
        "commit",
        &[
            "system:git/commit ExactName",
            "system:vcs/commit ExactName",
            "project:git/commit ExactName",
            "system:git/commit_amend Words",
            "project:release/steps Words",
            "user:gitlab/merge Words",
        ],
    );
    check(
        "git",
        &["system:git/commit IdPrefix", "project:git/commit IdPrefix", "system:git/commit_amend IdPrefix"],
    );
}

#[test]
fn misspelt_words_are_understood() {
    let results = check("kuberentes", &["system:net/kubernetes_pods Words"]);
    let words: Vec<_> = results.hits[0].why.words.iter().map(|word| (&*word.asked, &*word.found)).collect();
    assert_eq!(words, [("kuberentes", "kubernetes")]);
    // There are such words, but not in one document, and no others that are spelt alike.
    check("publish pods", &[]);
}

#[test]
fn with_no_hit_it_tells_what_comes_near() {
    let results = check("commit teleport tagg", &[]);
    let near = results.near_misses.unwrap();
    assert_eq!(near.missing.iter().map(|missing| &*missing.word).collect::<Vec<_>>(), ["teleport"]);
    assert_eq!(near.partial.len(), 5);
    assert_eq!(near.partial[0].why.words.len(), 2, "the one with two of the words comes first");
    assert!(!near.outside_of_fields);
    assert_eq!(results.searched.iter().map(|searched| searched.count).sum::<usize>(), 8);

    let near = search(&SearchRequest::new("kind:knowledge merge")).1.near_misses.unwrap();
    assert!(near.outside_of_fields && near.partial.len() == 1);

    let near = search(&SearchRequest::new("tag:gti")).1.near_misses.unwrap();
    assert_eq!(
        (near.values[0].value.as_str(), near.values[0].nearest.as_slice()),
        ("gti", &["git".to_owned()][..])
    );

    let near = search(&SearchRequest::new("kubernete_pod -lists")).1.near_misses.unwrap();
    assert_eq!(near.similar_ids.len(), 1);

    let near = search(&SearchRequest::new("xq")).1.near_misses.unwrap();
    assert_eq!((near.missing.len(), near.partial.len(), near.similar_ids.len()), (1, 0, 0));
}

#[test]
fn stop_words_need_not_be_there() {
    check("how to publish the tag", &["project:release/steps Words"]);
    check("a", &["user:gitlab/merge Words"]);
}

#[test]
fn filters_hold_besides_the_query() {
    let filtered = |filters: Filters| search(&SearchRequest { filters, ..SearchRequest::new("commit") }).0;
    let kinds = Filters { kinds: vec![ItemKind::Directive], ..Filters::default() };
    assert_eq!(filtered(kinds), ["project:release/steps Words"]);
    let spaces = Filters { spaces: vec![Space::Project, Space::User], ..Filters::default() };
    assert_eq!(filtered(spaces).len(), 3);
    let category = Filters { category: Some("git".to_owned()), ..Filters::default() };
    assert_eq!(filtered(category).len(), 3);
    let tags = Filters { tags: vec!["VCS".to_owned()], ..Filters::default() };
    assert_eq!(filtered(tags), ["system:vcs/commit ExactName"]);
}

#[test]
fn hits_come_in_the_order_and_the_page_that_is_asked_for() {
    let page = |sort, offset, limit| {
        let (hits, results) =
            search(&SearchRequest { sort, offset, limit, ..SearchRequest::new("kind:tool") });
        assert_eq!(results.total, 6);
        hits.into_iter().map(|hit| hit.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let by_id = page(Sort::Id, 0, 10);
    assert_eq!(by_id[..3], ["project:git/commit", "system:git/commit", "system:git/commit_amend"]);
    assert_eq!(page(Sort::Id, 2, 2), by_id[2..4]);
    assert_eq!(page(Sort::Id, 5, 10), by_id[5..]);
    assert_eq!(page(Sort::Id, 50, 10), [""; 0]);
    assert_eq!(page(Sort::Version, 0, 2), ["project:git/commit", "system:vcs/commit"]);
    assert_eq!(page(Sort::Name, 5, 1), ["user:gitlab/merge"]);
    assert_eq!(page(Sort::Score, 0, 0), [""; 0]);
}

#[test]
fn an_empty_query_gives_everything() {
    let (hits, results) = search(&SearchRequest::new(""));
    assert_eq!((hits.len(), results.total), (8, 8));
    assert!(hits.is_sorted_by_key(|hit| hit.split(':').nth(1).map(str::to_owned)));
}

#[test]
fn nothing_is_found_in_nothing() {
    let results = Collection::new().search(&SearchRequest::new("anything"));
    assert_eq!((results.total, results.searched.len()), (0, 0));
    assert_eq!(results.near_misses.unwrap().missing.len(), 1);
}
