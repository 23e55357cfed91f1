//! What is not read again, and what is.

use std::cell::Cell;
use std::fs::File;

use lillux::Digest;
use rye_item::{ItemKind, Space};
use rye_trust::snapshot::{Extent, Found, SnapshotErrorKind};
use rye_trust::{FileTrust, Keyring, LeftOutReason, OwnSignatures};

use crate::world::{World, files, left_out, rules, settle, take};

#[test]
fn an_unchanged_anchor_has_the_same_snapshot() {
    let world = World::with_anchor();
    world.write("pkg/x.so", "");
    world.write("pkg/y.py", "");
    let first = world.take().unwrap();
    settle();
    for _ in 0..3 {
        let next = world.take().unwrap();
        assert_eq!((next.digest(), next.tool()), (first.digest(), first.tool()));
        assert_eq!(next.left_out(), first.left_out());
    }
    // Two tools of one anchor share it.
    world.write("pkg/other.py", "");
    world.sign("pkg/other.py");
    let one = world.take().unwrap();
    let other = world.take_anchor("pkg/other.py", "pkg").unwrap();
    assert_eq!(one.digest(), other.digest());
    assert_ne!(one.digest(), first.digest());
    assert_eq!(
        left_out(&other),
        [("x.so", LeftOutReason::NotVerified), ("y.py", LeftOutReason::NotVerified)]
    );
}

/// Counts how often a file was read to look for its signature.
struct Counting<'a> {
    trust: OwnSignatures<'a>,
    read: Cell<usize>,
}

impl FileTrust for Counting<'_> {
    fn keyring(&self) -> &Keyring {
        self.trust.keyring()
    }

    fn fingerprint(&self) -> Digest {
        self.trust.fingerprint()
    }

    fn can_be_signed(&self, path: &str) -> bool {
        self.trust.can_be_signed(path)
    }

    fn is_signed(&self, kind: ItemKind, path: &str, bytes: &[u8]) -> bool {
        self.read.set(self.read.get() + 1);
        self.trust.is_signed(kind, path, bytes)
    }
}

#[test]
fn only_what_has_changed_is_read_again() {
    let world = World::with_anchor();
    for name in ["one", "two", "three"] {
        world.write(&format!("pkg/{name}.py"), "");
        world.sign(&format!("pkg/{name}.py"));
    }
    let (store, spaces) = (world.store(), world.spaces());
    let trust = Counting { trust: world.trust(), read: Cell::new(0) };
    let reads = || {
        let extent = Extent::Anchor { folder: "pkg", rules: &rules() };
        take(&store, spaces.get(Space::Project).unwrap(), &trust, "pkg/tool.py", extent).unwrap();
        trust.read.replace(0)
    };
    assert_eq!(reads(), 4);
    settle();
    // Those that were young the first time are read once more.
    reads();
    assert_eq!((reads(), reads()), (0, 0));
    world.sign("pkg/two.py");
    assert_eq!(reads(), 1);
    settle();
    reads();
    assert_eq!(reads(), 0);
}

#[test]
fn what_comes_and_goes_is_seen_although_nothing_is_listed() {
    let world = World::with_anchor();
    world.take().unwrap();
    settle();
    let first = world.take().unwrap();
    let folder = world.tools("pkg/lib");
    let modified = folder.metadata().unwrap().modified().unwrap();
    world.write("pkg/lib/evil.py", "planted");
    File::open(&folder).unwrap().set_modified(modified).unwrap();
    let snapshot = world.take().unwrap();
    assert_eq!(left_out(&snapshot), [("lib/evil.py", LeftOutReason::NotVerified)]);
    assert_eq!(snapshot.digest(), first.digest());
    settle();
    world.take().unwrap();
    world.write("pkg/lib/own.py", "own = 1\n");
    world.sign("pkg/lib/own.py");
    std::fs::remove_file(world.tools("pkg/lib/evil.py")).unwrap();
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), ["data.json", "lib/a.py", "lib/own.py", "tool.py"]);
    assert!(snapshot.left_out().is_empty());
    settle();
    world.take().unwrap();
    std::fs::rename(&folder, world.tools("pkg/moved")).unwrap();
    std::os::unix::fs::symlink("moved", &folder).unwrap();
    assert!(world.take().is_err());
}

#[test]
fn a_change_with_restored_times_is_seen() {
    let world = World::with_anchor();
    let path = world.tools("pkg/lib/a.py");
    world.take().unwrap();
    settle();
    let first = world.take().unwrap();
    let modified = path.metadata().unwrap().modified().unwrap();
    std::fs::write(&path, "evil = 1\n").unwrap();
    File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let error = world.take().unwrap_err();
    let SnapshotErrorKind::DependencyUnverified { files, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(files[0].found, Found::Changed(Digest::of(b"evil = 1\n")));
    assert_eq!(std::fs::read(first.root().join("lib/a.py")).unwrap(), b"good = 1\n");
    std::fs::write(&path, "good = 1\n").unwrap();
    assert_eq!(world.take().unwrap().digest(), first.digest());
}

#[test]
fn a_change_within_a_tick_of_the_clock_is_seen() {
    let world = World::with_anchor();
    for _ in 0..200 {
        world.write("pkg/lib/a.py", "good = 1\n");
        world.take().unwrap();
        world.write("pkg/lib/a.py", "evil = 1\n");
        assert!(world.take().is_err());
    }
}

#[test]
fn a_revoked_key_takes_signed_files_away() {
    let mut world = World::with_anchor();
    world.write("pkg/own.py", "own = 1\n");
    let old = std::mem::replace(&mut world.key, lillux::keys::SigningKey::from_seed(&[9; 32]));
    for (_, key) in crate::world::keyring_of(&world.key).trusted() {
        world.keyring.trust(key.clone());
    }
    world.sign("pkg/own.py");
    let second = std::mem::replace(&mut world.key, old);
    world.take().unwrap();
    settle();
    assert_eq!(files(&world.take().unwrap()), ["data.json", "lib/a.py", "own.py", "tool.py"]);
    let revocation = rye_trust::Revocation { revoked_at: crate::world::TIME.parse().unwrap(), reason: None };
    world.keyring.revoke(second.public_key().id(), revocation);
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), ["data.json", "lib/a.py", "tool.py"]);
    assert_eq!(left_out(&snapshot), [("own.py", LeftOutReason::NotVerified)]);
}

#[test]
fn a_damaged_index_only_costs_time() {
    let world = World::with_anchor();
    let first = world.take().unwrap();
    settle();
    world.take().unwrap();
    let folder = world.store().path().join("index");
    for damage in [0, 1, 40, 200, 300] {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let mut bytes = std::fs::read(&path).unwrap();
            if damage == 0 {
                bytes.truncate(9);
            } else {
                bytes[damage] ^= 0xff;
            }
            std::fs::write(&path, bytes).unwrap();
        }
        assert_eq!(world.take().unwrap().digest(), first.digest());
    }
}
