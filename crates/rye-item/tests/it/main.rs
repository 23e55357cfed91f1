//! Spaces on a real file system.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod files;
mod layout;
mod locate;
mod replace;
mod spaces;
mod walk;

use std::path::{Path, PathBuf};

use rye_item::{Bundle, BundleFile, Extensions, ItemId, ItemKind, ItemRef, Space, SpaceSettings, Spaces};

/// A machine with a home folder, a project in it, and a small bundle.
struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(world.path("home/project/.ai")).unwrap();
        std::fs::create_dir_all(world.path("home/.ai")).unwrap();
        world
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn settings(&self) -> SpaceSettings {
        SpaceSettings {
            start: self.path("home/project"),
            project: None,
            home: Some(self.path("home")),
            user_space: None,
            system_space: None,
        }
    }

    fn spaces(&self) -> Spaces {
        Spaces::open(&self.settings(), bundle()).unwrap()
    }

    /// The paths in a text, without what differs from run to run.
    fn filter(&self, text: &str) -> String {
        text.replace(self.folder.path().to_str().unwrap(), "~")
    }
}

fn bundle() -> Bundle {
    static FILES: std::sync::OnceLock<Vec<BundleFile>> = std::sync::OnceLock::new();
    let file = |path, bytes: &'static [u8], executable| BundleFile {
        path,
        bytes,
        digest: *rye_item::Digest::of(bytes).as_bytes(),
        executable,
    };
    Bundle::new(FILES.get_or_init(|| {
        vec![
            file("knowledge/help/start.md", b"# Start\n", false),
            file("tools/rye/core/git.py", b"system git", false),
            file("tools/rye/core/run.sh", b"#!/bin/sh\n", true),
            file("tools/rye/lib/node_modules/x.py", b"foreign", false),
        ]
    }))
}

fn extensions() -> Extensions {
    let mut extensions = Extensions::default();
    for space in Space::ALL {
        for extension in ["py", "yaml", "sh", "md"] {
            extensions.add(space, extension);
        }
    }
    extensions.add(Space::Project, "lua");
    extensions
}

fn tool(id: &str) -> ItemRef {
    ItemRef::new(ItemKind::Tool, ItemId::new(id).unwrap())
}

fn with_sources(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", with_sources(source)),
        None => error.to_string(),
    }
}

fn symlink(target: impl AsRef<Path>, link: impl AsRef<Path>) {
    std::fs::create_dir_all(link.as_ref().parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(target, link).unwrap();
}
