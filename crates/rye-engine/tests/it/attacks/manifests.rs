//! Lists of files that are not about this folder, or not only about it.

use lillux::Digest;
use lillux::clock::{Clock as _, SystemClock};
use lillux::keys::SigningKey;
use rye_engine::ErrorCode;
use rye_item::ItemKind;
use rye_trust::{Manifest, SignedDocument, Statement};

use super::ground::{Ground, python};

const LIST: &str = ".rye-manifest.json";

fn tool() -> String {
    python("import lib\nprint(lib.answer())")
}

/// Two packages of the same form: the module of `bad` leaves the marker.
fn packages() -> Ground {
    let ground = Ground::trusted();
    for (folder, lib) in
        [("good", "def answer():\n    return 'fine'\n".to_owned()), ("bad", ground.python_touch())]
    {
        ground.write(&format!("project/.ai/tools/{folder}/__init__.py"), "");
        ground.write(&format!("project/.ai/tools/{folder}/lib.py"), lib);
        ground.write(&format!("project/.ai/tools/{folder}/tool.py"), tool());
        ground.sign(&format!("{folder}/tool"));
    }
    ground.says("good/tool", "fine");
    ground
}

#[test]
fn the_manifest_of_another_folder_does_not_count() {
    let ground = packages();
    for file in ["lib.py", LIST] {
        let bytes = ground.read(&format!("project/.ai/tools/bad/{file}"));
        ground.write(&format!("project/.ai/tools/good/{file}"), bytes);
    }
    ground.refuses("good/tool", ErrorCode::DependencyUnverified);
}

#[test]
fn the_manifest_of_somebody_else_does_not_count() {
    let ground = packages();
    let lib = ground.write("project/.ai/tools/good/lib.py", ground.python_touch());
    let entries = [("lib.py".to_owned(), Digest::of(&std::fs::read(lib).unwrap()))];
    let manifest = Manifest::with_entries(None, &entries).unwrap().manifest;
    let theirs = SigningKey::from_seed(&[66; 32]);
    let document = manifest.clone().sign(ItemKind::Tool, "good", SystemClock.now(), &theirs).unwrap();
    ground.write(&format!("project/.ai/tools/good/{LIST}"), document.to_bytes().unwrap());
    ground.refuses("good/tool", ErrorCode::DependencyUnverified);

    // For a kind that the folder does not hold, or as if it were an item or a lock.
    for statement in [
        Statement::Manifest { kind: ItemKind::Knowledge, folder: "good" },
        Statement::Item { kind: ItemKind::Tool, path: "good" },
        Statement::Lock { kind: ItemKind::Tool, id: "good" },
    ] {
        let document =
            SignedDocument::sign(manifest.clone(), &statement, SystemClock.now(), &ground.key).unwrap();
        ground.write(&format!("project/.ai/tools/good/{LIST}"), document.to_bytes().unwrap());
        ground.refuses("good/tool", ErrorCode::DependencyUnverified);
    }
}

/// A manifest that the operator was made to sign lists files that are not below its folder.
#[test]
fn a_manifest_does_not_reach_out_of_its_folder() {
    for path in ["../x.py", "/x.py", "a/../../x.py", "./lib.py", "", "a//b.py"] {
        let ground = packages();
        let bytes = ground.python_touch();
        ground.write("project/.ai/tools/x.py", &bytes);
        let entries = [(path.to_owned(), Digest::of(bytes.as_bytes()))];
        let Ok(draft) = Manifest::with_entries(None, &entries) else { continue };
        let document = draft.manifest.sign(ItemKind::Tool, "good", SystemClock.now(), &ground.key).unwrap();
        ground.write(&format!("project/.ai/tools/good/{LIST}"), document.to_bytes().unwrap());
        ground.refuses("good/tool", ErrorCode::DependencyUnverified);
    }
}

/// JSON has no comments, so the manifest is all that such a tool has.
#[test]
fn a_json_tool_is_what_its_manifest_lists() {
    let ground = Ground::trusted();
    let text = |command: &str| {
        format!(
            "{{\"version\": \"1.0.0\", \"tool_type\": \"tool\", \"executor_id\": \"rye/core/primitives/execute\", \
             \"description\": \"A tool\", \"config\": {{\"command\": \"/bin/bash\", \"args\": [\"-c\", {command:?}]}}}}\n"
        )
    };
    ground.write("project/.ai/tools/j/tool.json", text("echo fine"));
    ground.refuses("j/tool", ErrorCode::Unsigned);
    ground.sign("j/tool");
    ground.says("j/tool", "fine");

    let good = ground.read("project/.ai/tools/j/tool.json");
    ground.write("project/.ai/tools/j/tool.json", text(&ground.touch()));
    ground.refuses("j/tool", ErrorCode::SignatureInvalid);
    ground.write("project/.ai/tools/j/other.json", &good);
    ground.refuses("j/other", ErrorCode::Unsigned);
    ground.write("project/.ai/tools/k/tool.json", &good);
    ground.write(&format!("project/.ai/tools/k/{LIST}"), ground.read(&format!("project/.ai/tools/j/{LIST}")));
    ground.refuses("k/tool", ErrorCode::SignatureInvalid);
    // A comment that looks like a signature is none: this is not JSON any more.
    ground.write("project/.ai/tools/j/tool.json", [b"# rye:signed:v1:\n", good.as_slice()].concat());
    ground.refuses("j/tool", ErrorCode::SignatureInvalid);
}
