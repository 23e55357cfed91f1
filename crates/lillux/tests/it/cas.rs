//! A store in a real folder: what it keeps, what it notices, what it refuses.

use std::collections::BTreeSet;
use std::fs::Permissions;
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::{Barrier, mpsc};

use lillux::Digest;
use lillux::cas::{
    CasError, CasErrorKind, Damage, Disposition, Durability, Section, Store, Verdict, Verification,
};
use serde_json::json;

fn store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store")).unwrap();
    (folder, store)
}

/// Changes the file of an entry behind the store's back.
fn tamper(store: &Store, section: Section, digest: Digest, change: impl FnOnce(&mut Vec<u8>)) {
    let path = store.path(section, digest);
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    std::fs::write(&path, bytes).unwrap();
}

fn damage_of(error: &CasError) -> Option<Damage> {
    match error.kind() {
        CasErrorKind::Damaged { damage, .. } => Some(*damage),
        _ => None,
    }
}

#[test]
fn what_is_put_can_be_had_again() {
    let (_folder, store) = store();
    for size in [0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 1_000_000] {
        let bytes = vec![b'x'; size];
        let stored = store.put(&bytes[..]).unwrap();
        assert_eq!((stored.digest, stored.size), (Digest::of(&bytes), size as u64));
        assert_eq!(store.read(stored.digest, size).unwrap(), bytes);
        let mut reader = store.get(stored.digest).unwrap();
        let mut read = Vec::new();
        reader.read_to_end(&mut read).unwrap();
        assert_eq!((reader.size(), read), (size as u64, bytes));
    }
    assert_eq!(store.list(Section::Blobs).unwrap().count(), 6);
    assert_eq!(store.list(Section::Objects).unwrap().count(), 0);
    assert_eq!(store.verify_all().unwrap(), Verification { intact: 6, ..Verification::default() });
}

#[test]
fn an_object_is_kept_by_its_canonical_form() {
    let (_folder, store) = store();
    let value = json!({"b": [1, 2.5], "a": "é"});
    let stored = store.put_object(&value).unwrap();
    assert_eq!(stored.digest, Digest::of(r#"{"a":"é","b":[1,2.5]}"#.as_bytes()));
    assert_eq!(store.read_object(stored.digest, 1024).unwrap(), value);
    assert!(store.has(Section::Objects, stored.digest).unwrap());
    assert!(!store.has(Section::Blobs, stored.digest).unwrap());
    let again = store.put_object(&json!({"a": "é", "b": [1.0, 2.5]})).unwrap();
    assert_eq!((again.digest, again.disposition), (stored.digest, Disposition::AlreadyThere));
}

#[test]
fn a_second_put_writes_nothing() {
    let (_folder, store) = store();
    let stored = store.put_bytes(b"once").unwrap();
    let inode = || std::fs::metadata(store.path(Section::Blobs, stored.digest)).unwrap().ino();
    let before = inode();
    for stored in [store.put_bytes(b"once").unwrap(), store.put(&b"once"[..]).unwrap()] {
        assert_eq!(stored.disposition, Disposition::AlreadyThere);
    }
    assert_eq!(inode(), before);
    assert_eq!(std::fs::read_dir(store.root().join("tmp")).unwrap().count(), 0);
}

#[test]
fn files_and_folders_are_protected() {
    let (_folder, store) = store();
    let stored = store.put_bytes(b"abc").unwrap();
    let path = store.path(Section::Blobs, stored.digest);
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o444);
    for folder in path.ancestors().skip(1).take_while(|folder| folder.starts_with(store.root())) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn every_bit_counts() {
    let (_folder, store) = store();
    let digest = store.put_bytes(b"four").unwrap().digest;
    for bit in 0..32 {
        let flip = |bytes: &mut Vec<u8>| bytes[bit / 8] ^= 1 << (bit % 8);
        tamper(&store, Section::Blobs, digest, flip);
        assert!(damage_of(&store.read(digest, 1024).unwrap_err()).is_some(), "bit {bit}");
        assert!(matches!(store.verify(Section::Blobs, digest).unwrap(), Verdict::Damaged(_)), "bit {bit}");
        tamper(&store, Section::Blobs, digest, flip);
    }
    assert_eq!(store.verify(Section::Blobs, digest).unwrap(), Verdict::Intact);
}

#[test]
fn damage_is_found_in_every_way_of_reading() {
    let (_folder, store) = store();
    let bytes = vec![7; 200_000];
    let blob = store.put_bytes(&bytes).unwrap().digest;
    let object = store.put_object(&json!({"a": 1})).unwrap().digest;
    let changes: [fn(&mut Vec<u8>); 4] =
        [|bytes| bytes.truncate(bytes.len() - 1), Vec::clear, |bytes| bytes.push(0), |bytes| bytes[0] ^= 128];
    for change in changes {
        tamper(&store, Section::Blobs, blob, change);
        tamper(&store, Section::Objects, object, change);
        let found = Digest::of(&std::fs::read(store.path(Section::Blobs, blob)).unwrap());
        let damage = Damage::Content { found };

        assert_eq!(damage_of(&store.read(blob, 1 << 20).unwrap_err()), Some(damage));
        assert_eq!(store.verify(Section::Blobs, blob).unwrap(), Verdict::Damaged(damage));
        assert!(damage_of(&store.read_object(object, 1 << 20).unwrap_err()).is_some());

        let mut reader = store.get(blob).unwrap();
        for _ in 0..2 {
            let error = reader.read_to_end(&mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<CasError>()).unwrap();
            assert_eq!(damage_of(inner), Some(damage));
        }

        let verification = store.verify_all().unwrap();
        let damaged: BTreeSet<_> =
            verification.damaged.iter().map(|entry| (entry.section, entry.digest)).collect();
        assert_eq!(damaged, BTreeSet::from([(Section::Blobs, blob), (Section::Objects, object)]));
        assert!(!verification.is_intact());

        // Putting the bytes again is the cure.
        assert_eq!(store.put_bytes(&bytes).unwrap().disposition, Disposition::Repaired);
        assert_eq!(store.put_object(&json!({"a": 1})).unwrap().disposition, Disposition::Repaired);
        assert!(store.verify_all().unwrap().is_intact());
    }
}

#[test]
fn an_object_that_no_store_wrote_is_refused() {
    let (_folder, store) = store();
    for bytes in [&b"{ }"[..], b"not JSON", br#"{"b":1,"a":1}"#] {
        let digest = store.put_bytes(bytes).unwrap().digest;
        let path = store.path(Section::Objects, digest);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(store.path(Section::Blobs, digest), path).unwrap();
        assert_eq!(damage_of(&store.read_object(digest, 1024).unwrap_err()), Some(Damage::NotCanonical));
        let verdict = store.verify(Section::Objects, digest).unwrap();
        assert_eq!(verdict, Verdict::Damaged(Damage::NotCanonical));
    }
}

#[test]
fn a_link_is_not_followed() {
    let (folder, store) = store();
    let outside = folder.path().join("outside");
    std::fs::write(&outside, "abc").unwrap();
    let digest = Digest::of(b"abc");
    let path = store.path(Section::Blobs, digest);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink(&outside, &path).unwrap();

    assert!(!store.has(Section::Blobs, digest).unwrap());
    assert_eq!(damage_of(&store.read(digest, 1024).unwrap_err()), Some(Damage::NotAFile));
    assert_eq!(damage_of(&store.get(digest).unwrap_err()), Some(Damage::NotAFile));
    assert_eq!(store.verify_all().unwrap().strays, [path]);
    assert_eq!(store.put_bytes(b"abc").unwrap().disposition, Disposition::Repaired);
    assert_eq!(store.read(digest, 1024).unwrap(), b"abc");
    assert!(outside.exists());
}

#[test]
fn strangers_are_listed_apart() {
    let (_folder, store) = store();
    let digest = store.put_bytes(b"abc").unwrap().digest;
    let shard = store.path(Section::Blobs, digest).parent().unwrap().to_owned();
    let root = store.root();
    let strays = BTreeSet::from([
        root.join("README"),
        root.join("blobs/ba.bak"),
        root.join("blobs/BA"),
        shard.join("notes"),
        root.join("tmp/notes"),
    ]);
    for stray in &strays {
        std::fs::write(stray, "stray").unwrap();
    }
    let abandoned = root.join("tmp/1-1.part");
    std::fs::write(&abandoned, "half").unwrap();

    let listed: Vec<_> = store.list(Section::Blobs).unwrap().map(Result::unwrap).collect();
    assert_eq!(listed, [digest]);
    let verification = store.verify_all().unwrap();
    assert!(verification.is_intact());
    assert_eq!(BTreeSet::from_iter(verification.strays), strays);
    assert_eq!(verification.abandoned, std::slice::from_ref(&abandoned));

    assert_eq!(store.clean().unwrap().removed, [abandoned]);
    assert!(strays.iter().all(|stray| stray.exists()));
}

#[test]
fn errors_say_what_and_where() {
    let (_folder, store) = store();
    let digest = Digest::of(b"abc");
    let path = store.path(Section::Blobs, digest);
    let error = store.read(digest, 1024).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot read blob `{digest}`"));
    assert_eq!(error.kind().to_string(), format!("there is no `{}`", path.display()));
    assert!(matches!(store.get(digest).unwrap_err().kind(), CasErrorKind::NotFound { .. }));
    assert!(matches!(
        store.verify(Section::Objects, digest).unwrap_err().kind(),
        CasErrorKind::NotFound { .. }
    ));

    store.put_bytes(b"abc").unwrap();
    assert!(matches!(
        store.read(digest, 2).unwrap_err().kind(),
        CasErrorKind::TooLarge { size: 3, max: 2, .. }
    ));

    tamper(&store, Section::Blobs, digest, |bytes| bytes[0] = b'x');
    let error = store.read(digest, 3).unwrap_err();
    let mut chain = vec![error.to_string()];
    let mut source = std::error::Error::source(&error);
    while let Some(error) = source {
        chain.push(error.to_string());
        source = error.source();
    }
    let expect = [
        format!("cannot read blob `{digest}`"),
        format!("`{}` is damaged: it should have the digest `{digest}`", path.display()),
        format!("its bytes have the digest `{}`", Digest::of(b"xbc")),
    ];
    assert_eq!(chain, expect);
}

#[test]
fn removal_says_whether_there_was_something() {
    let (_folder, store) = store();
    let digest = store.put_bytes(b"abc").unwrap().digest;
    let mut open = store.get(digest).unwrap();
    assert!(store.remove(Section::Blobs, digest).unwrap());
    assert!(!store.remove(Section::Blobs, digest).unwrap());
    assert!(!store.has(Section::Blobs, digest).unwrap());
    let mut text = String::new();
    open.read_to_string(&mut text).unwrap();
    assert_eq!(text, "abc");
}

#[test]
fn input_that_fails_leaves_nothing() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::ConnectionReset)?;
            buffer.fill(1);
            Ok(buffer.len())
        }
    }
    let (_folder, store) = store();
    let error = store.put(Failing(3)).unwrap_err();
    assert!(
        matches!(error.kind(), CasErrorKind::Input(source) if source.kind() == io::ErrorKind::ConnectionReset)
    );
    assert_eq!(store.verify_all().unwrap(), Verification::default());
}

#[test]
fn cleaning_spares_a_writer_at_work() {
    struct Slow(mpsc::Receiver<u8>);
    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Ok(byte) = self.0.recv() else { return Ok(0) };
            buffer[0] = byte;
            Ok(1)
        }
    }
    let (_folder, store) = store();
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| store.put(Slow(receiver)).unwrap());
        for byte in *b"slow" {
            sender.send(byte).unwrap();
            while store.clean().unwrap().live == 0 {
                std::thread::yield_now();
            }
            assert_eq!(store.clean().unwrap().removed, Vec::<std::path::PathBuf>::new());
            assert_eq!(store.verify_all().unwrap(), Verification::default());
        }
        drop(sender);
        let stored = writer.join().unwrap();
        assert_eq!(store.read(stored.digest, 4).unwrap(), b"slow");
    });
}

#[test]
fn threads_can_write_and_clean_at_once() {
    let (_folder, store) = store();
    let store = store.with_durability(Durability::Fast);
    let barrier = Barrier::new(9);
    let bytes = vec![42; 100_000];
    std::thread::scope(|scope| {
        for thread in 0..8_u8 {
            let (store, barrier, bytes) = (&store, &barrier, &bytes);
            scope.spawn(move || {
                barrier.wait();
                for round in 0..50_u8 {
                    let same = store.put(&bytes[..]).unwrap();
                    assert_eq!(store.read(same.digest, bytes.len()).unwrap(), *bytes);
                    let own = store.put_bytes(&[thread, round]).unwrap();
                    assert_eq!(store.read(own.digest, 2).unwrap(), [thread, round]);
                    store.put_object(&json!({"round": round})).unwrap();
                }
            });
        }
        scope.spawn(|| {
            barrier.wait();
            // It may catch a file between creation and lock; the puts succeed all the same.
            for _ in 0..500 {
                store.clean().unwrap();
            }
        });
    });
    let intact = 1 + 8 * 50 + 50;
    assert_eq!(store.verify_all().unwrap(), Verification { intact, ..Verification::default() });
}
