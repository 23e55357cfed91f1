//! What files say about themselves.

use rye_metadata::{Extractor, ItemPath};

use super::counted;
use crate::Result;
use crate::tree::{content, extension, id};

pub(super) fn comments() -> Result<()> {
    extract("shell", "sh")
}

pub(super) fn python() -> Result<()> {
    extract("python", "py")
}

pub(super) fn javascript() -> Result<()> {
    extract("javascript", "js")
}

pub(super) fn yaml() -> Result<()> {
    extract("yaml", "yaml")
}

/// Reads the metadata of twenty files of one kind.
fn extract(extractor: &str, wanted: &str) -> Result<()> {
    let file = rye_bundle::bundle().get(&format!("tools/rye/core/extractors/{extractor}.yaml"));
    let extractor = Extractor::parse(file.ok_or("there is no such extractor")?.bytes)?;
    let files: Vec<(String, String)> = (0..80)
        .filter(|number| extension(*number) == wanted)
        .map(|number| (format!("{}.{wanted}", id(number)), content(number)))
        .collect();
    counted(&mut || {
        for (path, text) in &files {
            if extractor.extract(ItemPath::new(path), text.as_bytes())?.metadata.version.is_none() {
                return Err(format!("{path} has no version").into());
            }
        }
        Ok(())
    })
}
