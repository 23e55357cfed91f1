//! Whom the operator trusts, and when that has to be decided again.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{Claim, Detail, Engine, ErrorCode, ExecuteRequest, Lifetime, SearchRequest};
use rye_trust::{UntrustedReason, project_keys};

use crate::tree::{Tree, tool};

/// Why the project is not trusted.
fn reason(engine: &Engine) -> Option<UntrustedReason> {
    engine.project_report().unwrap().decision.err().map(|error| error.reason)
}

#[test]
fn every_kind_of_power_that_is_new_is_asked_about() {
    let tree = Tree::new();
    tree.write("project/.env", "A=1\n");
    let (engine, _) = tree.trusted();
    assert_eq!(reason(&engine), None);
    let pem = SigningKey::from_seed(&[3; 32]).public_key().to_pem().unwrap();
    for (file, text) in [
        ("project/.env", "A=2\nB=1\n"),
        ("project/.env.local", "C=1\n"),
        ("project/.ai/.env", "D=1\n"),
        ("project/.venv/bin/python", ""),
        ("project/bin/thing", ""),
        ("project/node_modules/.bin/node", ""),
        ("project/.ai/scripts/.venv/bin/python", ""),
        ("project/.ai/keys/carl.pem", pem.as_str()),
    ] {
        tree.write(file, text);
        let reason = reason(&engine);
        assert!(matches!(reason, Some(UntrustedReason::BringsMore { .. })), "{file}: {reason:?}");
        engine.trust_project().unwrap();
    }
    // Other values, programs and items are no new power.
    tree.write("project/.env", "A=3\nB=2\n");
    tree.write("project/bin/other", "");
    tree.write("project/.ai/tools/a.sh", tool("A"));
    assert_eq!(reason(&engine), None);
    // A variable that such a file may not set is none.
    tree.write("project/.env", "A=3\nPATH=/evil\nLD_PRELOAD=/evil.so\n");
    assert_eq!(reason(&engine), None);
}

/// A run refuses packages that nobody was asked about, so the operator has to be asked, and not told that all is well.
#[test]
fn packages_beside_a_tool_are_asked_about_again() {
    let tree = Tree::new();
    let (engine, _) = tree.trusted();
    tree.write("project/.ai/tools/app/node_modules/left/index.js", "");
    let Some(UntrustedReason::BringsMore { more, .. }) = reason(&engine) else { panic!("nobody is asked") };
    assert_eq!(more.interpreters.into_iter().collect::<Vec<_>>(), [".ai/tools/app/node_modules"]);
    engine.trust_project().unwrap();
    assert_eq!(reason(&engine), None);
}

#[test]
fn what_was_not_shown_is_not_trusted() {
    let tree = Tree::new();
    let (engine, _) = tree.trusted();
    let shown = engine.project_report().unwrap();
    tree.write("project/.env", "SNEAKED=1\n");
    engine.trust_as_shown(&shown).unwrap();
    let Some(UntrustedReason::BringsMore { more, .. }) = reason(&engine) else { panic!("it is trusted") };
    assert!(more.variables.contains("SNEAKED"));
}

#[test]
fn a_folder_that_takes_the_place_of_another_is_not_trusted() {
    let tree = Tree::new();
    let (engine, _) = tree.trusted();
    fs::rename(tree.path("project"), tree.path("moved")).unwrap();
    fs::create_dir_all(tree.path("project/.ai")).unwrap();
    assert!(matches!(reason(&engine), Some(UntrustedReason::Replaced { .. })));
    fs::remove_dir_all(tree.path("project")).unwrap();
    std::os::unix::fs::symlink(tree.path("moved"), tree.path("project")).unwrap();
    assert_eq!(reason(&engine), Some(UntrustedReason::Undecided), "a link leads to a folder of another name");
    fs::remove_file(tree.path("project")).unwrap();
    fs::rename(tree.path("moved"), tree.path("project")).unwrap();
    assert_eq!(reason(&engine), None, "it is the same folder again");
}

#[test]
fn trust_is_revoked_by_any_name_of_the_folder() {
    let tree = Tree::new();
    let (engine, _) = tree.trusted();
    assert_eq!(engine.trusted_projects().unwrap().len(), 1);
    std::os::unix::fs::symlink(tree.path(""), tree.path("link")).unwrap();
    fs::remove_dir_all(tree.path("project")).unwrap();
    assert!(!engine.revoke_project(&tree.path("link/other")).unwrap());
    assert!(engine.revoke_project(&tree.path("link/project")).unwrap());
    assert!(!engine.revoke_project(&tree.path("project")).unwrap());
    assert_eq!(engine.trusted_projects().unwrap(), []);
}

#[test]
fn signers_are_counted_as_files_say() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    tree.write("project/.ai/knowledge/a.md", "# A\n");
    tree.write("project/.ai/knowledge/b.md", "# B\n");
    tree.write("project/.ai/knowledge/c.md", "# C\n");
    tree.write("home/.ai/knowledge/d.md", "# D\n");
    crate::signing::sign(&engine, &key, "[ab]");
    let signers = engine.project_report().unwrap().signers;
    let counts: Vec<_> =
        signers.iter().map(|count| (&count.signer, count.owner.as_deref(), count.items)).collect();
    let id = key.public_key().id().to_string();
    assert_eq!(counts, [(&Claim::Key(id), Some("ada"), 2), (&Claim::Nobody, None, 1)]);
    assert_eq!(project_keys(&tree.path("project/.ai")).keys.len(), 0);
}

#[test]
fn a_long_life_hears_of_a_decision_within_a_second() {
    let tree = Tree::new();
    tree.write("project/.ai/knowledge/a.md", "# A\n");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let notes = || engine.search(&SearchRequest::new("a"), Detail::Summary).unwrap().notes;
    assert_eq!(notes().len(), 1);
    // Somebody else decides.
    tree.engine(Lifetime::Short).trust_project().unwrap();
    assert!(notes().len() <= 1);
    std::thread::sleep(std::time::Duration::from_millis(1100));
    assert_eq!(notes(), [""; 0]);
    // What this engine decides itself, it knows at once.
    engine.revoke_project(&tree.path("project")).unwrap();
    assert_eq!(notes().len(), 1);
}

#[test]
fn a_long_life_sees_what_comes_into_a_file_through_another_name_of_it() {
    let tree = Tree::new();
    tree.write("project/.env", "A=1\n");
    let item = tree.signed_tool("my/env", "", "echo $A$INJECTED");
    let engine = tree.engine_with_cache(Lifetime::Long);
    let request = ExecuteRequest::new(item);
    fs::hard_link(tree.path("project/.env"), tree.path("other")).unwrap();
    for _ in 0..2 {
        assert!(engine.execute(&request, None, &mut |_| {}).is_ok());
    }
    fs::write(tree.path("other"), "A=1\nINJECTED=2\n").unwrap();
    let refused = engine.execute(&request, None, &mut |_| {}).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::ProjectUntrusted, "{refused:?}");
}
