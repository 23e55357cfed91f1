//! What somebody was shown before it is signed is what is signed.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{Engine, SignPreview, SignRefusal, SignReport, SignRequest, Signed, VerifyRequest};

use crate::tree::Tree;

/// A shell tool that the bundle can run.
const TOOL: &str =
    "# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: 1.0.0\necho\n";
/// One that is run with other files.
const UNIT: &str = "version: \"1.0.0\"\ntool_type: script\nexecutor_id: rye/core/runtimes/bash/bash\n\
    entry: bin/run\nrequires: [words.txt, 'lib/*.sh']\n";

fn library() -> Tree {
    let tree = Tree::new();
    tree.write("project/.ai/tools/my/a.sh", TOOL);
    tree.write("project/.ai/tools/my/unit.yaml", UNIT);
    tree.write("project/.ai/tools/my/bin/run", "echo\n");
    tree.write("project/.ai/tools/my/words.txt", "words\n");
    tree.write("project/.ai/tools/my/lib/own.sh", TOOL);
    tree.write("project/.ai/tools/my/lib/plain.sh", "echo\n");
    tree
}

fn request(pattern: &str) -> SignRequest {
    SignRequest { pattern: pattern.to_owned(), kind: None, space: None }
}

fn preview(engine: &Engine, key: &SigningKey) -> SignPreview {
    engine.preview_signing(&request("my/**"), key).unwrap()
}

fn sign(engine: &Engine, key: &SigningKey, preview: &SignPreview) -> SignReport {
    engine.sign_previewed(&request("my/**"), preview, key, &|_| {}).unwrap()
}

/// The items that were signed, and the files that were not what was shown.
fn outcome(report: &SignReport) -> (Vec<&str>, Vec<&str>) {
    let signed =
        report.items.iter().filter(|item| matches!(item.result, Ok(Signed::Line | Signed::Manifest)));
    let items = report.items.iter().filter_map(|item| item.result.as_ref().err());
    let refusals = items.chain(report.manifests.iter().filter_map(|manifest| manifest.error.as_ref()));
    let not_shown = refusals.map(|refusal| match refusal {
        SignRefusal::NotShown { file } => file.as_str(),
        other => panic!("{other:?}"),
    });
    (signed.map(|item| item.item.id.as_str()).collect(), not_shown.collect())
}

#[test]
fn it_names_everything_and_changes_nothing() {
    let tree = library();
    let (engine, key) = tree.trusted();
    let shown = preview(&engine, &key);
    let items: Vec<_> = shown.items.iter().map(|item| item.item.id.as_str()).collect();
    assert_eq!(items, ["my/a", "my/lib/own", "my/unit"]);
    assert_eq!(shown.files, ["my/bin/run", "my/lib/plain.sh", "my/words.txt"]);
    assert_eq!(fs::read_to_string(tree.path("project/.ai/tools/my/a.sh")).unwrap(), TOOL);
    assert!(!tree.path("project/.ai/tools/my/.rye-manifest.json").exists());
    assert_eq!(preview(&engine, &key).digest(), shown.digest());
    let report = sign(&engine, &key, &shown);
    assert!(report.is_good(), "{report:?}");
    let verified = engine.verify(&VerifyRequest::All).unwrap();
    assert!(verified.is_good(), "{verified:?}");
    let again = preview(&engine, &key);
    assert!(again.items.iter().all(|item| matches!(item.result, Ok(Signed::Already))), "{again:?}");
    assert!(again.files.is_empty(), "{again:?}");
}

#[test]
fn what_was_changed_or_added_since_is_refused() {
    let all = ["my/a", "my/lib/own", "my/unit"];
    for (file, signed) in [
        ("my/a.sh", &["my/lib/own", "my/unit"][..]),
        ("my/more.sh", &all),
        ("my/bin/run", &all),
        ("my/words.txt", &all),
        ("my/lib/plain.sh", &all),
        ("my/lib/added.sh", &all),
    ] {
        let tree = library();
        let (engine, key) = tree.trusted();
        let shown = preview(&engine, &key);
        let is_item = matches!(file, "my/a.sh" | "my/more.sh");
        let text = if is_item { format!("{TOOL}rm -r /\n") } else { "rm -r /\n".to_owned() };
        tree.write(&format!("project/.ai/tools/{file}"), text);
        assert_ne!(preview(&engine, &key).digest(), shown.digest(), "{file}");
        let report = sign(&engine, &key, &shown);
        assert_eq!(outcome(&report), (signed.to_vec(), vec![file]));
        let list = tree.path("project/.ai/tools/my/.rye-manifest.json");
        assert_eq!(list.exists(), is_item, "{file}");
    }
}

#[test]
fn what_was_taken_away_since_is_not_missed() {
    let tree = library();
    let (engine, key) = tree.trusted();
    let shown = preview(&engine, &key);
    fs::remove_file(tree.path("project/.ai/tools/my/a.sh")).unwrap();
    fs::remove_file(tree.path("project/.ai/tools/my/lib/plain.sh")).unwrap();
    let report = sign(&engine, &key, &shown);
    assert_eq!(outcome(&report), (vec!["my/lib/own", "my/unit"], Vec::new()));
}
