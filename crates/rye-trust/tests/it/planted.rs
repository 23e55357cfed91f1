//! What somebody puts beside a tool does not get to it.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

use lillux::Digest;
use lillux::keys::SigningKey;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_item::ItemKind;
use rye_trust::snapshot::{Extent, Found, SnapshotErrorKind, SnapshotLink, SnapshotRequest, SnapshotTool};
use rye_trust::{
    DocumentError, LeftOutReason, Manifest, NameCollision, Revocation, SealError, SignedDocument,
};

use crate::world::{TIME, World, files, left_out, rules, settle};

const WHOLE: [&str; 3] = ["data.json", "lib/a.py", "tool.py"];

#[test]
fn a_snapshot_holds_the_verified_files_and_no_others() {
    let world = World::with_anchor();
    world.write("pkg/own.py", "own = 1\n");
    world.sign("pkg/own.py");
    for planted in ["lib/a.pyc", "lib/native.so", "site.pth", "evil.py", "lib/evil.py", "x.txt"] {
        world.write(&format!("pkg/{planted}"), "planted");
    }
    world.write("pkg/__pycache__/tool.cpython-312.pyc", "planted");
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), ["data.json", "lib/a.py", "own.py", "tool.py"]);
    assert_eq!(
        left_out(&snapshot),
        [
            ("__pycache__", LeftOutReason::Excluded),
            ("evil.py", LeftOutReason::NotVerified),
            ("lib/a.pyc", LeftOutReason::NotVerified),
            ("lib/evil.py", LeftOutReason::NotVerified),
            ("lib/native.so", LeftOutReason::NotVerified),
            ("site.pth", LeftOutReason::NotVerified),
            ("x.txt", LeftOutReason::NotVerified),
        ]
    );
    assert_eq!(std::fs::read(snapshot.tool()).unwrap(), std::fs::read(world.tools("pkg/tool.py")).unwrap());
    assert!(snapshot.tool().starts_with(snapshot.root()));
}

#[test]
fn nobody_may_write_to_a_snapshot() {
    let world = World::with_anchor();
    std::fs::set_permissions(world.tools("pkg/lib/a.py"), PermissionsExt::from_mode(0o750)).unwrap();
    let snapshot = world.take().unwrap();
    let mode = |path: &str| snapshot.root().join(path).metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("tool.py"), mode("data.json"), mode("lib/a.py")), (0o444, 0o444, 0o555));
    assert_eq!((mode(""), mode("lib")), (0o555, 0o555));
}

#[test]
fn a_signature_for_another_path_does_not_count() {
    let world = World::with_anchor();
    world.write("pkg/own.py", "own = 1\n");
    world.sign("pkg/own.py");
    std::fs::rename(world.tools("pkg/own.py"), world.tools("pkg/moved.py")).unwrap();
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), WHOLE);
    assert_eq!(left_out(&snapshot), [("moved.py", LeftOutReason::NotVerified)]);
}

#[test]
fn what_is_not_a_plain_file_never_enters() {
    use std::os::unix::ffi::OsStrExt;
    let world = World::with_anchor();
    std::fs::create_dir_all(world.path("outside")).unwrap();
    std::fs::copy(world.tools("pkg/lib/a.py"), world.path("outside/a.py")).unwrap();
    symlink(world.path("outside/a.py"), world.tools("pkg/link.py")).unwrap();
    symlink(world.path("outside"), world.tools("pkg/folder")).unwrap();
    symlink("..", world.tools("pkg/lib/loop")).unwrap();
    mknodat(CWD, world.tools("pkg/pipe.py"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    let _socket = UnixListener::bind(world.tools("pkg/socket.py")).unwrap();
    world.write("pkg/bell\u{7}.py", "");
    world.write("pkg/\u{202e}yp.a", "");
    std::fs::write(world.tools("pkg").join(std::ffi::OsStr::from_bytes(b"\xff.py")), "").unwrap();
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), WHOLE);
    assert_eq!(
        left_out(&snapshot),
        [
            ("bell\u{7}.py", LeftOutReason::ControlCharacters),
            ("folder", LeftOutReason::Link),
            ("lib/loop", LeftOutReason::Link),
            ("link.py", LeftOutReason::Link),
            ("pipe.py", LeftOutReason::Special),
            ("socket.py", LeftOutReason::Special),
            ("\u{202e}yp.a", LeftOutReason::ControlCharacters),
            ("\u{fffd}.py", LeftOutReason::NotUnicode),
        ]
    );
}

#[test]
fn a_listed_file_that_is_not_as_it_was_signed_stops_everything() {
    let world = World::with_anchor();
    world.take().unwrap();
    let good = Digest::of(b"good = 1\n");
    let check = |expect: Found| {
        let error = world.take().unwrap_err();
        let SnapshotErrorKind::DependencyUnverified { folder, files } = error.kind() else {
            panic!("{error:?}");
        };
        assert_eq!(folder, &world.tools("pkg"));
        assert_eq!(files.len(), 1);
        assert_eq!((&*files[0].path, files[0].expected, &files[0].found), ("lib/a.py", good, &expect));
    };
    world.write("pkg/lib/a.py", "evil = 1\n");
    check(Found::Changed(Digest::of(b"evil = 1\n")));
    std::fs::remove_file(world.tools("pkg/lib/a.py")).unwrap();
    check(Found::Unusable(LeftOutReason::Missing));
    symlink("../tool.py", world.tools("pkg/lib/a.py")).unwrap();
    check(Found::Unusable(LeftOutReason::Link));
    std::fs::remove_file(world.tools("pkg/lib/a.py")).unwrap();
    mknodat(CWD, world.tools("pkg/lib/a.py"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    check(Found::Unusable(LeftOutReason::Special));
    std::fs::remove_file(world.tools("pkg/lib/a.py")).unwrap();
    std::fs::rename(world.tools("pkg/lib"), world.tools("pkg/real")).unwrap();
    symlink("real", world.tools("pkg/lib")).unwrap();
    world.write("pkg/real/a.py", "good = 1\n");
    check(Found::Unusable(LeftOutReason::Missing));
}

#[test]
fn every_changed_file_is_named() {
    let world = World::with_anchor();
    world.write("pkg/lib/a.py", "evil");
    world.write("pkg/data.json", "evil");
    let error = world.take().unwrap_err();
    let SnapshotErrorKind::DependencyUnverified { files, .. } = error.kind() else { panic!("{error:?}") };
    assert_eq!(files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["data.json", "lib/a.py"]);
    let message = error.kind().to_string();
    assert_eq!(
        message,
        format!(
            "`data.json` was changed: expected {}, found {}, and 1 more",
            Digest::of(b"{}\n"),
            Digest::of(b"evil")
        )
    );
}

#[test]
fn the_given_bytes_of_the_tool_are_what_is_copied() {
    let world = World::with_anchor();
    let spaces = world.spaces();
    let root = spaces.get(rye_item::Space::Project).unwrap();
    let given = root.open_file(ItemKind::Tool, "pkg/tool.py").unwrap().unwrap().read().unwrap();
    world.write("pkg/tool.py", "evil");
    let tool = SnapshotTool { path: "pkg/tool.py", bytes: &given, executable: false };
    let extent = Extent::Anchor { folder: "pkg", rules: &rules() };
    let trust = world.trust();
    let request = SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links: &[], trust: &trust };
    for round in 0..4 {
        if round == 1 {
            settle();
        }
        let snapshot = world.store().take(&request).unwrap();
        assert_eq!(std::fs::read(snapshot.tool()).unwrap(), given.as_slice());
        assert_eq!(files(&snapshot), WHOLE);
    }
}

#[test]
fn names_that_collide_elsewhere_are_refused_if_they_are_verified() {
    let world = World::with_anchor();
    world.write("pkg/Tool.py", "planted");
    assert_eq!(left_out(&world.take().unwrap()), [("Tool.py", LeftOutReason::NotVerified)]);
    world.sign("pkg/Tool.py");
    let error = world.take().unwrap_err();
    let SnapshotErrorKind::Collision(NameCollision { one, other }) = error.kind() else {
        panic!("{error:?}")
    };
    assert_eq!((&**one, &**other), ("Tool.py", "tool.py"));
}

#[test]
fn a_manifest_counts_for_its_folder_and_from_trusted_keys_only() {
    let mut world = World::with_anchor();
    let manifest = world.tools(&format!("pkg/{}", Manifest::FILE_NAME));
    let refusal = |world: &World| match world.take().unwrap_err().kind() {
        SnapshotErrorKind::Manifest { source: DocumentError::Seal(refusal), .. } => refusal.clone(),
        other => panic!("{other:?}"),
    };
    world.take().unwrap();
    let signed = std::fs::read(&manifest).unwrap();
    // Moved to another folder.
    world.write("other/tool.py", "");
    world.sign("other/tool.py");
    world.write("other/lib/a.py", "good = 1\n");
    world.write("other/data.json", "{}\n");
    world.write(&format!("other/{}", Manifest::FILE_NAME), &signed);
    let error = world.take_anchor("other/tool.py", "other").unwrap_err();
    assert!(matches!(
        error.kind(),
        SnapshotErrorKind::Manifest { source: DocumentError::Seal(SealError::WrongSignature { .. }), .. }
    ));
    // Signed by a key that nobody trusts.
    let stranger = SigningKey::from_seed(&[8; 32]);
    let content = SignedDocument::<Manifest>::parse(&signed).unwrap().alleged_content().clone();
    let document = content.sign(ItemKind::Tool, "pkg", TIME.parse().unwrap(), &stranger).unwrap();
    std::fs::write(&manifest, document.to_bytes().unwrap()).unwrap();
    assert_eq!(refusal(&world), SealError::UnknownKey { key: stranger.public_key().id() });
    // Signed by a key that is revoked later.
    std::fs::write(&manifest, &signed).unwrap();
    world.take().unwrap();
    let revocation = Revocation { revoked_at: TIME.parse().unwrap(), reason: None };
    world.keyring.revoke(world.key.public_key().id(), revocation);
    assert!(matches!(refusal(&world), SealError::RevokedKey { .. }));
}

#[test]
fn without_its_manifest_an_anchor_has_only_signed_files() {
    let world = World::with_anchor();
    world.take().unwrap();
    std::fs::remove_file(world.tools(&format!("pkg/{}", Manifest::FILE_NAME))).unwrap();
    let snapshot = world.take().unwrap();
    assert_eq!(files(&snapshot), ["tool.py"]);
}

#[test]
fn every_changed_byte_of_a_manifest_is_noticed() {
    let world = World::with_anchor();
    let manifest = world.tools(&format!("pkg/{}", Manifest::FILE_NAME));
    let signed = std::fs::read(&manifest).unwrap();
    for at in 0..signed.len() {
        for flip in [0x01, 0x20, 0x80] {
            let mut bytes = signed.clone();
            bytes[at] ^= flip;
            let opened = Manifest::open(&bytes, ItemKind::Tool, "pkg", &world.keyring);
            assert!(opened.is_err(), "byte {at}, bit {flip:#x}");
        }
        let mut bytes = signed.clone();
        bytes[at] ^= 0x01;
        std::fs::write(&manifest, &bytes).unwrap();
        let error = world.take().unwrap_err();
        assert!(matches!(error.kind(), SnapshotErrorKind::Manifest { .. }), "byte {at}: {error:?}");
    }
    std::fs::write(&manifest, &signed).unwrap();
    assert_eq!(files(&world.take().unwrap()), WHOLE);
}

#[test]
fn a_folder_of_an_installer_is_linked_and_not_copied() {
    let world = World::new();
    world.write("pkg/tool.py", "x = 1\n");
    world.write("pkg/node_modules/x/index.js", "x");
    let target = world.tools("pkg/node_modules");
    let spaces = world.spaces();
    let root = spaces.get(rye_item::Space::Project).unwrap();
    let file = root.open_file(ItemKind::Tool, "pkg/tool.py").unwrap().unwrap();
    let bytes = file.read().unwrap();
    let trust = world.trust();
    let take = |links: &[SnapshotLink]| {
        let tool = SnapshotTool { path: "pkg/tool.py", bytes: &bytes, executable: false };
        let extent = Extent::Alone { requires: &[] };
        let request = SnapshotRequest { root, kind: ItemKind::Tool, tool, extent, links, trust: &trust };
        world.store().take(&request).unwrap()
    };
    let link = SnapshotLink { name: "node_modules".to_owned(), target: target.clone() };
    let linked = take(std::slice::from_ref(&link));
    assert_eq!(std::fs::read_link(linked.root().join("node_modules")).unwrap(), target);
    assert_eq!(take(&[link]).digest(), linked.digest());
    let other = take(&[SnapshotLink { name: "node_modules".to_owned(), target: world.path("elsewhere") }]);
    let alone = take(&[]);
    assert!(!alone.root().join("node_modules").exists());
    assert!(linked.digest() != other.digest() && linked.digest() != alone.digest());
}
