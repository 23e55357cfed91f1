//! What the names of the fixed context stand for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rye_metadata::metadata::{Anchor, VerifyDeps};
use rye_template::{ContextName, Names};

use super::copies::{Copies, CopyError, CopyRequest, ToolCopy};
use crate::{AnchorPlace, Chain, Link};

/// The paths of a plan, of which only those are made that something in the chain asks for.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pub(super) texts: Vec<(ContextName, String)>,
    pub(super) copy: Option<ToolCopy>,
    pub(super) server_copy: Option<ToolCopy>,
    /// Whether the chain asks for the file that describes a server, and there is none.
    pub(super) lacks_server: bool,
}

/// The anchor of a chain: the declaration nearest to the tool, and the executor that has it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChainAnchor<'a> {
    pub(crate) anchor: &'a Anchor,
    pub(crate) link: &'a Link,
}

/// Names that need a copy of the tool.
const NEED_COPY: [ContextName; 5] = [
    ContextName::ToolPath,
    ContextName::ToolDir,
    ContextName::ToolParent,
    ContextName::AnchorPath,
    ContextName::RuntimeLib,
];

impl<'a> ChainAnchor<'a> {
    pub(crate) fn of(chain: &'a Chain) -> Option<Self> {
        let mut anchors = chain
            .links()
            .iter()
            .filter_map(|link| Some(Self { anchor: link.metadata.anchor.as_ref()?, link }));
        anchors.find(|found| found.anchor.enabled)
    }
}

impl Paths {
    pub(super) fn find(
        chain: &Chain,
        used: &BTreeSet<ContextName>,
        project: &Path,
        copies: &dyn Copies,
    ) -> Result<Self, CopyError> {
        let mut paths = Self::default();
        let Some(head) = chain.links().first() else { return Ok(paths) };
        let runtime = chain.links().get(1).unwrap_or(head);
        let anchor = ChainAnchor::of(chain);
        let source = head.verified.item().path();
        paths.put(ContextName::ToolSource, source);
        paths.put(ContextName::ProjectPath, project);
        if used.contains(&ContextName::SystemSpace) {
            paths.put(ContextName::SystemSpace, &copies.system_space()?);
        }
        if used.contains(&ContextName::RuntimeDir)
            && let Some(folder) = copies.beside(runtime, "")?
        {
            paths.put(ContextName::RuntimeDir, &folder);
        }
        if NEED_COPY.iter().any(|name| used.contains(name)) {
            paths.copy_tool(head, chain, anchor, project, copies)?;
            if used.contains(&ContextName::RuntimeLib) {
                let lib = paths.runtime_lib(anchor, runtime, copies)?;
                paths.texts.push((ContextName::RuntimeLib, lib));
            }
        }
        if used.contains(&ContextName::ServerConfigPath) {
            paths.copy_server(chain, copies)?;
        }
        Ok(paths)
    }

    /// Makes all names known to a template.
    pub(super) fn fill<'n>(&'n self, names: &mut Names<'n>) {
        for (name, text) in &self.texts {
            names.set_context(*name, text.as_str());
        }
    }

    pub(super) fn get(&self, name: ContextName) -> Option<&str> {
        self.texts.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_str())
    }

    fn put(&mut self, name: ContextName, path: &Path) {
        self.texts.push((name, path.to_string_lossy().into_owned()));
    }

    fn copy_tool(
        &mut self,
        head: &Link,
        chain: &Chain,
        anchor: Option<ChainAnchor<'_>>,
        project: &Path,
        copies: &dyn Copies,
    ) -> Result<(), CopyError> {
        let place = anchor.map_or(AnchorPlace::Tool, |found| copies.anchor(found.anchor, found.link, head));
        let rules: Option<&VerifyDeps> =
            chain.links().iter().find_map(|link| link.metadata.verify_deps.as_ref());
        let rules = rules.filter(|rules| rules.enabled);
        let folder = match (&place, rules) {
            (AnchorPlace::Folder(folder), Some(rules)) => Some((folder.as_str(), rules)),
            _ => None,
        };
        let installed = anchor.map_or(&[][..], |found| found.anchor.installed.as_slice());
        let copy = copies.tool(&CopyRequest { tool: head, anchor: folder, installed })?;
        let tool = match &head.metadata.entry {
            Some(entry) => entry_in(&copy, entry).ok_or_else(|| CopyError::Entry { entry: entry.clone() })?,
            None => copy.tool.clone(),
        };
        let folder = copy.tool.parent().unwrap_or(&copy.root).to_owned();
        self.put(ContextName::ToolPath, &tool);
        self.put(ContextName::ToolDir, &folder);
        self.put(ContextName::ToolParent, folder.parent().unwrap_or(&folder));
        self.put(ContextName::AnchorPath, if place == AnchorPlace::Project { project } else { &copy.root });
        self.copy = Some(copy);
        Ok(())
    }

    /// The file that describes the server of the tool: an item of its own, or the tool's own file.
    fn copy_server(&mut self, chain: &Chain, copies: &dyn Copies) -> Result<(), CopyError> {
        let is_inline =
            |link: &&Link| matches!(link.metadata.server, Some(rye_metadata::metadata::ServerRef::Inline(_)));
        let inline = chain.links().iter().find(is_inline);
        let Some(link) = chain.server().or(inline) else {
            self.lacks_server = true;
            return Ok(());
        };
        let copy = copies.tool(&CopyRequest { tool: link, anchor: None, installed: &[] })?;
        self.put(ContextName::ServerConfigPath, &copy.tool);
        self.server_copy = Some(copy);
        Ok(())
    }

    /// The library folders of the anchor and of the runtime, those that there are, as one search path.
    fn runtime_lib(
        &self,
        anchor: Option<ChainAnchor<'_>>,
        runtime: &Link,
        copies: &dyn Copies,
    ) -> Result<String, CopyError> {
        let Some(lib) = anchor.and_then(|found| found.anchor.lib.as_deref()) else {
            return Ok(String::new());
        };
        let of_anchor = self.get(ContextName::AnchorPath).map(|anchor| Path::new(anchor).join(lib));
        let of_anchor = of_anchor.filter(|folder| folder.is_dir());
        let of_runtime = copies.beside(anchor.map_or(runtime, |found| found.link), lib)?;
        let folders: Vec<PathBuf> = of_anchor.into_iter().chain(of_runtime).collect();
        let texts: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
        Ok(texts.join(":"))
    }
}

/// The file in a copy that a tool names as its program. There are no links in a copy, so it cannot lead out of it.
fn entry_in(copy: &ToolCopy, entry: &str) -> Option<PathBuf> {
    let is_plain = entry.split('/').all(|part| !matches!(part, "" | ".."));
    let path = copy.tool.parent()?.join(entry);
    (is_plain && path.is_file()).then_some(path)
}
