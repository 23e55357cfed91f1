//! What stays forbidden although the operator is developing.

use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::{Engine, ErrorCode, ExecuteReport, Executed};
use rye_item::ItemKind;
use rye_trust::{KeyFolder, Strictness};

use super::ground::{Ground, execute, shell};
use super::keys::signed_by;

fn developing(ground: &Ground) -> Engine {
    let mut settings = ground.settings();
    settings.strictness = Strictness::Development;
    Engine::new(settings)
}

/// What the waiver is for: the tests below would say nothing if it did nothing.
#[test]
fn what_is_unsigned_or_outdated_runs_and_is_named() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/unsigned.sh", shell("echo fine"));
    ground.write("project/.ai/tools/outdated.sh", shell("echo old"));
    ground.sign("outdated");
    let changed = String::from_utf8(ground.read("project/.ai/tools/outdated.sh")).unwrap();
    ground.write("project/.ai/tools/outdated.sh", changed.replace("echo old", "echo fine"));
    for id in ["unsigned", "outdated"] {
        let report = execute(&developing(&ground), id, &[]).unwrap();
        assert_eq!(report.waived().count(), 1, "{id}");
        let ExecuteReport { result: Executed::Run { outcome, .. }, .. } = report else { panic!("{id}") };
        assert_eq!(outcome.output.bytes, b"fine\n");
    }
}

#[test]
fn bad_keys_and_lines_are_refused() {
    let ground = Ground::trusted();
    let theirs = SigningKey::from_seed(&[66; 32]);
    let bad = ground.shell_marker();
    ground.write("project/.ai/tools/unknown.sh", signed_by(&theirs, ItemKind::Tool, "unknown.sh", &bad));
    ground.write("project/.ai/tools/moved.sh", signed_by(&ground.key, ItemKind::Tool, "other.sh", &bad));
    let line = String::from_utf8(signed_by(&ground.key, ItemKind::Tool, "line.sh", &bad)).unwrap();
    ground.write("project/.ai/tools/line.sh", line.replace("# rye:signed:v1:", "#  rye:signed:v1:"));
    let engine = developing(&ground);
    ground.refuses_on(&engine, "unknown", ErrorCode::KeyUntrusted);
    ground.refuses_on(&engine, "moved", ErrorCode::SignatureInvalid);
    ground.refuses_on(&engine, "line", ErrorCode::SignatureInvalid);

    let revoked = signed_by(&ground.key, ItemKind::Tool, "revoked.sh", &bad);
    ground.write("project/.ai/tools/revoked.sh", revoked);
    let keys = KeyFolder::at(&ground.path("home/.ai"));
    keys.revoke(ground.key.public_key().id(), None, SystemClock.now()).unwrap();
    ground.refuses_on(&engine, "revoked", ErrorCode::KeyUntrusted);
}

#[test]
fn an_untrusted_project_is_refused() {
    let ground = Ground::new();
    ground.write("project/.ai/tools/bad.sh", ground.shell_marker());
    ground.refuses_on(&developing(&ground), "bad", ErrorCode::ProjectUntrusted);
}

#[test]
fn a_system_space_in_a_folder_is_refused() {
    let ground = Ground::trusted();
    for file in rye_bundle::bundle().files() {
        ground.write(&format!("system/{}", file.path), file.bytes);
    }
    ground.write("system/tools/bad.sh", ground.shell_marker());
    ground.write("project/.ai/tools/tool.sh", ground.shell_marker());
    ground.sign("tool");
    let mut settings = ground.settings();
    settings.strictness = Strictness::Development;
    settings.spaces.system_space = Some(ground.path("system"));
    let engine = Engine::new(settings);
    ground.refuses_on(&engine, "bad", ErrorCode::Unsigned);
    // The tool is signed. What it runs with is not.
    ground.refuses_on(&engine, "tool", ErrorCode::Unsigned);
    ground.refuses_on(&engine, "rye/core/primitives/execute", ErrorCode::Unsigned);
}

/// Files beside a tool are not waived: nobody would be told which of them ran.
#[test]
fn a_planted_module_is_left_out() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/pkg/__init__.py", "");
    let tool = super::ground::python("try:\n    import planted\nexcept ImportError:\n    print('fine')");
    ground.write("project/.ai/tools/pkg/tool.py", tool);
    ground.sign("pkg/tool");
    ground.write("project/.ai/tools/pkg/planted.py", ground.python_touch());
    ground.says_on(&developing(&ground), "pkg/tool", &[], "fine");
}
