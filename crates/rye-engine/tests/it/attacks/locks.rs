//! Old versions, and lock files that say that they are fine.

use std::fs;

use lillux::keys::SigningKey;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_engine::{ErrorCode, ExecuteRequest, TargetSpace};
use rye_item::{ItemId, ItemKind, ItemRef};

use super::ground::{Ground, request, shell};

const TOOL: &str = "project/.ai/tools/tool.sh";
const LOCKS: &str = "project/.ai/locks";

/// A tool whose old version, which is returned, has a hole: it leaves the marker. The one that is there says `fine`.
fn with_old_version(version: &str) -> (Ground, Vec<u8>) {
    let ground = Ground::trusted();
    ground.write(TOOL, ground.shell_marker());
    ground.sign("tool");
    let old = ground.read(TOOL);
    ground.write(TOOL, shell("echo fine").replace("1.0.0", version));
    ground.sign("tool");
    (ground, old)
}

#[test]
fn an_old_version_does_not_run_under_a_lock() {
    for version in ["1.0.0", "1.0.1", "0.9.0", "10.0.0"] {
        for target in [TargetSpace::Project, TargetSpace::User] {
            let (ground, old) = with_old_version(version);
            ground.engine().lock("tool", target, &ground.key).unwrap();
            ground.says("tool", "fine");
            ground.write(TOOL, &old);
            ground.refuses("tool", ErrorCode::LockMismatch);
        }
    }
}

/// The project's lock of the old version is genuine. It does not take anything from what the operator has locked.
#[test]
fn a_projects_lock_does_not_hide_the_operators() {
    let ground = Ground::trusted();
    ground.write(TOOL, ground.shell_marker());
    ground.sign("tool");
    let old = ground.read(TOOL);
    ground.engine().lock("tool", TargetSpace::Project, &ground.key).unwrap();
    let old_lock = ground.read(&format!("{LOCKS}/tool@1.0.0.lock.json"));
    fs::remove_dir_all(ground.path(LOCKS)).unwrap();

    ground.write(TOOL, shell("echo fine"));
    ground.sign("tool");
    ground.engine().lock("tool", TargetSpace::User, &ground.key).unwrap();
    ground.says("tool", "fine");

    ground.write(TOOL, &old);
    ground.write(&format!("{LOCKS}/tool@1.0.0.lock.json"), old_lock);
    ground.refuses("tool", ErrorCode::LockMismatch);
}

#[test]
fn a_lock_of_another_tool_or_of_nobody_does_not_count() {
    let ground = Ground::trusted();
    ground.write(TOOL, ground.shell_marker());
    ground.write("project/.ai/tools/other.sh", shell("echo other"));
    ground.sign("*");
    ground.engine().lock("other", TargetSpace::Project, &ground.key).unwrap();
    let lock = ground.read(&format!("{LOCKS}/other@1.0.0.lock.json"));
    ground.write(&format!("{LOCKS}/tool@1.0.0.lock.json"), lock);
    ground.refuses("tool", ErrorCode::LockMismatch);

    ground.engine().lock("tool", TargetSpace::Project, &SigningKey::from_seed(&[66; 32])).unwrap();
    ground.refuses("tool", ErrorCode::LockMismatch);
}

/// A lock that never ends would keep the call from ending.
#[test]
fn a_lock_that_is_no_file_is_refused_at_once() {
    let ground = Ground::trusted();
    ground.write(TOOL, ground.shell_marker());
    ground.sign("tool");
    fs::create_dir_all(ground.path(LOCKS)).unwrap();
    let path = ground.path(format!("{LOCKS}/tool@1.0.0.lock.json"));
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    ground.refuses("tool", ErrorCode::LockMismatch);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    ground.refuses("tool", ErrorCode::LockMismatch);
}

#[test]
fn what_has_to_be_locked_does_not_run_without_a_lock() {
    let ground = Ground::trusted();
    ground.write(TOOL, ground.shell_marker());
    ground.write("project/.ai/knowledge/plan.md", "---\nname: plan\nversion: 1.0.0\n---\nText.\n");
    ground.sign("*");
    let plan = ExecuteRequest::new(ItemRef::new(ItemKind::Knowledge, ItemId::new("plan").unwrap()));
    for request in [request("tool"), plan] {
        let request = ExecuteRequest { locked: true, ..request };
        let error = ground.engine().execute(&request, None, &mut |_| {}).unwrap_err();
        assert_eq!(error.code(), ErrorCode::LockMismatch);
    }
    ground.assert_unmarked();
}
