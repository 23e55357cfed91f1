//! Watching a real folder.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lillux::CancelToken;
use lillux::watch::{Depth, Until, WatchErrorKind, WatchEvent, WatchOutcome, WatchRequest, watch};

/// Nothing here takes that long unless it is broken.
const LONG: Duration = Duration::from_secs(30);

fn request(paths: &[&Path], depth: Depth, until: Until) -> WatchRequest {
    let paths = paths.iter().map(|path| path.to_path_buf()).collect();
    WatchRequest { paths, depth, timeout: Some(LONG), until }
}

/// Watches while `change` is made, until `last` was told.
fn events_until(paths: &[&Path], depth: Depth, last: &WatchEvent, change: impl FnOnce()) -> Vec<WatchEvent> {
    let cancel = CancelToken::new().unwrap();
    let mut change = Some(change);
    let mut events = Vec::new();
    let outcome = watch(&request(paths, depth, Until::Forever), &cancel, &mut |event| {
        if event == WatchEvent::Ready {
            change.take().unwrap()();
        }
        if event == *last {
            cancel.cancel();
        }
        events.push(event);
    })
    .unwrap();
    assert_eq!(outcome, WatchOutcome::Cancelled, "{events:?}");
    events
}

fn created(path: impl Into<PathBuf>) -> WatchEvent {
    WatchEvent::Created(path.into())
}

#[test]
fn each_kind_of_change_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let (a, b, end) = (folder.path().join("a"), folder.path().join("b"), folder.path().join("end"));
    let mut events = events_until(&[folder.path()], Depth::Shallow, &created(&end), || {
        std::fs::write(&a, "1").unwrap();
        std::fs::rename(&a, &b).unwrap();
        std::fs::rename(&b, other.path().join("b")).unwrap();
        std::fs::rename(other.path().join("b"), &b).unwrap();
        std::fs::remove_file(&b).unwrap();
        std::fs::create_dir(&end).unwrap();
    });
    events.dedup();
    let expect = [
        WatchEvent::Ready,
        created(&a),
        WatchEvent::Modified(a.clone()),
        WatchEvent::Renamed { from: a, to: b.clone() },
        WatchEvent::Removed(b.clone()),
        created(&b),
        WatchEvent::Removed(b),
        created(end),
    ];
    assert_eq!(events, expect);
}

#[test]
fn a_file_is_watched_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("file"), folder.path().join("other"));
    std::fs::write(&file, "1").unwrap();
    let modified = WatchEvent::Modified(file.clone());
    let events = events_until(&[&file], Depth::Shallow, &modified, || {
        std::fs::write(&other, "2").unwrap();
        std::fs::rename(&other, &file).unwrap();
        std::fs::remove_file(&file).unwrap();
        std::fs::write(&file, "3").unwrap();
    });
    let expect =
        [WatchEvent::Ready, created(&file), WatchEvent::Removed(file.clone()), created(&file), modified];
    assert_eq!(events, expect);
}

#[test]
fn files_in_folders_that_come_into_being_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let end = folder.path().join("end");
    let mut expect = vec![created(&end)];
    let events = events_until(&[folder.path()], Depth::Recursive, &created(&end), || {
        for index in 0..40 {
            let top = folder.path().join(format!("top-{index}"));
            let deep = top.join("deep");
            std::fs::create_dir_all(&deep).unwrap();
            std::fs::create_dir(deep.join("empty")).unwrap();
            std::fs::File::create(deep.join("file")).unwrap();
            expect.extend([&top, &deep, &deep.join("empty"), &deep.join("file")].map(created));
        }
        std::fs::File::create(&end).unwrap();
    });
    let mut told: Vec<_> =
        events.into_iter().filter(|event| matches!(event, WatchEvent::Created(_))).collect();
    told.sort_by_key(|event| format!("{event:?}"));
    expect.sort_by_key(|event| format!("{event:?}"));
    assert_eq!(told, expect);
}

#[test]
fn nothing_is_missed_while_folders_are_made_and_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().to_owned();
    let file = |root: &Path, index: usize| root.join(format!("{index}/deep")).join("file");
    let end = root.join("end");
    let mut maker = None;
    let events = events_until(&[folder.path()], Depth::Recursive, &created(&end), || {
        maker = Some(std::thread::spawn(move || {
            for index in 0..300 {
                let path = file(&root, index);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::File::create(path).unwrap();
            }
            // A file of the last folder may be told after this one, so this one comes a good while later.
            std::thread::sleep(Duration::from_millis(100));
            std::fs::File::create(root.join("end")).unwrap();
        }));
    });
    maker.unwrap().join().unwrap();
    for index in 0..300 {
        let expect = created(file(folder.path(), index));
        assert_eq!(events.iter().filter(|event| **event == expect).count(), 1, "{expect:?}");
    }
}

#[test]
fn a_shallow_watch_does_not_look_below() {
    let folder = tempfile::tempdir().unwrap();
    let sub = folder.path().join("sub");
    std::fs::create_dir(&sub).unwrap();
    let end = folder.path().join("end");
    let events = events_until(&[folder.path()], Depth::Shallow, &created(&end), || {
        std::fs::File::create(sub.join("file")).unwrap();
        std::fs::File::create(&end).unwrap();
    });
    assert_eq!(events, [WatchEvent::Ready, created(end)]);
}

#[test]
fn paths_are_spelled_as_requested() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("real")).unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("real", &link).unwrap();
    let end = link.join("end");
    let events = events_until(&[&link], Depth::Recursive, &created(&end), || {
        std::fs::File::create(folder.path().join("real/end")).unwrap();
    });
    assert_eq!(events, [WatchEvent::Ready, created(end)]);
}

#[test]
fn it_ends_when_it_has_seen_enough() {
    let folder = tempfile::tempdir().unwrap();
    for (until, count) in [(Until::First, 1), (Until::Count(NonZeroUsize::new(3).unwrap()), 3)] {
        let mut events = 0;
        let outcome = watch(
            &request(&[folder.path()], Depth::Shallow, until),
            &CancelToken::new().unwrap(),
            &mut |event| {
                if event == WatchEvent::Ready {
                    for index in 0..10 {
                        std::fs::write(folder.path().join(index.to_string()), "x").unwrap();
                    }
                } else {
                    events += 1;
                }
            },
        );
        assert_eq!((outcome.unwrap(), events), (WatchOutcome::Satisfied, count));
    }
}

#[test]
fn no_change_after_ready_is_missed() {
    for _ in 0..100 {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        let mut events = Vec::new();
        let outcome = watch(
            &request(&[folder.path()], Depth::Recursive, Until::First),
            &CancelToken::new().unwrap(),
            &mut |event| {
                if event == WatchEvent::Ready {
                    std::fs::File::create(&file).unwrap();
                }
                events.push(event);
            },
        );
        assert_eq!(outcome.unwrap(), WatchOutcome::Satisfied);
        assert_eq!(events, [WatchEvent::Ready, created(file)]);
    }
}

#[test]
fn its_time_can_be_up() {
    let folder = tempfile::tempdir().unwrap();
    let timeout = Duration::from_millis(80);
    let request =
        WatchRequest { timeout: Some(timeout), ..request(&[folder.path()], Depth::Shallow, Until::First) };
    let start = Instant::now();
    let outcome = watch(&request, &CancelToken::new().unwrap(), &mut |_| {}).unwrap();
    assert_eq!(outcome, WatchOutcome::TimedOut);
    assert!(start.elapsed() >= timeout && start.elapsed() < LONG);
}

#[test]
fn a_removal_is_told_although_the_time_is_up() {
    let folder = tempfile::tempdir().unwrap();
    let other = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let request = WatchRequest {
        timeout: Some(Duration::from_millis(20)),
        ..request(&[folder.path()], Depth::Shallow, Until::Forever)
    };
    let mut events = Vec::new();
    let outcome = watch(&request, &CancelToken::new().unwrap(), &mut |event| {
        if event == WatchEvent::Ready {
            std::fs::rename(&file, other.path().join("file")).unwrap();
        }
        events.push(event);
    });
    assert_eq!(outcome.unwrap(), WatchOutcome::TimedOut);
    assert_eq!(events, [WatchEvent::Ready, WatchEvent::Removed(file)]);
}

#[test]
fn another_thread_can_cancel_it() {
    let folder = tempfile::tempdir().unwrap();
    let cancel = CancelToken::new().unwrap();
    let (ready, is_ready) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            watch(&request(&[folder.path()], Depth::Shallow, Until::Forever), &cancel, &mut |event| {
                ready.send(event).unwrap();
            })
        });
        assert_eq!(is_ready.recv().unwrap(), WatchEvent::Ready);
        cancel.cancel();
        assert_eq!(watcher.join().unwrap().unwrap(), WatchOutcome::Cancelled);
    });
}

#[test]
fn a_missing_path_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let request = request(&[folder.path(), &missing], Depth::Shallow, Until::First);
    let error = watch(&request, &CancelToken::new().unwrap(), &mut |_| {}).unwrap_err();
    assert!(matches!(error.kind(), WatchErrorKind::NotFound { path } if *path == missing), "{error:?}");
}
