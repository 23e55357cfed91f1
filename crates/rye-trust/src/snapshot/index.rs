//! What the last survey of a folder has found out, so that the next one need not read again.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;

use lillux::Digest;
use rye_item::{FileEntry, FileFacts, FilesError, PassedOver, VisitFiles};

use super::contents::{Contents, FileContent};
use super::record::{FACTS, Record, Verdict, decode_facts, encode_facts};
use super::scope::Scope;
use super::survey::Findings;
use crate::LeftOut;

/// The stored findings of a survey, in the order in which it came across the files.
#[derive(Debug)]
pub(super) struct Index {
    bytes: Vec<u8>,
}

const MAGIC: &[u8; 8] = b"ryesnap1";
const HEADER: usize = MAGIC.len() + 32 + 2 + FACTS;
const CHECKSUM: usize = 4;

impl Index {
    /// Reads an index. A damaged one is none.
    pub(super) fn load(path: &Path) -> Option<Self> {
        let mut bytes = fs::read(path).ok()?;
        let checksum = bytes.split_off(bytes.len().checked_sub(CHECKSUM)?);
        let is_sound = bytes.len() >= HEADER
            && bytes.starts_with(MAGIC)
            && checksum == crc32fast::hash(&bytes).to_le_bytes();
        is_sound.then_some(Self { bytes })
    }

    /// Stores the findings of a survey. It only saves work, so it does not matter if that fails.
    pub(super) fn save(findings: &Findings, path: &Path) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(findings.contents().digest().as_bytes());
        bytes.extend([u8::from(findings.manifest.is_some()), u8::from(findings.manifest_settled)]);
        bytes.extend(encode_facts(findings.manifest));
        for record in &findings.records {
            record.encode(&mut bytes);
        }
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        let draft = path.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
        let write = || {
            fs::File::options().write(true).create_new(true).open(&draft)?.write_all(&bytes)?;
            fs::rename(&draft, path)
        };
        if write().is_err() {
            let _ = fs::remove_file(&draft);
        }
    }

    pub(super) fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let mut rest = &self.bytes[HEADER..];
        std::iter::from_fn(move || Record::decode(&mut rest))
    }

    pub(super) fn by_path(&self) -> HashMap<String, Record<'_>> {
        self.records().map(|record| (record.path.clone().into_owned(), record)).collect()
    }

    /// What a snapshot would hold now, if a look at the files shows that nothing has changed.
    pub(super) fn unchanged(&self, scope: &Scope<'_>) -> Result<Option<Unchanged<'_>>, FilesError> {
        if self.manifest() != (scope.manifest_facts(), true) {
            return Ok(None);
        }
        let mut comparison = Comparison {
            rest: &self.bytes[HEADER..],
            same: true,
            tool_path: scope.tool_path(),
            found: Unchanged { index: self, tool: None, left_out: Vec::new() },
        };
        scope.visit(&mut comparison)?;
        let same = comparison.same && comparison.rest.is_empty();
        Ok(same.then_some(comparison.found))
    }

    fn manifest(&self) -> (Option<FileFacts>, bool) {
        let flags = &self.bytes[MAGIC.len() + 32..];
        let facts = if flags[0] == 0 { None } else { decode_facts(&flags[2..]) };
        (facts, flags[1] != 0)
    }

    fn digest(&self) -> Digest {
        let mut digest = [0; 32];
        digest.copy_from_slice(&self.bytes[MAGIC.len()..MAGIC.len() + 32]);
        Digest::from(digest)
    }
}

/// A folder in which nothing has changed.
#[derive(Debug)]
pub(super) struct Unchanged<'i> {
    index: &'i Index,
    tool: Option<FileContent>,
    pub(super) left_out: Vec<LeftOut>,
}

impl Unchanged<'_> {
    /// The name of the snapshot that holds the verified files and this tool.
    pub(super) fn digest(&self, tool_path: &str, tool: FileContent) -> Digest {
        if self.tool == Some(tool) {
            return self.index.digest();
        }
        let mut contents = Contents::default();
        for record in self.index.records() {
            if let Some(content) = record.content() {
                contents.insert(&record.path, content);
            }
        }
        contents.insert(tool_path, tool);
        contents.digest()
    }
}

/// Compares what is there with the records one by one: an unchanged folder is listed in the same order.
struct Comparison<'i, 't> {
    rest: &'i [u8],
    same: bool,
    tool_path: &'t str,
    found: Unchanged<'i>,
}

impl<'i> Comparison<'i, '_> {
    fn step(&mut self, path: &str, is_same: impl FnOnce(&Record<'i>) -> bool) -> ControlFlow<()> {
        let record = Record::decode(&mut self.rest).filter(|record| record.path == path && is_same(record));
        let Some(record) = record else {
            self.same = false;
            return ControlFlow::Break(());
        };
        if path == self.tool_path {
            self.found.tool = record.content();
        } else if let Some(reason) = record.left_out() {
            self.found.left_out.push(LeftOut { path: path.to_owned(), reason });
        }
        ControlFlow::Continue(())
    }
}

impl VisitFiles for Comparison<'_, '_> {
    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        self.step(entry.path, |record| {
            record.verdict == Verdict::NotRead || record.is_same(entry.facts().ok().flatten())
        })
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        let reason = why.into();
        self.step(path, |record| record.settled && record.verdict == Verdict::LeftOut(reason))
    }
}
