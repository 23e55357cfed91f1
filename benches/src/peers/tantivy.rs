//! A query on an index that is open: ours in this process, and one by tantivy in Python.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rye_engine::{Detail, Engine};
use rye_item::{ItemId, ItemKind, Space};
use rye_search::{Collection, Document, DocumentSet, Index, IndexBuilder, SearchRequest, WeightedText};
use serde::Deserialize;
use serde_json::json;

use super::deadline::{Deadline, end};
use super::side::{PATIENCE, Side, System, deps};
use super::tools::{self, Said};
use crate::comparison::{Comparison, Goal};
use crate::report::{Findings, spelt};
use crate::tree::words;
use crate::workshop::{self, settle};
use crate::{Effort, Result, search};

/// How many times faster than tantivy a query on our index has to be.
const BETTER: f64 = 10.0;

/// How many of the best are wanted.
const BEST: usize = 10;

/// How often a query is asked in a row, of which the last counts, as it does on the other side.
const TIMES: usize = 3;

/// How many queries there are.
const QUERIES: usize = 60;

pub(crate) fn measure(effort: Effort, findings: &mut Findings) -> Result<()> {
    let (count, rounds) = match effort {
        Effort::Quick => (200, 1),
        Effort::Full => (10_000, 20),
    };
    let folder = tempfile::tempdir()?;
    // A few more are there to be signed, and none of the queries finds them.
    let tools: Vec<_> = tools::to_search(count).into_iter().chain(tools::demo()).collect();
    let side = Side::new(System::Ours, &folder.path().join("ours"), &tools)?;
    let home = folder.path().join("ours/home");
    let engine = Engine::new(search::settings(&folder.path().join("ours/project"), &home));
    workshop::sign(&engine, &home)?;
    settle();

    let index = Index::open(built(count)?)?;
    let nothing = DocumentSet::new();
    let mut collection = Collection::new();
    collection.add(&index, &nothing);
    let mut tantivy = Tantivy::start(&side, &documents(count, folder.path())?)?;

    let (mut on_index, mut whole) = (Pairs::default(), Pairs::default());
    for round in 0..=rounds {
        for (turn, query) in queries(count).iter().enumerate() {
            let request = SearchRequest { limit: BEST, ..SearchRequest::new(query.as_str()) };
            // Whoever goes second finds the machine as the first has left it, so they swap.
            let mut answer = None;
            if turn % 2 == round % 2 {
                answer = Some(tantivy.ask(query)?);
            }
            let searched = last(|| Ok(!collection.search(&request).hits.is_empty()), query)?;
            let reported = last(|| Ok(!engine.search(&request, Detail::Summary)?.hits.is_empty()), query)?;
            let answer = answer.map_or_else(|| tantivy.ask(query), Ok)?;
            // The first round is there to warm both up.
            if round > 0 {
                on_index.push(searched, Duration::from_nanos(answer.searched));
                whole.push(reported, Duration::from_nanos(answer.fetched));
            }
        }
    }
    let count = spelt(count);
    findings.push(
        on_index.compared(format!("query on an index of {count} items / tantivy"), Goal::Better(BETTER)),
    );
    findings.push(whole.compared(format!("search at {count} items, with ten results / tantivy"), Goal::Open));
    Ok(())
}

/// How long both sides took for the same queries.
#[derive(Default)]
struct Pairs {
    ours: Vec<Duration>,
    tantivy: Vec<Duration>,
}

impl Pairs {
    fn push(&mut self, ours: Duration, tantivy: Duration) {
        self.ours.push(ours);
        self.tantivy.push(tantivy);
    }

    fn compared(self, what: String, goal: Goal) -> Comparison {
        Comparison::of_times(what, goal, self.ours, self.tantivy)
    }
}

/// The time of the last of a few searches, each of which has to find something.
fn last(mut finds: impl FnMut() -> Result<bool>, query: &str) -> Result<Duration> {
    let mut time = Duration::ZERO;
    for _ in 0..TIMES {
        let start = Instant::now();
        let is_found = finds()?;
        time = start.elapsed();
        if !is_found {
            return Err(format!("ours does not find `{query}`").into());
        }
    }
    Ok(time)
}

/// Queries of one to three words that are in the tools as they are spelt here.
fn queries(count: usize) -> Vec<String> {
    let query = |number: usize| {
        let (verb, noun, quality) = words(number * 7919 % count);
        match number % 3 {
            0 => noun.to_owned(),
            1 => format!("{verb} {noun}"),
            _ => format!("{verb} {noun} {}", quality.split(' ').next_back().unwrap_or(quality)),
        }
    };
    (0..QUERIES).map(query).collect()
}

/// Our index of the same texts as those of the tools, with the weights that they have there.
fn built(count: usize) -> Result<Vec<u8>> {
    let mut builder = IndexBuilder::new();
    for number in 0..count {
        let Said { id, category, description, doc } = Said::of(number);
        let mut document = Document::new(ItemKind::Tool, Space::Project, ItemId::new(id)?);
        document.fields = vec![
            WeightedText::new("name", document.name.as_str(), 4.0),
            WeightedText::new("category", category.as_str(), 1.5),
            WeightedText::new("description", description, 2.0),
        ];
        document.fields.extend(doc.map(|doc| WeightedText::new("doc", doc, 0.5)));
        document.category = Some(category);
        builder.add(document)?;
    }
    Ok(builder.finish()?)
}

/// A file with the same texts for the other side.
fn documents(count: usize, folder: &Path) -> Result<PathBuf> {
    let path = folder.join("documents");
    let line = |number: usize| {
        let Said { id, category, description, doc } = Said::of(number);
        format!(
            "{}\n",
            json!({"id": id, "category": category, "description": description, "doc": doc.unwrap_or_default()})
        )
    };
    fs::write(&path, (0..count).map(line).collect::<String>())?;
    Ok(path)
}

/// The other side.
struct Tantivy {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// What it says of a query.
#[derive(Deserialize)]
struct Answer {
    /// Nanoseconds until it knew where the best are.
    searched: u64,
    /// Nanoseconds until it had them.
    fetched: u64,
    ids: Vec<String>,
}

impl Tantivy {
    /// Starts it, and waits until it has read the documents.
    #[expect(clippy::disallowed_methods, reason = "a program as any other")]
    fn start(side: &Side, documents: &Path) -> Result<Self> {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/peers/tantivy_index.py");
        let surroundings = side.surroundings();
        let mut command = Command::new(deps().join("bench/bin/python"));
        command.arg(script).arg(documents).env_clear().envs(surroundings.environment.iter().cloned());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take().ok_or("no input")?;
        let stdout = BufReader::new(child.stdout.take().ok_or("no output")?);
        let mut tantivy = Self { child, stdin, stdout };
        tantivy.line()?;
        Ok(tantivy)
    }

    /// Asks, and wants something to be found.
    fn ask(&mut self, query: &str) -> Result<Answer> {
        self.stdin.write_all(format!("{query}\n").as_bytes())?;
        let answer: Answer = serde_json::from_str(&self.line()?)?;
        if answer.ids.is_empty() {
            Err(format!("tantivy does not find `{query}`").into())
        } else {
            Ok(answer)
        }
    }

    /// The next line. It says one for each that it gets, so that nothing of it has come before.
    fn line(&mut self) -> Result<String> {
        Deadline::after(PATIENCE).readable(self.stdout.get_ref())?;
        let mut line = String::new();
        match self.stdout.read_line(&mut line)? {
            0 => Err("tantivy has gone".into()),
            _ => Ok(line),
        }
    }
}

impl Drop for Tantivy {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}
