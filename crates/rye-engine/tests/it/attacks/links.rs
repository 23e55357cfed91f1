//! Things that are not plain files of the space.

use std::fs;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use rye_engine::ErrorCode;

use super::ground::{Ground, execute, shell};

/// A ground with a signed tool `good/tool` that leaves the marker.
fn with_tool() -> Ground {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/good/tool.sh", ground.shell_marker());
    ground.sign("good/tool");
    ground
}

/// Even a link to a file that is signed for this very id is refused: what it leads to can change.
#[test]
fn a_linked_tool_does_not_run() {
    let ground = with_tool();
    let tool = ground.path("project/.ai/tools/good/tool.sh");
    let target = ground.path("elsewhere/tool.sh");
    fs::rename(&tool, &target).unwrap();
    symlink(&target, &tool).unwrap();
    ground.refuses("good/tool", ErrorCode::ItemUnreadable);

    fs::remove_file(&tool).unwrap();
    fs::rename(&target, ground.path("project/.ai/tools/good/hidden.sh")).unwrap();
    symlink("hidden.sh", &tool).unwrap();
    ground.refuses("good/tool", ErrorCode::ItemUnreadable);
}

#[test]
fn a_tool_in_a_linked_folder_does_not_run() {
    for linked in ["project/.ai/tools/good", "project/.ai/tools"] {
        let ground = with_tool();
        let folder = ground.path(linked);
        let target = ground.path("elsewhere/moved");
        fs::rename(&folder, &target).unwrap();
        symlink(&target, &folder).unwrap();
        let error = execute(&ground.engine(), "good/tool", &[]).unwrap_err().code();
        assert!(matches!(error, ErrorCode::ItemUnreadable | ErrorCode::ItemNotFound), "{error:?}");
        ground.assert_unmarked();
    }
    let ground = with_tool();
    fs::rename(ground.path("project/.ai"), ground.path("elsewhere/ai")).unwrap();
    symlink(ground.path("elsewhere/ai"), ground.path("project/.ai")).unwrap();
    ground.refuses("good/tool", ErrorCode::SpaceUnusable);
}

/// A second name of a file is a file: its bytes are read once and have to be signed for this id.
#[test]
fn a_hard_link_is_judged_by_its_bytes() {
    let ground = with_tool();
    let tool = ground.path("project/.ai/tools/good/tool.sh");
    fs::hard_link(&tool, ground.path("project/.ai/tools/good/other.sh")).unwrap();
    ground.refuses("good/other", ErrorCode::SignatureInvalid);

    let outside = ground.write("elsewhere/bad.sh", ground.shell_marker());
    fs::hard_link(outside, ground.path("project/.ai/tools/good/bad.sh")).unwrap();
    ground.refuses("good/bad", ErrorCode::Unsigned);

    // Whoever writes through the other name changes the original, and not the copy that ran before.
    ground.write("project/.ai/tools/fine.sh", shell("echo fine"));
    ground.sign("fine");
    fs::hard_link(ground.path("project/.ai/tools/fine.sh"), ground.path("elsewhere/fine.sh")).unwrap();
    ground.says("fine", "fine");
    ground.write("elsewhere/fine.sh", ground.shell_marker());
    ground.refuses("fine", ErrorCode::Unsigned);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let ground = Ground::trusted();
    let path = ground.path("project/.ai/tools/pipe.sh");
    mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    ground.refuses("pipe", ErrorCode::ItemUnreadable);
    fs::remove_file(&path).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
    ground.refuses("pipe", ErrorCode::ItemUnreadable);
    fs::remove_file(&path).unwrap();
    symlink("/dev/zero", &path).unwrap();
    ground.refuses("pipe", ErrorCode::ItemUnreadable);
}
