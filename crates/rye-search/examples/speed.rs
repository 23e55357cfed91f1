//! How fast an index is built, updated and searched, over a generated corpus.
//!
//! `cargo run --release -p rye-search --example speed [documents …]`

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot go on has failed")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, Document, DocumentSet, Index, IndexBuilder, SearchRequest, WeightedText};

const VERBS: &[&str] = &[
    "read", "write", "list", "create", "delete", "update", "fetch", "send", "convert", "parse", "merge",
    "split", "build", "deploy", "restart", "check", "validate", "format", "compress", "encrypt", "upload",
    "download", "search", "index", "export", "import", "query", "render", "resize", "schedule", "sync",
    "watch", "count", "diff", "sort",
];
const NOUNS: &[&str] = &[
    "file",
    "folder",
    "image",
    "branch",
    "commit",
    "container",
    "database",
    "table",
    "bucket",
    "queue",
    "message",
    "email",
    "calendar",
    "event",
    "user",
    "token",
    "certificate",
    "log",
    "metric",
    "dashboard",
    "report",
    "invoice",
    "document",
    "page",
    "link",
    "request",
    "response",
    "header",
    "cookie",
    "session",
    "cluster",
    "node",
    "service",
    "volume",
    "network",
    "secret",
    "key",
    "video",
    "audio",
    "transcript",
    "spreadsheet",
    "chart",
    "archive",
    "backup",
];
const SYLLABLES: &[&str] = &[
    "ba", "co", "di", "fu", "ga", "he", "ji", "ko", "lu", "ma", "ne", "po", "qui", "ra", "so", "ti", "ul",
    "ver", "wo", "xen", "yo", "zar", "ther", "ment", "ly", "ion", "al", "ent", "ist", "or",
];

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    for size in if sizes.is_empty() { vec![10_000, 100_000] } else { sizes } {
        measure(size);
    }
}

fn measure(size: usize) {
    let mut corpus = Corpus::new();
    let start = Instant::now();
    let documents: Vec<Document> = (0..size).map(|number| corpus.document(number)).collect();
    println!("{size} documents (generated in {:.1?})", start.elapsed());
    let changed = documents[size / 2].clone();

    let (bytes, built) = timed(|| build(documents));
    println!("  build {built:.1?}, {} bytes per document", bytes.len() / size);
    let (index, opened) = timed(|| Index::open(&bytes).unwrap());
    println!("  open {opened:.1?}");

    let hidden: DocumentSet = index
        .find(changed.kind, &changed.id, changed.space)
        .iter()
        .map(rye_search::DocumentView::number)
        .collect();
    let (overlay, built) = timed(|| build(vec![changed.clone()]));
    println!("  one changed document as an overlay {built:.1?}");
    let (_, merged) = timed(|| {
        let mut builder = IndexBuilder::new();
        builder.keep(&index, &hidden);
        builder.add(changed.clone()).unwrap();
        builder.finish().unwrap()
    });
    println!("  one changed document in a new buffer {merged:.1?}");
    let (count, walked) = timed(|| index.documents().map(|document| document.payload().len()).sum::<usize>());
    println!("  all payloads {walked:.1?} ({count} bytes)");

    let none = DocumentSet::new();
    let mut one = Collection::new();
    one.add(&index, &none);
    for (name, queries) in corpus.queries() {
        searches(&one, name, &queries);
    }
    let overlay = Index::open(overlay).unwrap();
    let mut both = Collection::new();
    both.add(&index, &hidden);
    both.add(&overlay, &none);
    let queries: Vec<String> = corpus.queries().into_iter().flat_map(|(_, queries)| queries).collect();
    searches(&one, "all of these", &queries);
    searches(&both, "with an overlay", &queries);
}

fn searches(collection: &Collection<'_>, name: &str, queries: &[String]) {
    let mut times = Vec::new();
    let mut total = 0;
    for round in 0..4 {
        for query in queries {
            let request = SearchRequest::new(query.as_str());
            let start = Instant::now();
            let results = black_box(collection.search(&request));
            if round > 0 {
                times.push(start.elapsed());
                total += results.total;
            }
        }
    }
    times.sort_unstable();
    let at = |percent: usize| micros(times[(times.len() - 1) * percent / 100]);
    let hits = total / times.len();
    println!(
        "  {name:24} p50 {:8.1} µs   p95 {:8.1} µs   max {:8.1} µs   hits {hits}",
        at(50),
        at(95),
        at(100)
    );
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn build(documents: Vec<Document>) -> Vec<u8> {
    let mut builder = IndexBuilder::new();
    for document in documents {
        builder.add(document).unwrap();
    }
    builder.finish().unwrap()
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed())
}

/// Texts whose words are as unevenly spread as those of a language.
struct Corpus {
    random: u64,
    vocabulary: Vec<String>,
}

impl Corpus {
    fn new() -> Self {
        let mut corpus = Self { random: 0x9e37_79b9_7f4a_7c15, vocabulary: Vec::new() };
        let known = VERBS.iter().chain(NOUNS).map(|&word| word.to_owned());
        corpus.vocabulary = known.collect();
        while corpus.vocabulary.len() < 30_000 {
            let count = 2 + corpus.below(3);
            let word: String = (0..count).map(|_| SYLLABLES[corpus.below(SYLLABLES.len())]).collect();
            corpus.vocabulary.push(word);
        }
        corpus
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn below(&mut self, count: usize) -> usize {
        let count = u64::try_from(count).unwrap();
        usize::try_from((self.next() >> 16) % count).unwrap()
    }

    /// A word by Zipf's law: the rank is as good as spread evenly over its logarithm.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a draw"
    )]
    fn word(&mut self) -> String {
        let uniform = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        let rank = (uniform * (self.vocabulary.len() as f64).ln()).exp() as usize;
        self.vocabulary[rank.min(self.vocabulary.len() - 1)].clone()
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }

    fn document(&mut self, number: usize) -> Document {
        let verb = VERBS[self.below(VERBS.len())];
        let noun = NOUNS[self.below(NOUNS.len())];
        let team = self.below(200);
        let id = ItemId::new(format!("team{team}/{noun}/{verb}_{noun}_{number}")).unwrap();
        let kind = ItemKind::ALL[self.below(20).saturating_sub(17)];
        let mut document = Document::new(kind, Space::Project, id);
        document.category = Some(format!("team{team}/{noun}"));
        document.executor = Some("rye/core/runtimes/script".to_owned());
        document.version = Some(format!("{}.{}.0", self.below(3), self.below(10)));
        document.tags = vec![noun.to_owned(), self.word()];
        let words = 12 + self.below(30);
        let description = format!("{verb} a {noun} {}", self.text(words));
        document.payload = description.clone().into_bytes();
        document.payload.truncate(100);
        document.fields = vec![WeightedText::new("description", description, 1.0)];
        document
    }

    fn queries(&mut self) -> Vec<(&'static str, Vec<String>)> {
        let mut sets = Vec::new();
        let mut set = |name, make: &mut dyn FnMut(&mut Self) -> String| {
            sets.push((name, (0..200).map(|_| make(self)).collect()));
        };
        set("one word", &mut |corpus| corpus.text(1));
        set("two words", &mut |corpus| corpus.text(2));
        set("three words", &mut |corpus| corpus.text(3));
        set("a verb and a noun", &mut |corpus| {
            format!("{} {}", VERBS[corpus.below(VERBS.len())], NOUNS[corpus.below(NOUNS.len())])
        });
        set("a misspelt word", &mut |corpus| misspelt(&corpus.word(), corpus.below(100)));
        set("one right, one misspelt", &mut |corpus| {
            let noun = NOUNS[corpus.below(NOUNS.len())];
            format!("{} {}", VERBS[corpus.below(VERBS.len())], misspelt(noun, corpus.below(100)))
        });
        set("a name", &mut |corpus| {
            format!(
                "{}_{}_{}",
                VERBS[corpus.below(VERBS.len())],
                NOUNS[corpus.below(NOUNS.len())],
                corpus.below(10_000)
            )
        });
        set("a beginning", &mut |corpus| format!("{}*", &corpus.word()[..2]));
        set("a phrase", &mut |corpus| {
            format!("\"{} a {}\"", VERBS[corpus.below(VERBS.len())], NOUNS[corpus.below(NOUNS.len())])
        });
        set("a word and fields", &mut |corpus| {
            format!("{} kind:tool category:{}", corpus.word(), NOUNS[corpus.below(NOUNS.len())])
        });
        sets
    }
}

fn misspelt(word: &str, seed: usize) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = seed % (letters.len() - 1);
    letters.swap(at, at + 1);
    letters.into_iter().collect()
}
