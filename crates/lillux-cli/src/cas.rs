//! `lillux cas`: bytes by their digest.

use std::path::{Path, PathBuf};

use lillux::Digest;
use lillux::cas::{CanonicalJson, CasError, DamagedEntry, Disposition, Section, Store, Verdict};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::cli::{CasArgs, CasCommand, SectionArgs};
use crate::code::Code;
use crate::failure::Failure;
use crate::input::{self, InputSource};
use crate::output_file::Visibility;
use crate::raw_output::RawOutput;

/// A store that is not there, and that a reader does not make.
#[derive(Debug, thiserror::Error)]
#[error("there is no store in `{}`", .0.display())]
struct NoStore(PathBuf);

pub(crate) fn cas(args: CasArgs) -> Result<Answer, Failure> {
    let store = match args.command {
        CasCommand::Put { .. } => Store::open(&args.root)?,
        _ => open_existing(&args.root)?,
    };
    match args.command {
        CasCommand::Put { file, section } => put(&store, section.section(), &file),
        CasCommand::Get { digest, output, section } => get(&store, section.section(), digest, output),
        CasCommand::Has { digest, section } => {
            let found = store.has(section.section(), digest)?;
            Answer::new(json!({ "found": found }), found)
        }
        CasCommand::List => list(&store),
        CasCommand::Verify { digest: Some(digest), object } => {
            verify(&store, SectionArgs { object }.section(), digest)
        }
        CasCommand::Verify { digest: None, .. } => verify_all(&store),
        CasCommand::Rm { digest, section } => {
            let removed = store.remove(section.section(), digest)?;
            Answer::new(json!({ "removed": removed }), removed)
        }
        CasCommand::Clean => {
            let cleaning = store.clean()?;
            Answer::yes(json!({ "removed": texts(&cleaning.removed), "live": cleaning.live }))
        }
    }
}

fn open_existing(root: &Path) -> Result<Store, Failure> {
    if root.exists() {
        Ok(Store::open(root)?)
    } else {
        Err(Failure::new(Code::FileNotFound, &NoStore(root.to_owned())))
    }
}

fn put(store: &Store, section: Section, file: &InputSource) -> Result<Answer, Failure> {
    let stored = match section {
        Section::Blobs => store.put(file.open()?)?,
        Section::Objects => store.put_object(&parse(&file.read()?)?)?,
    };
    let disposition = match stored.disposition {
        Disposition::Written => "written",
        Disposition::AlreadyThere => "already_there",
        Disposition::Repaired => "repaired",
    };
    Answer::yes(json!({ "digest": stored.digest, "size": stored.size, "disposition": disposition }))
}

/// The value of a JSON text that has a canonical form.
fn parse(text: &[u8]) -> Result<Value, Failure> {
    // In the canonical form no key comes twice, of which the parser would silently drop one.
    let canonical = CanonicalJson::parse(text)?;
    serde_json::from_slice(canonical.as_bytes()).map_err(|error| Failure::io("read JSON", &error.into()))
}

fn get(store: &Store, section: Section, digest: Digest, output: Option<PathBuf>) -> Result<Answer, Failure> {
    match section {
        Section::Blobs => {
            let blob = store.get(digest)?;
            let output = RawOutput::create(output, Visibility::Default)?;
            output.copy(blob, |error| match error.downcast::<CasError>() {
                Ok(error) => error.into(),
                Err(error) => Failure::io(&format!("read blob `{digest}`"), &error),
            })
        }
        Section::Objects => {
            let limit = usize::try_from(input::LIMIT).unwrap_or(usize::MAX);
            let value = store.read_object(digest, limit)?;
            RawOutput::create(output, Visibility::Default)?.put(CanonicalJson::of(&value)?.as_bytes())
        }
    }
}

fn list(store: &Store) -> Result<Answer, Failure> {
    let sorted = |section| -> Result<Vec<Digest>, CasError> {
        let mut digests = store.list(section)?.collect::<Result<Vec<_>, _>>()?;
        digests.sort_unstable();
        Ok(digests)
    };
    Answer::yes(json!({ "blobs": sorted(Section::Blobs)?, "objects": sorted(Section::Objects)? }))
}

fn verify(store: &Store, section: Section, digest: Digest) -> Result<Answer, Failure> {
    match store.verify(section, digest)? {
        Verdict::Intact => Answer::yes(json!({ "status": "intact" })),
        Verdict::Damaged(damage) => {
            let path = store.path(section, digest);
            let entry = describe(&DamagedEntry { section, digest, path, damage });
            Answer::new(json!({ "status": "damaged", "damaged": [entry] }), false)
        }
    }
}

fn verify_all(store: &Store) -> Result<Answer, Failure> {
    let found = store.verify_all()?;
    let body = json!({
        "status": if found.is_intact() { "intact" } else { "damaged" },
        "intact": found.intact,
        "damaged": found.damaged.iter().map(describe).collect::<Vec<_>>(),
        "strays": texts(&found.strays),
        "abandoned": texts(&found.abandoned),
    });
    Answer::new(body, found.is_intact())
}

fn describe(entry: &DamagedEntry) -> Value {
    json!({
        "kind": entry.section.to_string(),
        "digest": entry.digest,
        "path": entry.path.to_string_lossy(),
        "problem": entry.damage.to_string(),
    })
}

fn texts(paths: &[PathBuf]) -> Vec<String> {
    let mut texts: Vec<_> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    texts.sort_unstable();
    texts
}
