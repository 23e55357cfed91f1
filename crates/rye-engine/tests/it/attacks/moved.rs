//! Signed files at another place, and with another first line.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{ErrorCode, ExecuteRequest};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_trust::PublicKeyFile;

use super::ground::{Ground, outcome, shell};

/// A ground with the signed tool `good/tool`, which leaves the marker.
fn with_tool() -> Ground {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/good/tool.sh", ground.shell_marker());
    ground.sign("good/tool");
    ground
}

fn moved_to(below: &str, id: &str) {
    let ground = with_tool();
    let bytes = ground.read("project/.ai/tools/good/tool.sh");
    ground.write(below, &bytes);
    if below.contains("good/tool.") {
        fs::remove_file(ground.path("project/.ai/tools/good/tool.sh")).unwrap();
    }
    ground.refuses(id, ErrorCode::SignatureInvalid);
}

#[test]
fn a_signature_does_not_count_for_another_id() {
    moved_to("project/.ai/tools/good/other.sh", "good/other");
    moved_to("project/.ai/tools/tool.sh", "tool");
    moved_to("project/.ai/tools/evil/good/tool.sh", "evil/good/tool");
    moved_to("home/.ai/tools/good/other.sh", "good/other");
    moved_to("project/.ai/tools/rye/core/runtimes/bash/bash.sh", "rye/core/runtimes/bash/bash");
}

#[test]
fn a_signature_does_not_count_for_another_extension() {
    moved_to("project/.ai/tools/good/tool.bash", "good/tool");
    moved_to("project/.ai/tools/good/tool.py", "good/tool");
    moved_to("project/.ai/tools/good/tool.yaml", "good/tool");
}

#[test]
fn a_signature_does_not_count_for_another_kind() {
    let ground = Ground::trusted();
    let text = "---\nname: plan\nversion: 1.0.0\ndescription: A text\n---\nDo as it says.\n";
    ground.write("project/.ai/knowledge/plan.md", text);
    ground.sign("plan*");
    let engine = ground.engine();
    let request = |kind| ExecuteRequest::new(ItemRef::new(kind, ItemId::new("plan").unwrap()));
    engine.execute(&request(ItemKind::Knowledge), None, &mut |_| {}).unwrap();
    ground.write("project/.ai/directives/plan.md", ground.read("project/.ai/knowledge/plan.md"));
    let error = engine.execute(&request(ItemKind::Directive), None, &mut |_| {}).unwrap_err();
    assert_eq!(error.code(), ErrorCode::SignatureInvalid);
}

/// A project's key counts for the items of that project. In the user space, and in another project, it is nobody's.
#[test]
fn a_signature_of_a_projects_key_does_not_count_in_another_space() {
    let ground = Ground::new();
    let theirs = SigningKey::from_seed(&[66; 32]);
    let file = PublicKeyFile { key: theirs.public_key(), owner: None }.to_toml().unwrap();
    ground.write("project/.ai/keys/team.toml", file);
    ground.trust();
    ground.write("project/.ai/tools/tool.sh", ground.shell_marker());
    ground.sign_as(&theirs, Space::Project, "tool");
    outcome(&ground.engine(), "tool", &[]);
    ground.assert_marked();

    let bytes = ground.read("project/.ai/tools/tool.sh");
    fs::remove_file(ground.path("project/.ai/tools/tool.sh")).unwrap();
    ground.write("home/.ai/tools/tool.sh", &bytes);
    ground.refuses("tool", ErrorCode::KeyUntrusted);
    fs::remove_file(ground.path("home/.ai/tools/tool.sh")).unwrap();

    ground.write("other/.ai/tools/tool.sh", &bytes);
    let mut settings = ground.settings();
    settings.spaces.start = ground.path("other");
    let engine = rye_engine::Engine::new(settings);
    ground.refuses_on(&engine, "tool", ErrorCode::ProjectUntrusted);
    engine.trust_project().unwrap();
    ground.refuses_on(&engine, "tool", ErrorCode::KeyUntrusted);
}

/// The operator's own signature is about a content and an id, not about a folder: a copy in another space is the same
/// item, and what runs are the bytes that were signed.
#[test]
fn a_copy_under_the_same_id_is_the_same_item() {
    let ground = Ground::trusted();
    ground.write("project/.ai/tools/tool.sh", shell("echo fine"));
    ground.sign("tool");
    ground.write("home/.ai/tools/tool.sh", ground.read("project/.ai/tools/tool.sh"));
    fs::remove_file(ground.path("project/.ai/tools/tool.sh")).unwrap();
    ground.says("tool", "fine");
}

#[test]
fn another_first_line_is_another_content() {
    let ground = with_tool();
    let path = ground.path("project/.ai/tools/good/tool.sh");
    let signed = fs::read_to_string(&path).unwrap();
    let (shebang, rest) = signed.split_once('\n').unwrap();
    let (line, body) = rest.split_once('\n').unwrap();
    for changed in [
        format!("#!/bin/sh\n{line}\n{body}"),
        format!("{shebang} -x\n{line}\n{body}"),
        format!("{shebang}\r\n{line}\n{body}"),
        format!("{line}\n{body}"),
        format!("{line}\n{shebang}\n{body}"),
        format!("\n{shebang}\n{line}\n{body}"),
        format!("\u{feff}{shebang}\n{line}\n{body}"),
        format!("{shebang}\n\n{line}\n{body}"),
        format!("{shebang}\n{body}{line}\n"),
        format!("{shebang}\n{line}\n{line}\n{body}"),
        format!("{shebang}\n{line}\n{}", body.trim_end()),
        format!("{shebang}\n{line}\r\n{body}"),
    ] {
        fs::write(&path, &changed).unwrap();
        ground.refuses("good/tool", ErrorCode::SignatureInvalid);
    }
    fs::write(&path, format!("{shebang}\n{body}")).unwrap();
    ground.refuses("good/tool", ErrorCode::Unsigned);
    fs::write(&path, signed).unwrap();
    outcome(&ground.engine(), "good/tool", &[]);
    ground.assert_marked();
}
