//! Lock files of several versions and spaces.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{Engine, EngineError, ErrorCode, LockError, TargetSpace, VerifyRequest};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_trust::LockDifference;

use crate::signing::sign;
use crate::tree::Tree;

/// A tool of a version, signed.
fn put(tree: &Tree, engine: &Engine, key: &SigningKey, version: &str) {
    let text = format!(
        "# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: {version}\necho\n"
    );
    tree.write("project/.ai/tools/my/say.sh", text);
    assert!(sign(engine, key, "my/say").is_good());
}

/// The code of what stops the tool.
fn stopped_by(engine: &Engine) -> Option<ErrorCode> {
    let item = ItemRef::new(ItemKind::Tool, ItemId::new("my/say").unwrap());
    let report = engine.verify(&VerifyRequest::Item(item)).unwrap();
    report.items[0].issues.first().map(rye_engine::VerifyIssue::code)
}

#[test]
fn a_lock_of_another_version_is_a_mismatch() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    put(&tree, &engine, &key, "1.0.0");
    let first = engine.lock("say", TargetSpace::Project, &key).unwrap();
    assert!(first.path.ends_with("project/.ai/locks/my/say@1.0.0.lock.json"));
    assert_eq!(stopped_by(&engine), None);
    put(&tree, &engine, &key, "1.1.0");
    assert_eq!(stopped_by(&engine), Some(ErrorCode::LockMismatch));
    let checks = engine.check_locks().unwrap();
    let Err(EngineError::Lock(LockError::Mismatch { differences, space, .. })) = &checks[0].result else {
        panic!("{checks:?}")
    };
    assert_eq!(*space, Space::Project);
    assert!(matches!(&differences[..], [LockDifference::Version { .. }, LockDifference::Changed { .. }]));
    // With a lock of its own, the version decides for itself.
    engine.lock("my/say", TargetSpace::Project, &key).unwrap();
    assert_eq!(stopped_by(&engine), None);
    let used: Vec<_> =
        engine.check_locks().unwrap().iter().map(|check| (check.is_used, check.result.is_ok())).collect();
    assert_eq!(used, [(false, true), (true, true)]);
    // And so does the older one, when its version is back.
    put(&tree, &engine, &key, "1.0.0");
    assert_eq!(stopped_by(&engine), None);
}

#[test]
fn a_lock_under_the_name_of_another_is_a_mismatch() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    put(&tree, &engine, &key, "1.0.0");
    let lock = engine.lock("my/say", TargetSpace::Project, &key).unwrap().path;
    put(&tree, &engine, &key, "2.0.0");
    fs::rename(&lock, lock.with_file_name("say@2.0.0.lock.json")).unwrap();
    assert_eq!(stopped_by(&engine), Some(ErrorCode::LockMismatch));
    assert!(engine.check_locks().unwrap()[0].result.is_err());
}

#[test]
fn the_user_s_lock_holds_whatever_the_project_says() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    put(&tree, &engine, &key, "1.0.0");
    engine.lock("my/say", TargetSpace::User, &key).unwrap();
    put(&tree, &engine, &key, "2.0.0");
    engine.lock("my/say", TargetSpace::Project, &key).unwrap();
    assert_eq!(stopped_by(&engine), Some(ErrorCode::LockMismatch));
}

#[test]
fn a_lock_file_that_cannot_be_read_stops_the_run_and_never_hangs_it() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    put(&tree, &engine, &key, "1.0.0");
    let lock = engine.lock("my/say", TargetSpace::Project, &key).unwrap().path;
    let text = fs::read(&lock).unwrap();
    for damage in [&b""[..], b"{}", &text[..text.len() - 1], &vec![b' '; 2 << 20]] {
        fs::write(&lock, damage).unwrap();
        assert_eq!(stopped_by(&engine), Some(ErrorCode::LockMismatch), "{} bytes", damage.len());
    }
    fs::remove_file(&lock).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &lock, rustix::fs::Mode::RUSR).unwrap();
    assert_eq!(stopped_by(&engine), Some(ErrorCode::LockMismatch), "a pipe");
}

#[test]
fn a_signature_that_would_not_count_is_not_made() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    put(&tree, &engine, &key, "1.0.0");
    let other = SigningKey::from_seed(&[9; 32]);
    assert_eq!(engine.check_signing_key(&other).unwrap_err().code(), ErrorCode::KeyUntrusted);
    engine.check_signing_key(&key).unwrap();
    engine.revoke_project(&tree.path("project")).unwrap();
    let refused = engine.lock("my/say", TargetSpace::Project, &key).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::ProjectUntrusted);
    assert!(!tree.path("project/.ai/locks").exists() && !tree.path("home/.ai/locks").exists());
}
