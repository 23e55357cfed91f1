//! No tool for files leads out of the project.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::{call, link, names, refusal};
use crate::space::TestSpace;

/// A project with a neighbour that has a secret, and links to it.
fn beside_a_secret() -> TestSpace {
    let space = TestSpace::with_bundle();
    space.write("elsewhere/secret.txt", "hunter2");
    space.write("elsewhere/secret.json", "{\"word\": \"hunter2\"}");
    link(&space, space.path("elsewhere"), "project/out");
    link(&space, "../elsewhere/secret.txt", "project/file_out");
    link(&space, "out", "project/indirect");
    link(&space, "loop", "project/loop");
    space
}

/// A call of every tool that takes a path, with that path.
fn calls(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("rye/file/read", json!({ "path": path })),
        ("rye/file/write", json!({ "path": path, "text": "x", "overwrite": true })),
        ("rye/file/edit", json!({ "path": path, "edits": [{ "old": "hunter2", "new": "x" }] })),
        ("rye/file/list", json!({ "path": path })),
        ("rye/file/glob", json!({ "pattern": "**", "path": path })),
        ("rye/file/grep", json!({ "pattern": "hunter", "path": path })),
        ("rye/data/sqlite", json!({ "path": path, "sql": "SELECT 1" })),
        ("rye/data/sqlite", json!({ "path": path, "sql": "CREATE TABLE t (x)", "write": true })),
        ("rye/data/query", json!({ "file": path, "format": "json" })),
        ("rye/archive/list", json!({ "path": path })),
        ("rye/archive/extract", json!({ "path": path, "to": "unpacked" })),
    ]
}

#[test]
fn neither_paths_nor_links_lead_out() {
    let space = beside_a_secret();
    let outside = space.path("elsewhere/secret.txt");
    for path in [
        "../elsewhere/secret.txt",
        "out/secret.txt",
        "indirect/secret.txt",
        "file_out",
        "x/../../elsewhere/secret.txt",
        "loop",
        outside.to_str().unwrap(),
    ] {
        for (id, params) in calls(path) {
            let said = refusal(&space, id, &params);
            assert!(!said.contains("hunter2"), "{id} {params}: {said}");
        }
    }
    assert_eq!(space.read("elsewhere/secret.txt"), "hunter2");
    assert_eq!(names(&space, "elsewhere"), ["secret.json", "secret.txt"]);
    assert_eq!(names(&space, "project"), [".ai", "file_out", "indirect", "loop", "out"]);
}

#[test]
fn walks_do_not_follow_links() {
    let space = beside_a_secret();
    let found = call(&space, "rye/file/grep", &json!({ "pattern": "hunter2" }));
    assert_eq!(found["matches"], json!([]));
    let found = call(&space, "rye/file/glob", &json!({ "pattern": "**/*secret*", "type": "any" }));
    assert_eq!(found["paths"], json!([]));
    let listed = call(&space, "rye/file/list", &json!({ "depth": 5, "hidden": false })).to_string();
    assert!(!listed.contains("secret.json"), "{listed}");
}

#[test]
fn links_inside_the_project_are_followed() {
    let space = TestSpace::with_bundle();
    space.write("project/docs/deep/guide.md", "hello");
    link(&space, "docs/deep", "project/short");
    link(&space, "../short/guide.md", "project/docs/same.md");
    link(&space, space.path("project/docs"), "project/absolute");
    for path in ["short/guide.md", "docs/same.md", "absolute/same.md"] {
        let read = call(&space, "rye/file/read", &json!({ "path": path }));
        assert_eq!((&read["text"], &read["path"]), (&json!("hello"), &json!("docs/deep/guide.md")), "{path}");
    }
    call(
        &space,
        "rye/file/edit",
        &json!({ "path": "docs/same.md", "edits": [{ "old": "hello", "new": "bye" }] }),
    );
    assert_eq!(space.read("project/docs/deep/guide.md"), "bye");
    assert!(space.path("project/docs/same.md").is_symlink());
}

#[test]
fn what_belongs_to_rye_and_git_is_not_written() {
    let space = TestSpace::with_bundle();
    space.write("project/.ai/locks/a.lock.json", "{}");
    space.write("project/.git/config", "[core]\n");
    link(&space, ".ai", "project/ai");
    space.folder("project/.ai/state");
    for path in [
        ".ai/state/x",
        ".ai/locks/a.lock.json",
        "ai/state/new/x",
        ".AI/State/x",
        ".git/hooks/pre-commit",
        "sub/.git/config",
    ] {
        let said =
            refusal(&space, "rye/file/write", &json!({ "path": path, "text": "x", "overwrite": true }));
        assert!(said.contains("belongs to"), "{path}: {said}");
    }
    refusal(
        &space,
        "rye/file/edit",
        &json!({ "path": ".ai/locks/a.lock.json", "edits": [{ "old": "{", "new": "[" }] }),
    );
    assert!(!space.path("project/.ai/state/new").exists());
    // Everything is read, and tools of the project are written like any file: they do not run until they are signed.
    assert_eq!(call(&space, "rye/file/read", &json!({ "path": ".git/config" }))["text"], "[core]\n");
    call(&space, "rye/file/write", &json!({ "path": ".ai/tools/t/new.sh", "text": "echo hi\n" }));
}

/// Somebody exchanges a folder for a link and back, as fast as they can, while files in it are read and written.
#[test]
fn a_race_does_not_lead_out() {
    let space = TestSpace::with_bundle();
    space.write("elsewhere/f.txt", "outside");
    space.write("project/real/f.txt", "inside");
    let (stop, root) = (Arc::new(AtomicBool::new(false)), space.path("project"));
    let (until, target) = (Arc::clone(&stop), space.path("elsewhere"));
    let racer = std::thread::spawn(move || {
        while !until.load(Ordering::Relaxed) {
            let _ = std::fs::rename(root.join("real"), root.join("d"));
            let _ = std::fs::rename(root.join("d"), root.join("real"));
            let _ = std::os::unix::fs::symlink(&target, root.join("d"));
            let _ = std::fs::remove_file(root.join("d"));
        }
    });
    // One process tries many times, because starting one takes far longer than a turn of the race, and until it has seen
    // everything there is, because on a busy machine the other side may hardly get a turn.
    let code = "import sys; sys.path.insert(0, sys.argv[1]); import project_files as p; project = p.Project(sys.argv[2])\n\
        seen = {}\n\
        for turn in range(2000000):\n\
        \x20   if turn >= 20000 and len(seen) > 2: break\n\
        \x20   try:\n\
        \x20       with project.place('d/f.txt') as place:\n\
        \x20           if turn % 2:\n\
        \x20               place.write([b'inside'], True); word = 'written'\n\
        \x20           else:\n\
        \x20               word = place.open_file().read().decode()\n\
        \x20   except (p.Refused, OSError): word = 'refused'\n\
        \x20   seen[word] = seen.get(word, 0) + 1\n\
        import json; print(json.dumps(seen))";
    let lib =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundle/.ai/tools/rye/core/runtimes/python/system_lib");
    let project = space.path("project");
    let seen = space.shell(&format!("/usr/bin/python3 -B -c \"{code}\" {lib} {}", project.display()));
    stop.store(true, Ordering::Relaxed);
    racer.join().unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen.get("outside"), None, "{seen}");
    assert!(seen["refused"].as_u64() > Some(0), "{seen}");
    assert!(seen["inside"].as_u64() > Some(0) && seen["written"].as_u64() > Some(0), "{seen}");
    assert_eq!(space.read("elsewhere/f.txt"), "outside");
    assert_eq!(names(&space, "elsewhere"), ["f.txt"]);
}
