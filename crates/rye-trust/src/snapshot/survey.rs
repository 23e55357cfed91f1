//! Deciding about every file that may be in a snapshot.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lillux::Digest;
use rye_item::{FileEntry, FileFacts, PassedOver, VisitFiles};

use super::contents::{Contents, FileContent};
use super::draft::Draft;
use super::error::{Found, Mismatch, SnapshotErrorKind};
use super::index::Index;
use super::record::{Record, Verdict};
use super::requires::{RequireError, Requires};
use super::scope::Scope;
use crate::file_trust::FileTrust;
use crate::manifest::{MAX_DEPENDENCY_BYTES, read_reason};
use crate::{LeftOut, LeftOutReason, Manifest, NameCollision};

/// A file that was changed so recently may change again within the same tick of the file system's clock.
const SETTLING: Duration = Duration::from_secs(2);

/// What a survey has found out.
#[derive(Debug)]
pub(super) struct Findings {
    pub(super) records: Vec<Record<'static>>,
    /// What the manifest's file was like.
    pub(super) manifest: Option<FileFacts>,
    pub(super) manifest_settled: bool,
}

/// Where a survey has its knowledge from.
pub(super) enum Reading<'r> {
    /// Only what is not known from before is read.
    News(Option<&'r Index>),
    /// Everything is read, and what is verified is written to the draft.
    Everything(&'r mut Draft),
}

/// Decides about every file in the scope.
pub(super) fn survey(
    scope: &Scope<'_>,
    trust: &dyn FileTrust,
    reading: Reading<'_>,
) -> Result<Findings, SnapshotErrorKind> {
    let now = now();
    let manifest = scope.manifest(trust.keyring())?;
    let (manifest, status) =
        manifest.map_or_else(Default::default, |(manifest, status)| (manifest, status.facts));
    let (known, draft) = match reading {
        Reading::News(index) => (index.map(Index::by_path).unwrap_or_default(), None),
        Reading::Everything(draft) => (HashMap::new(), Some(draft)),
    };
    let mut surveyor =
        Surveyor { scope, trust, manifest: &manifest, known, draft, now, records: Vec::new(), failure: None };
    scope.visit(&mut surveyor)?;
    if let Some(failure) = surveyor.failure {
        return Err(failure);
    }
    let findings = Findings {
        records: surveyor.records,
        manifest: status,
        manifest_settled: status.is_none_or(|facts| is_settled(&facts, now)),
    };
    findings.check(scope, &manifest)?;
    Ok(findings)
}

impl Findings {
    /// All verified files.
    pub(super) fn contents(&self) -> Contents {
        let mut contents = Contents::default();
        for record in &self.records {
            if let Some(content) = record.content() {
                contents.insert(&record.path, content);
            }
        }
        contents
    }

    /// All verified files and the tool, whatever is in its place.
    pub(super) fn contents_with(&self, path: &str, tool: FileContent) -> Result<Contents, NameCollision> {
        let mut contents = self.contents();
        contents.insert(path, tool);
        NameCollision::check(contents.paths())?;
        Ok(contents)
    }

    /// Everything that is not verified, apart from the tool.
    pub(super) fn left_out(&self, tool_path: &str) -> Vec<LeftOut> {
        let others = self.records.iter().filter(|record| record.path != tool_path);
        others
            .filter_map(|record| {
                record.left_out().map(|reason| LeftOut { path: record.path.clone().into_owned(), reason })
            })
            .collect()
    }

    fn check(&self, scope: &Scope<'_>, manifest: &Manifest) -> Result<(), SnapshotErrorKind> {
        let files = self.mismatches(scope, manifest);
        if !files.is_empty() {
            return Err(SnapshotErrorKind::DependencyUnverified { folder: scope.folder_path(), files });
        }
        match scope.requires() {
            Some(requires) => Ok(self.check_requires(scope, requires)?),
            None => Ok(()),
        }
    }

    fn mismatches(&self, scope: &Scope<'_>, manifest: &Manifest) -> Vec<Mismatch> {
        let verdicts: HashMap<&str, Verdict> =
            self.records.iter().map(|record| (&*record.path, record.verdict)).collect();
        let expected = manifest.files().iter().filter(|(path, _)| scope.expects(path));
        let mismatch = |(path, &expected): (&String, &Digest)| {
            let found = match verdicts.get(path.as_str()) {
                Some(Verdict::Listed(_) | Verdict::Signed(_)) => return None,
                Some(Verdict::Changed(digest) | Verdict::Unsigned(digest)) => Found::Changed(*digest),
                Some(Verdict::LeftOut(reason)) => Found::Unusable(*reason),
                Some(Verdict::NotRead | Verdict::Folder) | None => Found::Unusable(LeftOutReason::Missing),
            };
            Some(Mismatch { path: path.clone(), expected, found })
        };
        expected.filter_map(mismatch).collect()
    }

    fn check_requires(&self, scope: &Scope<'_>, requires: &Requires) -> Result<(), RequireError> {
        let owned = |record: &Record<'_>| record.path.clone().into_owned();
        for record in &self.records {
            let pattern = requires.pattern_for(&record.path).unwrap_or(&record.path).to_owned();
            match record.left_out() {
                Some(LeftOutReason::NotVerified) => {
                    let (path, item_path) = (owned(record), scope.item_path(&record.path));
                    return Err(RequireError::Unverified { pattern, path, item_path });
                }
                Some(LeftOutReason::Missing) => return Err(RequireError::NothingFound { pattern }),
                Some(reason) if requires.is_name(&record.path) => {
                    return Err(RequireError::Unusable { path: owned(record), reason });
                }
                _ => {}
            }
        }
        let verified = self.records.iter().filter(|record| record.content().is_some());
        let paths: Vec<_> = verified.map(|record| &*record.path).collect();
        match requires.unmatched(&paths) {
            Some(pattern) => Err(RequireError::NothingFound { pattern: pattern.to_owned() }),
            None => Ok(()),
        }
    }
}

struct Surveyor<'s> {
    scope: &'s Scope<'s>,
    trust: &'s dyn FileTrust,
    manifest: &'s Manifest,
    known: HashMap<String, Record<'s>>,
    draft: Option<&'s mut Draft>,
    now: i128,
    records: Vec<Record<'static>>,
    failure: Option<SnapshotErrorKind>,
}

impl Surveyor<'_> {
    fn judge(&mut self, entry: &FileEntry<'_>) -> Result<Record<'static>, SnapshotErrorKind> {
        let path = entry.path;
        let listed = self.manifest.files().get(path).copied();
        let is_readable = listed.is_some() || entry.embedded().is_some() || self.trust.can_be_signed(path);
        if !is_readable {
            return Ok(record(path, Verdict::NotRead));
        }
        if let Some(known) = self.known(entry, listed) {
            return Ok(known);
        }
        match self.read(entry, listed)? {
            Ok(record) => Ok(record),
            Err(reason) => Ok(unusable(path, reason)),
        }
    }

    /// What is known from before, if the file has not changed since.
    fn known(&self, entry: &FileEntry<'_>, listed: Option<Digest>) -> Option<Record<'static>> {
        let known = self.known.get(entry.path)?;
        let verdict = match (listed, known.verdict) {
            (None, Verdict::Signed(_) | Verdict::Unsigned(_)) => known.verdict,
            (
                Some(listed),
                Verdict::Listed(digest)
                | Verdict::Signed(digest)
                | Verdict::Unsigned(digest)
                | Verdict::Changed(digest),
            ) => compare(listed, digest),
            _ => return None,
        };
        known.is_same(entry.facts().ok().flatten()).then(|| Record {
            path: entry.path.to_owned().into(),
            verdict,
            executable: known.executable,
            facts: known.facts,
            settled: true,
        })
    }

    /// Opens the file once: what is hashed here is what is judged and what is copied.
    fn read(
        &mut self,
        entry: &FileEntry<'_>,
        listed: Option<Digest>,
    ) -> Result<Result<Record<'static>, LeftOutReason>, SnapshotErrorKind> {
        let path = entry.path;
        let file = match entry.open() {
            Ok(file) => file,
            Err(why) => return Ok(Err(why.into())),
        };
        let status = file.status();
        let settled = status.facts.is_some_and(|facts| is_settled(&facts, self.now));
        let is_embedded = file.is_embedded();
        let bytes = match file.read_within(MAX_DEPENDENCY_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(read_reason(&error))),
        };
        let digest = bytes.digest();
        let verdict = match listed {
            _ if is_embedded => Verdict::Signed(digest),
            Some(listed) => compare(listed, digest),
            None if self.is_signed(path, bytes.as_slice()) => Verdict::Signed(digest),
            None => Verdict::Unsigned(digest),
        };
        let executable = status.executable;
        let record =
            Record { path: path.to_owned().into(), verdict, executable, facts: status.facts, settled };
        if let Some(draft) = &mut self.draft
            && record.content().is_some()
            && path != self.scope.tool_path()
        {
            draft.add(path, bytes.as_slice(), executable)?;
        }
        Ok(Ok(record))
    }

    fn is_signed(&self, path: &str, bytes: &[u8]) -> bool {
        self.trust.is_signed(self.scope.kind(), &self.scope.item_path(path), bytes)
    }
}

impl VisitFiles for Surveyor<'_> {
    fn folder(&mut self, path: &str, facts: FileFacts) {
        let settled = is_settled(&facts, self.now);
        self.records.push(Record { facts: Some(facts), settled, ..record(path, Verdict::Folder) });
    }

    fn file(&mut self, entry: &FileEntry<'_>) -> ControlFlow<()> {
        match self.judge(entry) {
            Ok(record) => {
                self.records.push(record);
                ControlFlow::Continue(())
            }
            Err(failure) => {
                self.failure = Some(failure);
                ControlFlow::Break(())
            }
        }
    }

    fn passed_over(&mut self, path: &str, why: PassedOver) -> ControlFlow<()> {
        let record = unusable(path, why.into());
        self.records.push(record);
        ControlFlow::Continue(())
    }
}

fn record(path: &str, verdict: Verdict) -> Record<'static> {
    Record { path: path.to_owned().into(), verdict, executable: false, facts: None, settled: true }
}

fn unusable(path: &str, reason: LeftOutReason) -> Record<'static> {
    // These can be over without a change of the folder.
    let is_passing =
        matches!(reason, LeftOutReason::Missing | LeftOutReason::Unreadable(_) | LeftOutReason::TooLarge);
    Record { settled: !is_passing, ..record(path, Verdict::LeftOut(reason)) }
}

fn compare(listed: Digest, found: Digest) -> Verdict {
    if listed == found { Verdict::Listed(found) } else { Verdict::Changed(found) }
}

fn is_settled(facts: &FileFacts, now: i128) -> bool {
    // Whatever changes the content changes this time, which no program can set.
    let age = now.saturating_sub(facts.changed);
    age > SETTLING.as_nanos().cast_signed()
}

fn now() -> i128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos().cast_signed())
}
