//! Comparing a catalog with the files, and reading what has changed.

use std::path::Path;
use std::time::{Duration, SystemTime};

use rye_item::{ItemFile, ItemKind, ItemRef, SpaceRoot, Visit, WalkEntry, WalkProblem};
use rye_metadata::{Field, Metadata, Problem, Severity};
use rye_search::{Document, DocumentSet, Index, IndexBuilder, IndexTooLarge, WeightedText};

use super::CatalogError;
use super::passed_over::PassedOver;
use super::record::{Facts, Record, Summary};
use super::space_catalog::SpaceCatalog;
use crate::extractors::{Entry, ExtractorSet};
use crate::folder_watch::FolderWatch;
use crate::item::{Claim, describe};

/// What a refresh has found out.
pub(super) struct Refreshed {
    /// The catalog, if it is different from before.
    pub(super) changed: Option<SpaceCatalog>,
    pub(super) watch: Option<FolderWatch>,
    /// Folders that could not be listed.
    pub(super) problems: Vec<WalkProblem>,
}

/// Within this time a file may change again without its times showing it.
const SETTLING: Duration = Duration::from_secs(2);

/// A walk through a space that finds out what is different from before.
pub(super) struct Refresh<'a> {
    root: &'a SpaceRoot,
    extractors: &'a ExtractorSet,
    before: Option<&'a SpaceCatalog>,
    watch: Option<FolderWatch>,
    kind: ItemKind,
    now: i128,
    /// Documents of the catalog before that are still right.
    unchanged: DocumentSet,
    /// What was read, as the beginning of an index: whole documents of a large space would fill the memory.
    fresh: IndexBuilder<'static>,
    fresh_count: usize,
    too_large: Option<IndexTooLarge>,
    passed_over: PassedOver,
}

impl<'a> Refresh<'a> {
    pub(super) fn new(
        root: &'a SpaceRoot,
        extractors: &'a ExtractorSet,
        before: Option<&'a SpaceCatalog>,
        watch: Option<FolderWatch>,
    ) -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            root,
            extractors,
            before,
            watch,
            kind: ItemKind::Tool,
            now: i128::try_from(now.as_nanos()).unwrap_or(0),
            unchanged: DocumentSet::new(),
            fresh: IndexBuilder::new(),
            fresh_count: 0,
            too_large: None,
            passed_over: PassedOver::default(),
        }
    }

    /// Walks, and reads what has changed.
    pub(super) fn run(mut self) -> Result<Refreshed, CatalogError> {
        // A kind's folder may not be there yet, and then it is its parent that tells when it comes.
        if let Some(watch) = &mut self.watch {
            watch.add_folder(self.root.path());
        }
        let mut problems = Vec::new();
        for kind in ItemKind::ALL {
            self.kind = kind;
            problems.extend(self.root.walk(kind, "", self.extractors.extensions(), &mut self));
        }
        let watch = self.watch.take();
        Ok(Refreshed { changed: self.rebuild()?, watch, problems })
    }

    /// A new catalog, unless it would be the same as before.
    fn rebuild(self) -> Result<Option<SpaceCatalog>, CatalogError> {
        if let Some(too_large) = self.too_large {
            return Err(too_large.into());
        }
        let index = match self.before {
            None => Index::open(self.fresh.finish()?)?,
            Some(before) => {
                let is_same =
                    self.unchanged.len() == before.index.len() && self.passed_over == before.passed_over;
                if self.fresh_count == 0 && is_same {
                    return Ok(None);
                }
                let numbers = before.index.documents().map(|document| document.number());
                let gone = numbers.filter(|&number| !self.unchanged.contains(number)).collect();
                let (fresh, nothing) = (Index::open(self.fresh.finish()?)?, DocumentSet::new());
                let mut builder = IndexBuilder::new();
                builder.keep(&before.index, &gone);
                builder.keep(&fresh, &nothing);
                Index::open(builder.finish()?)?
            }
        };
        Ok(Some(SpaceCatalog { index, passed_over: self.passed_over }))
    }

    /// The document for this file in the catalog before, if the file is still the same.
    fn unchanged_number(&self, entry: &WalkEntry<'_>, facts: Option<Facts>) -> Option<u32> {
        let document = self.before?.index.find(self.kind, &entry.id, self.root.space())?;
        let same = match (Record::facts(document.payload()), facts) {
            (Some(before), Some(now)) => before.settled && before.file == now.file,
            (None, None) => true,
            _ => false,
        };
        (same && !self.unchanged.contains(document.number())).then(|| document.number())
    }

    fn read(&mut self, entry: &WalkEntry<'_>, facts: Option<Facts>) {
        let item = ItemRef::new(self.kind, entry.id.clone());
        let read = entry.open().map_err(|error| error.to_string()).and_then(|file| {
            let embedded = file.is_embedded();
            ItemFile::read(file)
                .map(|bytes| (bytes, embedded))
                .map_err(|error| crate::error::with_sources(&error))
        });
        let (metadata, problems, signer) = match &read {
            Ok((bytes, embedded)) => {
                let path = format!("{}.{}", entry.id, entry.extension);
                let extractor = self.extractors.get(self.root.space(), entry.extension);
                let extractor = extractor.and_then(Entry::extractor);
                let (metadata, problems) = describe(&path, bytes.as_slice(), extractor);
                (metadata, problems, if *embedded { Claim::Program } else { Claim::of(bytes.as_slice()) })
            }
            Err(reason) => (Metadata::default(), vec![unreadable(reason)], Claim::Nobody),
        };
        if self.kind == ItemKind::Tool && !is_tool(&metadata, &problems) {
            if let Some(facts) = facts {
                self.passed_over.insert(self.kind, &entry.id, entry.extension, facts);
            }
            return;
        }
        let weights = self
            .extractors
            .get(self.root.space(), entry.extension)
            .and_then(Entry::extractor)
            .map_or(&[][..], |extractor| extractor.search_weights());
        let summary = Summary {
            extension: entry.extension.to_owned(),
            description: metadata.description.clone(),
            signer,
            problem: problems
                .iter()
                .find(|problem| problem.severity == Severity::Error)
                .map(ToString::to_string),
        };
        let payload = Record { facts, summary }.encode();
        let added = self.fresh.add(document(item, self.root, metadata, weights, payload));
        self.too_large = self.too_large.take().or(added.err());
        self.fresh_count += 1;
    }
}

impl Visit for Refresh<'_> {
    fn folder(&mut self, path: &Path) {
        if let Some(watch) = &mut self.watch {
            watch.add_folder(path);
        }
    }

    fn item(&mut self, entry: &WalkEntry<'_>) {
        // A file that is gone by now is not there.
        let Ok(facts) = entry.facts() else { return };
        if let (Some(watch), true) = (&mut self.watch, facts.is_some_and(|facts| facts.links > 1)) {
            let name = format!("{}.{}", entry.id, entry.extension);
            watch.add_file(&self.root.kind_path(self.kind).join(name));
        }
        let settled = |time: i128| self.now.saturating_sub(time) > SETTLING.as_nanos().cast_signed();
        let facts =
            facts.map(|file| Facts { file, settled: settled(file.modified) && settled(file.changed) });
        if let Some(number) = self.unchanged_number(entry, facts) {
            self.unchanged.insert(number);
            return;
        }
        if let (Some(before), Some(facts)) = (self.before, facts)
            && before.passed_over.contains(self.kind, &entry.id, entry.extension, &facts)
        {
            self.passed_over.insert(self.kind, &entry.id, entry.extension, facts);
            return;
        }
        self.read(entry, facts);
    }
}

/// Whether a file that is named like a tool says that it is one, or tries to.
pub(crate) fn is_tool(metadata: &Metadata, problems: &[Problem]) -> bool {
    // What is missing is nowhere; what is somewhere was meant, even if it cannot be understood.
    let is_meant = |problem: &Problem| {
        problem.position.is_some() && matches!(problem.field.as_str(), "tool_type" | "executor_id")
    };
    problems.iter().any(|problem| problem.field == "file" || is_meant(problem))
        || metadata.tool_type.is_some()
        || metadata.version.is_some()
        || !metadata.executor_id.is_absent()
}

fn unreadable(reason: &str) -> Problem {
    let message = format!("cannot be read: {reason}");
    Problem { severity: Severity::Error, field: "file".to_owned(), message, position: None }
}

fn document(
    item: ItemRef,
    root: &SpaceRoot,
    metadata: Metadata,
    weights: &[(Field, f64)],
    payload: Vec<u8>,
) -> Document {
    let fields = weights.iter().filter_map(|(field, weight)| {
        #[expect(clippy::cast_possible_truncation, reason = "a weight is a small number")]
        let weight = *weight as f32;
        Some(WeightedText::new(field.as_str(), text(&metadata, *field)?, weight))
    });
    let fields = fields.collect();
    Document {
        fields,
        name: metadata.name.unwrap_or_else(|| item.id.stem().to_owned()),
        // A file that cannot be read is still somewhere.
        category: metadata.category.or_else(|| item.id.parent().map(str::to_owned)),
        executor: metadata.executor_id.as_id().map(str::to_owned),
        version: metadata.version,
        tags: metadata.tags,
        payload,
        ..Document::new(item.kind, root.space(), item.id)
    }
}

/// The text of a field that can be searched.
fn text(metadata: &Metadata, field: Field) -> Option<String> {
    match field {
        Field::Name => metadata.name.clone(),
        Field::Title => metadata.title.clone(),
        Field::Description => metadata.description.clone(),
        Field::Category => metadata.category.clone(),
        Field::Doc => metadata.doc.clone(),
        Field::ToolName => metadata.tool_name.clone(),
        Field::ToolType => metadata.tool_type.clone(),
        Field::Tags => (!metadata.tags.is_empty()).then(|| metadata.tags.join("\n")),
        _ => None,
    }
}
