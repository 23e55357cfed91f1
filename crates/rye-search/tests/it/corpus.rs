//! Small documents over a small vocabulary, so that words meet often.

use proptest::prelude::*;
use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Document, DocumentSet, Index, IndexBuilder, WeightedText};

pub(crate) const WORDS: [&str; 16] = [
    "file",
    "files",
    "filing",
    "read",
    "readFile",
    "read_file",
    "commit",
    "comit",
    "git",
    "the",
    "branch",
    "branches",
    "utf-8",
    "s3",
    "kubernetes",
    "Café",
];

pub(crate) fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&WORDS[..])
}

fn text(words: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(word(), words).prop_map(|words| words.join(" "))
}

pub(crate) fn document() -> impl Strategy<Value = Document> {
    let id = prop::collection::vec(
        prop::sample::select(&["git", "read_file", "commit", "files", "a", "b2"][..]),
        1..4,
    );
    let place = (prop::sample::select(&ItemKind::ALL[..]), prop::sample::select(&Space::ALL[..]));
    let category = prop::option::of(prop::sample::select(&["rye/core", "rye/core/git", "net"][..]));
    let version = prop::option::of(prop::sample::select(&["1.0.0", "1.2.0", "2.0.0-rc1"][..]));
    let tags = prop::collection::vec(word(), 0..3);
    let fields = prop::collection::vec((text(0..8), 0_u8..4), 0..3);
    (id, place, text(1..3), category, version, tags, fields, any::<[u8; 2]>()).prop_map(
        |(id, (kind, space), name, category, version, tags, fields, payload)| {
            let mut document = Document::new(kind, space, ItemId::new(id.join("/")).unwrap());
            document.name = name;
            document.category = category.map(str::to_owned);
            document.executor = version.map(|_| "runtimes/script".to_owned());
            document.version = version.map(str::to_owned);
            document.tags = tags.into_iter().map(str::to_owned).collect();
            let fields = fields.into_iter().enumerate();
            document.fields = fields
                .map(|(number, (text, weight))| {
                    WeightedText::new(format!("field{number}"), text, f32::from(weight))
                })
                .collect();
            document.payload = payload.to_vec();
            document
        },
    )
}

/// Documents of which no two are the same item.
pub(crate) fn documents(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Document>> {
    prop::collection::vec(document(), count).prop_map(|mut documents| {
        documents.sort_by_key(key);
        documents.dedup_by(|one, other| key(one) == key(other));
        documents
    })
}

/// What documents are ordered by.
pub(crate) fn key(document: &Document) -> (String, Space, ItemKind) {
    (document.id.to_string(), document.space, document.kind)
}

pub(crate) fn build(documents: &[Document]) -> Vec<u8> {
    let mut builder = IndexBuilder::new();
    for document in documents {
        builder.add(document.clone()).unwrap();
    }
    builder.finish().unwrap()
}

pub(crate) fn open(documents: &[Document]) -> Index<Vec<u8>> {
    Index::open(build(documents)).unwrap()
}

pub(crate) static NONE: DocumentSet = DocumentSet::new();

pub(crate) fn query() -> impl Strategy<Value = String> {
    let term = prop_oneof![
        6 => word().prop_map(str::to_owned),
        1 => word().prop_map(|word| format!("-{word}")),
        1 => (word(), word()).prop_map(|(one, other)| format!("\"{one} {other}\"")),
        1 => prop::sample::select(&["f*", "*it", "r*f*e", "filin*", "*", "*a*", "git/*"][..]).prop_map(str::to_owned),
        1 => prop::sample::select(&["flie", "brnach", "kubrenetes", "kubernets", "gitcommit", "zzz"][..]).prop_map(str::to_owned),
        2 => prop::sample::select(&[
            "kind:tool", "type:directive", "space:user", "category:rye", "cat:core/git", "version:1", "tag:file*",
            "executor:script", "name:read", "id:git", "git/", "-kind:tool",
        ][..]).prop_map(str::to_owned),
    ];
    let group = prop::collection::vec(term, 1..4).prop_map(|terms| terms.join(" "));
    prop::collection::vec(group, 1..3).prop_map(|groups| match groups.as_slice() {
        [one] => one.clone(),
        _ => groups.join(" OR "),
    })
}
