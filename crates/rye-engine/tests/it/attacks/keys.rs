//! Keys that the operator has not said yes to, or has said no to.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::ErrorCode;
use rye_item::{ItemKind, Space};
use rye_metadata::SignatureComment;
use rye_trust::{KeyFolder, PublicKeyFile, Seal, SignedText, Statement};

use super::ground::{Ground, outcome, shell};

pub(crate) fn hash_mark() -> SignatureComment {
    SignatureComment { prefix: "#".to_owned(), suffix: String::new(), after_shebang: true }
}

/// A file with the signature line of somebody who need not ask the engine.
pub(crate) fn signed_by(key: &SigningKey, kind: ItemKind, path: &str, text: &str) -> Vec<u8> {
    let split = SignedText::split(text.as_bytes(), &hash_mark()).unwrap();
    let seal = Seal::new(&Statement::Item { kind, path }, split.digest(), SystemClock.now(), key);
    split.with_seal(&seal, &hash_mark())
}

fn key_file(key: &SigningKey) -> String {
    PublicKeyFile { key: key.public_key(), owner: Some("operator".to_owned()) }.to_toml().unwrap()
}

#[test]
fn a_repository_that_ships_its_own_key_is_not_trusted() {
    let ground = Ground::new();
    let theirs = SigningKey::from_seed(&[66; 32]);
    ground.write("project/.ai/keys/release.toml", key_file(&theirs));
    ground.write("project/.ai/keys/release.pem", theirs.public_key().to_pem().unwrap());
    let tool = signed_by(&theirs, ItemKind::Tool, "bad.sh", &ground.shell_marker());
    ground.write("project/.ai/tools/bad.sh", tool);
    ground.refuses("bad", ErrorCode::ProjectUntrusted);
}

#[test]
fn a_key_that_comes_after_the_decision_asks_again() {
    let ground = Ground::trusted();
    let theirs = SigningKey::from_seed(&[66; 32]);
    let tool = signed_by(&theirs, ItemKind::Tool, "bad.sh", &ground.shell_marker());
    ground.write("project/.ai/tools/bad.sh", tool);
    ground.refuses("bad", ErrorCode::KeyUntrusted);
    ground.write("project/.ai/keys/release.toml", key_file(&theirs));
    ground.refuses("bad", ErrorCode::ProjectUntrusted);
}

/// Folders that look like the operator's own, at every place where somebody might look for them.
#[test]
fn a_forged_user_folder_in_the_project_says_nothing() {
    let ground = Ground::trusted();
    let theirs = SigningKey::from_seed(&[66; 32]);
    let name = format!("{}.toml", theirs.public_key().id());
    let trusted = fs::read_dir(ground.path("home/.ai/keys/trusted")).unwrap().next().unwrap().unwrap().path();
    let own = fs::read_to_string(trusted).unwrap();
    let trusted_at = own.lines().find(|line| line.starts_with("trusted_at")).unwrap();
    let forged = format!("{}{trusted_at}\n", key_file(&theirs));
    for folder in
        ["project/.ai/keys/trusted", "project/.ai/.ai/keys/trusted", "project/home/.ai/keys/trusted"]
    {
        let path = ground.write(&format!("{folder}/{name}"), &forged);
        fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        fs::set_permissions(ground.path(folder), Permissions::from_mode(0o700)).unwrap();
    }
    let tool = signed_by(&theirs, ItemKind::Tool, "bad.sh", &ground.shell_marker());
    ground.write("project/.ai/tools/bad.sh", tool);
    ground.refuses("bad", ErrorCode::KeyUntrusted);

    // The same files in the right folder do count, so that it is the folder that makes the difference.
    let path = ground.write(&format!("home/.ai/keys/trusted/{name}"), &forged);
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
    outcome(&ground.engine(), "bad", &[]);
    ground.assert_marked();
}

#[test]
fn a_forged_decision_in_the_project_says_nothing() {
    let ground = Ground::new();
    ground.write("project/.ai/tools/bad.sh", ground.shell_marker());
    ground.trust();
    ground.sign("bad");
    for entry in fs::read_dir(ground.path("home/.ai/trust")).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        ground.write(&format!("project/.ai/trust/{name}"), fs::read(entry.path()).unwrap());
    }
    ground.engine().revoke_project(&ground.path("project")).unwrap();
    ground.refuses("bad", ErrorCode::ProjectUntrusted);
}

#[test]
fn a_revoked_key_does_not_count_from_the_next_call_on() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/a.sh", shell("echo fine"));
    ground.sign("a");
    let engine = ground.engine();
    ground.says_on(&engine, "a", &[], "fine");
    let keys = KeyFolder::at(&ground.path("home/.ai"));
    keys.revoke(ground.key.public_key().id(), Some("stolen"), SystemClock.now()).unwrap();
    ground.refuses_on(&engine, "a", ErrorCode::KeyUntrusted);
    ground.refuses("a", ErrorCode::KeyUntrusted);
}

/// Nor does it if a project that is trusted ships it.
#[test]
fn a_project_does_not_bring_a_revoked_key_back() {
    let ground = Ground::new();
    let theirs = SigningKey::from_seed(&[66; 32]);
    ground.write("project/.ai/keys/release.toml", key_file(&theirs));
    let tool = signed_by(&theirs, ItemKind::Tool, "bad.sh", &ground.shell_marker());
    ground.write("project/.ai/tools/bad.sh", tool);
    KeyFolder::at(&ground.path("home/.ai"))
        .revoke(theirs.public_key().id(), None, SystemClock.now())
        .unwrap();
    ground.trust();
    ground.refuses("bad", ErrorCode::KeyUntrusted);
}

/// A key of one project counts there and nowhere else.
#[test]
fn the_key_of_a_project_does_not_count_elsewhere() {
    let ground = Ground::new();
    let theirs = SigningKey::from_seed(&[66; 32]);
    ground.write("project/.ai/keys/release.toml", key_file(&theirs));
    ground.trust();
    ground.write("home/.ai/tools/bad.sh", ground.shell_marker());
    ground.sign_as(&theirs, Space::User, "bad");
    ground.refuses("bad", ErrorCode::KeyUntrusted);
}

#[test]
fn keys_that_others_can_write_do_not_count() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/a.sh", ground.shell_marker());
    ground.sign("a");
    let trusted = ground.path("home/.ai/keys/trusted");
    let file = fs::read_dir(&trusted).unwrap().next().unwrap().unwrap().path();
    for (path, good) in [(ground.path("home/.ai/keys"), 0o700), (trusted, 0o700), (file, 0o600)] {
        for wide in [0o020, 0o002] {
            fs::set_permissions(&path, Permissions::from_mode(good | wide)).unwrap();
            ground.refuses("a", ErrorCode::KeysUnusable);
        }
        fs::set_permissions(&path, Permissions::from_mode(good)).unwrap();
    }
    outcome(&ground.engine(), "a", &[]);
    ground.assert_marked();
}
