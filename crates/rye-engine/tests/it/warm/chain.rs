//! The helper of a worker is a part of the chain: it is found, verified and locked like an executor.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{Engine, EngineError, ErrorCode, ExecuteRequest, LockError, SignRequest, TargetSpace};
use rye_item::{ItemId, ItemKind, ItemRef, Space};
use rye_plan::ChainIssue;
use rye_trust::LockDifference;

use crate::signing::sign;
use crate::tree::Tree;

const RUNTIME: &str = "version: 1.0.0\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\ndescription: Prints\n\
                       config: {command: /bin/echo, args: [ran]}\n\
                       worker: {mode: oneshot, helper: HELPER, command: /bin/false}\n";
const TOOL: &str = "version: 1.0.0\ntool_type: script\nexecutor_id: my/runtime\ndescription: Runs\n";
const HELPER: &str = "version: 1.0.0\ntool_type: helper_lib\ndescription: Helps\n";

fn runtime(helper: &str) -> String {
    RUNTIME.replace("HELPER", helper)
}

fn tree() -> (Tree, Engine, SigningKey) {
    let tree = Tree::new();
    tree.write("project/.ai/tools/my/runtime.yaml", runtime("my/helper"));
    tree.write("project/.ai/tools/my/tool.yaml", TOOL);
    tree.write("project/.ai/tools/my/helper.yaml", HELPER);
    let (engine, key) = tree.trusted();
    assert!(sign(&engine, &key, "my/*").is_good());
    (tree, engine, key)
}

fn execute(engine: &Engine) -> Result<Option<String>, Box<EngineError>> {
    let item = ItemRef::new(ItemKind::Tool, ItemId::new("my/tool").unwrap());
    let (report, _) = engine.execute(&ExecuteRequest::new(item), None, &mut |_| {})?;
    Ok(report.helper.map(|helper| format!("{} ({})", helper.item.id, helper.space)))
}

/// Everything that keeps the chain from running.
fn refused_all(engine: &Engine) -> Vec<ChainIssue> {
    match *execute(engine).unwrap_err() {
        EngineError::Chain(chain) => chain.issues,
        other => panic!("{other:?}"),
    }
}

fn refused(engine: &Engine) -> (ErrorCode, ChainIssue) {
    let error = execute(engine).unwrap_err();
    let code = error.code();
    let EngineError::Chain(mut chain) = *error else { panic!("{error:?}") };
    assert_eq!(chain.issues.len(), 1, "{chain}");
    (code, chain.issues.remove(0))
}

#[test]
fn it_is_named_in_the_report() {
    let (_tree, engine, _) = tree();
    assert_eq!(execute(&engine).unwrap().as_deref(), Some("my/helper (project)"));
}

#[test]
fn one_that_is_missing_stops_the_chain() {
    let (tree, engine, _) = tree();
    fs::remove_file(tree.path("project/.ai/tools/my/helper.yaml")).unwrap();
    let (code, issue) = refused(&engine);
    assert_eq!(code, ErrorCode::ItemNotFound);
    let ChainIssue::HelperUnusable { item, helper, .. } = issue else { panic!("{issue:?}") };
    assert_eq!((item.id.as_str(), helper.as_str()), ("my/runtime", "my/helper"));
}

#[test]
fn one_that_was_changed_stops_the_chain() {
    let (tree, engine, _) = tree();
    let path = tree.path("project/.ai/tools/my/helper.yaml");
    let changed = fs::read_to_string(&path).unwrap().replace("Helps", "Harms");
    fs::write(&path, changed).unwrap();
    assert_eq!(refused(&engine).0, ErrorCode::SignatureInvalid);
    tree.write("project/.ai/tools/my/helper.yaml", HELPER);
    assert_eq!(refused(&engine).0, ErrorCode::Unsigned);
}

#[test]
fn what_is_no_id_stops_the_chain() {
    let (tree, engine, key) = tree();
    tree.write("project/.ai/tools/my/runtime.yaml", runtime("../helper"));
    assert!(!sign(&engine, &key, "my/runtime").is_good());
    assert!(matches!(refused_all(&engine).last(), Some(ChainIssue::InvalidHelper { .. })));
}

#[test]
fn it_is_looked_for_from_the_space_of_the_runtime() {
    let (tree, engine, key) = tree();
    fs::remove_file(tree.path("project/.ai/tools/my/runtime.yaml")).unwrap();
    tree.write("home/.ai/tools/my/runtime.yaml", runtime("my/helper"));
    tree.write("home/.ai/tools/my/helper.yaml", HELPER);
    let request = SignRequest { pattern: "my/*".to_owned(), kind: None, space: Some(Space::User) };
    assert!(engine.sign(&request, &key, &|_| {}).unwrap().is_good());
    // The project's helper hides that of the user, but not from the user's runtime.
    assert_eq!(execute(&engine).unwrap().as_deref(), Some("my/helper (user)"));
    fs::remove_file(tree.path("home/.ai/tools/my/helper.yaml")).unwrap();
    assert_eq!(refused(&engine).0, ErrorCode::ItemNotFound);
}

#[test]
fn it_is_locked_with_the_chain() {
    let (tree, engine, key) = tree();
    let lock = engine.lock("my/tool", TargetSpace::Project, &key).unwrap().lock;
    assert_eq!(
        lock.helpers.iter().map(|helper| (helper.id.as_str(), helper.space)).collect::<Vec<_>>(),
        [("my/helper", Space::Project)]
    );
    assert!(execute(&engine).is_ok());
    tree.write("project/.ai/tools/my/helper.yaml", HELPER.replace("Helps", "Helps more"));
    assert!(sign(&engine, &key, "my/helper").is_good());
    let EngineError::Lock(LockError::Mismatch { differences, .. }) = *execute(&engine).unwrap_err() else {
        panic!("the lock has to hold");
    };
    assert!(
        matches!(&differences[..], [LockDifference::Changed { expected, .. }] if expected.id.as_str() == "my/helper")
    );
}
