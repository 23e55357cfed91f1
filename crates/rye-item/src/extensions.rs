//! Which files are items.

use crate::only_files::OnlyFiles;
use crate::{ItemKind, Space};

/// The extensions that make a file an item, for each space.
///
/// What is known depends on the space, because a project may teach us a language for its own files.
#[derive(Debug, Default)]
pub struct Extensions {
    tools: [Vec<String>; 3],
    /// What was found out with just these.
    pub(crate) only_files: OnlyFiles,
}

impl Extensions {
    /// Directives and knowledge are Markdown.
    const TEXTS: [&'static str; 1] = ["md"];

    /// Adds an extension, without its dot, for tools of `space`.
    pub fn add(&mut self, space: Space, extension: impl Into<String>) {
        let known = &mut self.tools[space as usize];
        let extension = extension.into();
        // Markdown beside tools is documentation.
        if !known.contains(&extension) && !Self::TEXTS.contains(&extension.as_str()) {
            known.push(extension);
            self.only_files = OnlyFiles::default();
        }
    }

    /// The extensions of items of this kind in this space.
    pub(crate) fn of(&self, space: Space, kind: ItemKind) -> impl Iterator<Item = &str> {
        let tools = if kind == ItemKind::Tool { self.tools[space as usize].as_slice() } else { &[] };
        let texts = if kind == ItemKind::Tool { [].as_slice() } else { &Self::TEXTS };
        tools.iter().map(String::as_str).chain(texts.iter().copied())
    }

    /// Splits the name of a file into the last part of an id and an extension that makes it an item.
    pub(crate) fn split<'a>(
        &self,
        space: Space,
        kind: ItemKind,
        name: &'a str,
    ) -> Option<(&'a str, &'a str)> {
        let (stem, extension) = name.rsplit_once('.')?;
        self.of(space, kind).any(|known| known == extension).then_some((stem, extension))
    }
}
