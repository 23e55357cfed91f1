//! How snapshots are kept.

use std::fs::{File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rye_trust::snapshot::{Collected, SnapshotStore, StoreRefusal};

use crate::world::{World, files};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn make_older(path: &Path, age: Duration) {
    File::open(path).unwrap().set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn a_store_that_others_can_write_to_is_refused() {
    let world = World::new();
    let store = world.store();
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(store.path()), mode(&world.path("cache"))), (0o700, 0o700));
    for wide in [0o770, 0o702, 0o777, 0o1777] {
        for folder in [store.path(), &store.path().join("index")] {
            chmod(folder, wide);
            let error = SnapshotStore::at(&world.path("cache")).unwrap_err();
            assert!(matches!(error.refusal(), StoreRefusal::Writable { mode } if *mode == wide), "{error:?}");
            chmod(folder, 0o700);
        }
    }
    chmod(&world.path("cache"), 0o777);
    assert!(SnapshotStore::at(&world.path("cache")).is_err());
    chmod(&world.path("cache"), 0o1777);
    assert!(SnapshotStore::at(&world.path("cache")).is_ok());
    std::fs::rename(store.path(), world.path("elsewhere")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere"), store.path()).unwrap();
    assert!(SnapshotStore::at(&world.path("cache")).is_err());
}

#[test]
fn a_snapshot_in_use_is_not_collected() {
    let world = World::with_anchor();
    let store = world.store();
    let kept = world.take().unwrap();
    let gone = world.take_alone("pkg/tool.py", &[]).unwrap().root().to_owned();
    assert_eq!(store.collect(Duration::ZERO).unwrap(), Collected { snapshots: 1, drafts: 0 });
    assert!(!gone.exists());
    assert_eq!(files(&kept), ["data.json", "lib/a.py", "tool.py"]);
    let folder = kept.root().to_owned();
    drop(kept);
    assert_eq!(store.collect(Duration::from_mins(1)).unwrap(), Collected::default());
    assert!(folder.exists());
    assert_eq!(store.collect(Duration::ZERO).unwrap().snapshots, 1);
    assert!(!folder.exists());
    assert_eq!(files(&world.take().unwrap()), ["data.json", "lib/a.py", "tool.py"]);
}

#[test]
fn use_is_remembered() {
    let world = World::with_anchor();
    let used = world.take().unwrap().root().with_file_name("used");
    make_older(&used, Duration::from_hours(48));
    world.take().unwrap();
    assert!(used.metadata().unwrap().modified().unwrap().elapsed().unwrap() < Duration::from_mins(1));
    make_older(&used, Duration::from_mins(30));
    world.take().unwrap();
    assert!(used.metadata().unwrap().modified().unwrap().elapsed().unwrap() > Duration::from_mins(29));
}

#[test]
fn whoever_adds_snapshots_collects_once_a_day() {
    let world = World::with_anchor();
    let old = world.take().unwrap().root().to_owned();
    make_older(&old.with_file_name("used"), Duration::from_hours(31 * 24));
    world.take_alone("pkg/tool.py", &[]).unwrap();
    assert!(old.exists(), "the day is not over");
    make_older(&world.store().path().join("collected"), Duration::from_hours(25));
    world.take_alone("pkg/tool.py", &[]).unwrap();
    assert!(old.exists(), "nothing was added");
    world.take_alone("pkg/lib/a.py", &[]).unwrap();
    assert!(!old.exists());
}

#[test]
fn abandoned_drafts_are_removed_later() {
    let world = World::with_anchor();
    let draft = world.store().path().join(".draft-1-2-3");
    std::fs::create_dir_all(draft.join("files/lib")).unwrap();
    std::fs::write(draft.join("used"), "").unwrap();
    chmod(&draft.join("files"), 0o555);
    assert_eq!(world.store().collect(Duration::ZERO).unwrap().drafts, 0);
    make_older(&draft, Duration::from_mins(11));
    let lock = File::open(draft.join("used")).unwrap();
    lock.lock_shared().unwrap();
    assert_eq!(world.store().collect(Duration::ZERO).unwrap().drafts, 0);
    drop(lock);
    assert_eq!(world.store().collect(Duration::ZERO).unwrap().drafts, 1);
    assert!(!draft.exists());
}

#[test]
fn a_damaged_copy_of_the_tool_is_replaced() {
    let world = World::with_anchor();
    let first = world.take().unwrap();
    chmod(first.tool(), 0o644);
    std::fs::write(first.tool(), "damaged").unwrap();
    let next = world.take().unwrap();
    assert_eq!(next.digest(), first.digest());
    assert_eq!(std::fs::read(next.tool()).unwrap(), std::fs::read(world.tools("pkg/tool.py")).unwrap());
}

#[test]
fn a_snapshot_that_stays_locked_is_looked_at_all_the_same() {
    let world = World::with_anchor();
    let store = world.store().holding();
    let original = std::fs::read(world.tools("pkg/tool.py")).unwrap();
    let take = || world.take_from(&store).unwrap();
    take();
    let copy = take();
    chmod(copy.tool(), 0o644);
    std::fs::write(copy.tool(), "damaged").unwrap();
    assert_eq!(std::fs::read(take().tool()).unwrap(), original);
    std::fs::rename(copy.root().parent().unwrap(), world.path("elsewhere")).unwrap();
    assert_eq!(std::fs::read(take().tool()).unwrap(), original);
    // It is not removed between two uses.
    drop((take(), copy));
    let collected = world.store().collect(Duration::ZERO).unwrap();
    assert_eq!(collected.snapshots, 0);
    drop(store);
    assert_eq!(world.store().collect(Duration::ZERO).unwrap().snapshots, 1);
}

#[test]
fn a_snapshot_of_an_earlier_boot_is_read_before_it_is_used() {
    let world = World::with_anchor();
    let module = world.take().unwrap().root().join("lib/a.py");
    let used = world.take().unwrap().root().with_file_name("used");
    let boot = std::fs::read(&used).unwrap();
    // Whole.
    std::fs::write(&used, "00000000-0000-0000-0000-000000000000").unwrap();
    world.take().unwrap();
    assert_eq!(std::fs::read(&used).unwrap(), boot);
    // What has not reached the disk is empty.
    std::fs::write(&used, "00000000-0000-0000-0000-000000000000").unwrap();
    chmod(&module, 0o644);
    std::fs::write(&module, "").unwrap();
    chmod(&module, 0o444);
    world.take().unwrap();
    assert_eq!(std::fs::read(&module).unwrap(), b"good = 1\n");
    assert_eq!(std::fs::read(&used).unwrap(), boot);
}
