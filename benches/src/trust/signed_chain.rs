//! A tool, its runtime and its primitive, signed.

use std::fs;
use std::path::PathBuf;

use lillux::clock::{Clock as _, SystemClock};
use rye_item::{Bundle, Extensions, ItemId, ItemKind, ItemRef, Space, Spaces};
use rye_metadata::SignatureComment;
use rye_trust::{Seal, SignatureForm, SignedText, Statement, Strictness, Verifier, VerifyMemo};

use super::{Operator, comment};
use crate::Result;

/// Their names and sizes.
const ITEMS: [(&str, usize); 3] =
    [("tool.py", 16 * 1024), ("runtime.yaml", 4 * 1024), ("primitive.yaml", 2 * 1024)];

/// Files of a chain, and what is known about files before any is looked for.
pub(crate) struct SignedChain<'a> {
    operator: &'a Operator,
    spaces: Spaces,
    items: Vec<ItemRef>,
    extensions: Extensions,
    comment: SignatureComment,
}

impl<'a> SignedChain<'a> {
    /// Writes and signs them.
    pub(crate) fn make(operator: &'a Operator) -> Result<Self> {
        let mut items = Vec::new();
        for (name, size) in ITEMS {
            let text = "# a line of some tool or other\n".repeat(size / 31);
            let split = SignedText::split(text.as_bytes(), &comment())?;
            let statement = Statement::Item { kind: ItemKind::Tool, path: name };
            let seal = Seal::new(&statement, split.digest(), SystemClock.now(), &operator.key);
            fs::write(operator.tools().join(name), split.with_seal(&seal, &comment()))?;
            let id = name.split('.').next().unwrap_or(name);
            items.push(ItemRef::new(ItemKind::Tool, ItemId::new(id)?));
        }
        let mut extensions = Extensions::default();
        extensions.add(Space::Project, "py");
        extensions.add(Space::Project, "yaml");
        let spaces = Spaces::open(&operator.spaces(), Bundle::new(&[]))?;
        Ok(Self { operator, spaces, items, extensions, comment: comment() })
    }

    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        ITEMS.iter().map(|(name, _)| self.operator.tools().join(name)).collect()
    }

    /// Finds, reads and verifies all of them.
    pub(crate) fn verify(&self, memo: &VerifyMemo) -> Result<()> {
        let root = self.spaces.get(Space::Project).ok_or("there is no project")?;
        let (user, project) = (&self.operator.keyring, Ok(&self.operator.keyring));
        let verifier = Verifier { user, project, strictness: Strictness::Strict, memo };
        for item in &self.items {
            let found =
                root.locate_exactly(item, &self.extensions).map_err(|error| format!("{item}: {error}"))?;
            let found = found.ok_or_else(|| format!("{item} is gone"))?;
            verifier.verify(&found.read()?, SignatureForm::Line(&self.comment))?;
        }
        Ok(())
    }
}
