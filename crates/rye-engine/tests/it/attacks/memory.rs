//! What an engine that lives long remembers of the operator's decisions, and what it must not.

use std::fs;
use std::os::unix::fs::symlink;

use lillux::clock::{Clock as _, SystemClock};
use rye_engine::{Engine, ErrorCode};
use rye_trust::KeyFolder;

use super::ground::{Ground, shell};

/// A trusted project with a tool that has run before, and the engine that ran it.
fn warm() -> (Ground, Engine) {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/hello.sh", shell("echo hello"));
    ground.sign("hello");
    let engine = ground.engine();
    for _ in 0..3 {
        ground.says_on(&engine, "hello", &[], "hello");
    }
    (ground, engine)
}

/// What the engine says now is what one says that has just begun.
#[track_caller]
fn refused_by_both(ground: &Ground, engine: &Engine, code: ErrorCode) {
    ground.refuses_on(engine, "hello", code);
    ground.refuses("hello", code);
}

#[test]
fn a_key_that_is_revoked_counts_no_moment_longer() {
    let (ground, engine) = warm();
    let keys = KeyFolder::at(&ground.path("home/.ai"));
    keys.revoke(ground.key.public_key().id(), None, SystemClock.now()).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::KeyUntrusted);
}

#[test]
fn a_key_whose_file_is_gone_counts_no_moment_longer() {
    let (ground, engine) = warm();
    fs::remove_dir_all(ground.path("home/.ai/keys/trusted")).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::KeyUntrusted);
}

#[test]
fn a_decision_that_is_taken_back_counts_no_moment_longer() {
    let (ground, engine) = warm();
    ground.engine().revoke_project(&ground.path("project")).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
    ground.trust();
    ground.says_on(&engine, "hello", &[], "hello");
}

#[test]
fn what_a_project_brings_later_is_seen_at_once() {
    for more in [".env", ".env.local", ".ai/.env"] {
        let (ground, engine) = warm();
        ground.write(&format!("project/{more}"), "SURPRISE=1\n");
        refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
    }
    for folder in ["bin", ".venv/bin", "node_modules/.bin", ".ai/scripts/.venv/bin"] {
        let (ground, engine) = warm();
        fs::create_dir_all(ground.path("project").join(folder)).unwrap();
        refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
    }
}

/// The folder on the way was there before, and is watched too.
#[test]
fn what_comes_into_a_folder_that_was_there_is_seen_at_once() {
    let (ground, engine) = warm();
    fs::create_dir_all(ground.path("project/.venv")).unwrap();
    ground.says_on(&engine, "hello", &[], "hello");
    fs::create_dir(ground.path("project/.venv/bin")).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
}

/// No watch sees what happens behind a link.
#[test]
fn what_comes_behind_a_link_is_seen_at_once() {
    let (ground, engine) = warm();
    fs::create_dir(ground.path("elsewhere/venv")).unwrap();
    symlink(ground.path("elsewhere/venv"), ground.path("project/.venv")).unwrap();
    ground.says_on(&engine, "hello", &[], "hello");
    fs::create_dir(ground.path("elsewhere/venv/bin")).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
}

#[test]
fn a_file_behind_a_link_that_sets_more_is_seen_at_once() {
    let (ground, engine) = warm();
    ground.write("project/config/env", "");
    symlink("config/env", ground.path("project/.env")).unwrap();
    ground.says_on(&engine, "hello", &[], "hello");
    ground.write("project/config/env", "SURPRISE=1\n");
    refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
}

/// Nothing happens in the project itself or in the user space: a folder above them gets another name.
#[test]
fn another_project_at_the_same_path_is_another_project() {
    let (ground, _) = warm();
    let folder = ground.path("work");
    fs::create_dir(&folder).unwrap();
    fs::rename(ground.path("project"), folder.join("project")).unwrap();
    let mut settings = ground.settings();
    settings.spaces.start = folder.join("project");
    let engine = Engine::new(settings);
    engine.trust_project().unwrap();
    for _ in 0..2 {
        ground.says_on(&engine, "hello", &[], "hello");
    }
    fs::rename(&folder, ground.path("moved")).unwrap();
    ground.write("work/project/.ai/tools/hello.sh", ground.read("moved/project/.ai/tools/hello.sh"));
    ground.refuses_on(&engine, "hello", ErrorCode::ProjectUntrusted);
}

#[test]
fn another_user_space_at_the_same_path_has_other_keys() {
    let (ground, engine) = warm();
    fs::rename(ground.path("home"), ground.path("old")).unwrap();
    fs::create_dir_all(ground.path("home/.ai")).unwrap();
    refused_by_both(&ground, &engine, ErrorCode::ProjectUntrusted);
}
