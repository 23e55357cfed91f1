//! A small index to search in.

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Document, IndexBuilder, WeightedText};

const ITEMS: [(&str, &str, &str); 8] = [
    ("rye/file/read", "Read a text file and return its lines", "file, io"),
    ("rye/file/write", "Write text to a file, atomically", "file, io"),
    ("rye/core/runtimes/python/script", "Runs a Python script in its virtual environment", "runtime"),
    ("my/http/fetch-page", "Fetch a web page over HTTP(S) and give its text", "web, http"),
    ("my/git", "Git status, log and commits of a repository", "git, vcs"),
    ("notes/schema_v2.1", "Schlüssel, naïve café: how the 2nd schema was changed", "notes"),
    ("read", "A directive to read before anything else", ""),
    ("a/b/c/d/e/f", "", "a, b, c"),
];

/// The bytes of an index of a few items in all spaces. It is always the same.
pub(super) fn bytes() -> Vec<u8> {
    let mut builder = IndexBuilder::new();
    for (number, (id, description, tags)) in ITEMS.into_iter().enumerate() {
        let kind = ItemKind::ALL[number % ItemKind::ALL.len()];
        let space = Space::ALL[number % Space::ALL.len()];
        let mut document = Document::new(kind, space, ItemId::new(id).expect("it is an id"));
        document.category = document.id.parent().map(str::to_owned);
        document.executor = (number % 2 == 0).then(|| "rye/core/runtimes/python/script".to_owned());
        document.version = (number % 3 == 0).then(|| format!("1.{number}.0"));
        document.tags = tags.split(", ").filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        document.fields.push(WeightedText::new("description", description, 2.0));
        document.payload = vec![0; number];
        builder.add(document).expect("there is room");
    }
    builder.finish().expect("there is room")
}
