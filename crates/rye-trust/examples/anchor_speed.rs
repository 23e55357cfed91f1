//! Compares checking and copying an anchor of 5,000 files with doing only what cannot be left out.
//!
//! Run it with `cargo run --release -p rye-trust --example anchor_speed`.

#![expect(clippy::print_stdout, reason = "that is what it is for")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::mem::MaybeUninit;
use std::path::Path;
use std::time::{Duration, Instant};

use lillux::Digest;
use lillux::keys::SigningKey;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, openat, statat};
use rye_item::{Bundle, ItemBytes, ItemKind, Space, SpaceRoot, SpaceSettings, Spaces};
use rye_metadata::SignatureComment;
use rye_trust::snapshot::{Extent, Snapshot, SnapshotRequest, SnapshotStore, SnapshotTool};
use rye_trust::{DependencyRules, KeyOrigin, Keyring, Manifest, OwnSignatures, TrustedKey};

const FOLDERS: usize = 50;
const FILES: usize = 100;
const TIME: &str = "2026-03-01T10:00:00Z";

fn main() -> Result<(), Box<dyn Error>> {
    let space = tempfile::tempdir()?;
    let anchor = space.path().join(".ai/tools/pkg");
    write_files(&anchor)?;
    let settings = SpaceSettings {
        start: space.path().to_owned(),
        project: Some(space.path().to_owned()),
        home: None,
        user_space: None,
        system_space: None,
    };
    let spaces = Spaces::open(&settings, Bundle::new(&[]))?;
    let root = spaces.get(Space::Project).ok_or("there is no project")?;
    let key = SigningKey::from_seed(&[1; 32]);
    let mut keyring = Keyring::default();
    let (owner, origin) = ("me".to_owned(), KeyOrigin::User);
    keyring.trust(TrustedKey { key: key.public_key(), owner, trusted_at: TIME.parse()?, origin });
    let comment = SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true };
    let trust = OwnSignatures::new(&keyring, BTreeMap::from([("py".to_owned(), comment)]));
    let rules = DependencyRules {
        recursive: true,
        extensions: vec!["py".to_owned()],
        names: Vec::new(),
        exclude_dirs: Vec::new(),
    };
    let manifest = Manifest::build(root, ItemKind::Tool, "pkg", &rules, &trust, None)?.manifest;
    let manifest = manifest.sign(ItemKind::Tool, "pkg", TIME.parse()?, &key)?;
    fs::write(anchor.join(Manifest::FILE_NAME), manifest.to_bytes()?)?;
    let tool = root.open_file(ItemKind::Tool, "pkg/f0/m0.py")?.ok_or("there is no tool")?.read()?;
    let anchored = Anchored { root, trust: &trust, rules: &rules, tool: &tool };

    let cache = space.path().join("cache");
    let copy = space.path().join("copy");
    let mut build = Comparison::default();
    for round in 0..14 {
        let store = SnapshotStore::at(&cache)?;
        build.run(round, || anchored.take(&store).map(drop), || copy_files(&anchor, &copy))?;
        store.collect(Duration::ZERO)?;
        fs::remove_dir_all(store.path().join("index"))?;
        fs::remove_dir_all(&copy)?;
    }
    build.print("snapshot against hash and copy");

    let store = SnapshotStore::at(&cache)?;
    std::thread::sleep(Duration::from_secs(3));
    anchored.take(&store)?;
    assert_eq!(stat_files(&anchor)?, FOLDERS * FILES + 1);
    let mut check = Comparison::default();
    for round in 0..200 {
        check.run(round, || anchored.take(&store).map(drop), || stat_files(&anchor).map(drop))?;
    }
    check.print("warm check against stat walk");
    Ok(())
}

struct Anchored<'a> {
    root: &'a SpaceRoot,
    trust: &'a OwnSignatures<'a>,
    rules: &'a DependencyRules,
    tool: &'a ItemBytes,
}

impl Anchored<'_> {
    fn take(&self, store: &SnapshotStore) -> Result<Snapshot, Box<dyn Error>> {
        let tool = SnapshotTool { path: "pkg/f0/m0.py", bytes: self.tool, executable: false };
        let extent = Extent::Anchor { folder: "pkg", rules: self.rules };
        let (root, trust) = (self.root, self.trust);
        Ok(store.take(&SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust })?)
    }
}

/// Times of two ways to do something, taken in turn.
#[derive(Default)]
struct Comparison {
    ours: Vec<Duration>,
    bare: Vec<Duration>,
}

type Step = Result<(), Box<dyn Error>>;

impl Comparison {
    fn run(&mut self, round: usize, mut ours: impl FnMut() -> Step, mut bare: impl FnMut() -> Step) -> Step {
        let time = |times: &mut Vec<Duration>, step: &mut dyn FnMut() -> Step| {
            let start = Instant::now();
            step()?;
            times.push(start.elapsed());
            Ok(())
        };
        if round.is_multiple_of(2) {
            time(&mut self.ours, &mut ours)?;
            time(&mut self.bare, &mut bare)
        } else {
            time(&mut self.bare, &mut bare)?;
            time(&mut self.ours, &mut ours)
        }
    }

    fn print(&mut self, name: &str) {
        self.ours.sort();
        self.bare.sort();
        for (which, part) in [("best", 0), ("median", self.ours.len() / 2)] {
            let (ours, bare) = (self.ours[part], self.bare[part]);
            let ratio = ours.as_secs_f64() / bare.as_secs_f64();
            println!("{name}, {which}: {ours:?} against {bare:?}, {ratio:.2} x");
        }
    }
}

fn write_files(anchor: &Path) -> std::io::Result<()> {
    for folder in 0..FOLDERS {
        fs::create_dir_all(anchor.join(format!("f{folder}")))?;
        for file in 0..FILES {
            let text = format!("value = {folder}{file}\n").repeat(250);
            fs::write(anchor.join(format!("f{folder}/m{file}.py")), text)?;
        }
    }
    Ok(())
}

/// Lists every folder and asks for the facts of every file.
fn stat_files(folder: &Path) -> Result<usize, Box<dyn Error>> {
    fn walk(parent: &impl std::os::fd::AsFd, name: &std::ffi::CStr) -> Result<usize, Box<dyn Error>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let folder = openat(parent, name, flags, Mode::empty())?;
        let mut buffer = vec![MaybeUninit::uninit(); 32 * 1024];
        let mut entries = RawDir::new(&folder, &mut buffer);
        let mut count = 0;
        while let Some(entry) = entries.next() {
            let entry = entry?;
            match entry.file_type() {
                FileType::RegularFile => {
                    statat(&folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW)?;
                    count += 1;
                }
                FileType::Directory if !matches!(entry.file_name().to_bytes(), b"." | b"..") => {
                    count += walk(&folder, entry.file_name())?;
                }
                _ => {}
            }
        }
        Ok(count)
    }
    walk(&File::open(folder)?, c".")
}

/// Reads, hashes and writes every file.
fn copy_files(anchor: &Path, copy: &Path) -> Step {
    let mut digests = Vec::new();
    for folder in 0..FOLDERS {
        let (from, to) = (anchor.join(format!("f{folder}")), copy.join(format!("f{folder}")));
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(from)? {
            let entry = entry?;
            let bytes = fs::read(entry.path())?;
            digests.push(Digest::of(&bytes));
            File::create_new(to.join(entry.file_name()))?.write_all(&bytes)?;
        }
    }
    assert_eq!(digests.len(), FOLDERS * FILES);
    Ok(())
}
