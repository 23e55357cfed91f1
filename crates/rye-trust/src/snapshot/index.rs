//! What the last survey of a folder has found out, so that the next one need not read again.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use lillux::Digest;
use rye_item::{FileFacts, OpenFolder};

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
        let files = self.records().filter(|record| record.verdict != Verdict::Folder);
        files.map(|record| (record.path.clone().into_owned(), record)).collect()
    }

    /// What a snapshot would hold now, if a look at the files shows that nothing has changed.
    ///
    /// A folder that has not changed has the same names in it, so nothing is listed: it is enough to ask about each
    /// folder and about each file that was read.
    pub(super) fn unchanged(&self, scope: &Scope<'_>) -> Option<Unchanged<'_>> {
        let is_empty = self.bytes.len() == HEADER;
        if is_empty || self.manifest() != (scope.manifest_facts(), true) {
            return None;
        }
        let mut found = Unchanged { index: self, tool: None, left_out: Vec::new() };
        let mut folders = LastFolder { scope, last: None };
        let mut rest = &self.bytes[HEADER..];
        while !rest.is_empty() {
            let record = Record::decode(&mut rest).filter(|record| record.settled)?;
            let is_same = match record.verdict {
                // Whatever could change about these would change their folder.
                Verdict::NotRead | Verdict::LeftOut(_) => true,
                Verdict::Folder => record.is_same(folders.open(&record.path)?.facts().ok()),
                _ => record.is_same(folders.facts_of(&record.path)),
            };
            if !is_same {
                return None;
            }
            if record.path == scope.tool_path() {
                found.tool = record.content();
            } else if let Some(reason) = record.left_out() {
                found.left_out.push(LeftOut { path: record.path.into_owned(), reason });
            }
        }
        Some(found)
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

/// The folder that was asked last, which mostly is the one to ask next.
struct LastFolder<'f> {
    scope: &'f Scope<'f>,
    last: Option<(String, OpenFolder)>,
}

impl LastFolder<'_> {
    fn open(&mut self, path: &str) -> Option<&OpenFolder> {
        if self.last.as_ref().is_none_or(|(last, _)| last != path) {
            self.last = Some((path.to_owned(), self.scope.open_folder(path)?));
        }
        self.last.as_ref().map(|(_, folder)| folder)
    }

    fn facts_of(&mut self, path: &str) -> Option<FileFacts> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        self.open(folder)?.facts_of(name).ok()
    }
}
