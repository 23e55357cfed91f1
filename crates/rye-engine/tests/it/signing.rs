//! Which items are signed, and that to sign again changes nothing.

use std::fs;

use lillux::keys::SigningKey;
use rye_engine::{
    Engine, EngineError, ItemUse, SignEvent, SignRefusal, SignReport, SignRequest, Signed, VerifyRequest,
};
use rye_item::{ItemId, ItemKind, ItemRef, Space};

use crate::tree::Tree;

/// A shell tool that the bundle can run.
const TOOL: &str =
    "# tool_type: script\n# executor_id: rye/core/runtimes/bash/bash\n# version: 1.0.0\necho\n";

fn request(pattern: &str, kind: Option<ItemKind>, space: Option<Space>) -> SignRequest {
    SignRequest { pattern: pattern.to_owned(), kind, space }
}

pub(crate) fn sign(engine: &Engine, key: &SigningKey, pattern: &str) -> SignReport {
    engine.sign(&request(pattern, None, None), key, &|_| {}).unwrap()
}

fn names(report: &SignReport) -> Vec<String> {
    report.items.iter().map(|item| format!("{} {}", item.space, item.item)).collect()
}

fn library() -> Tree {
    let tree = Tree::new();
    for name in ["a", "my/a", "my/b", "my/deep/c", "other/d"] {
        tree.write(&format!("project/.ai/tools/{name}.sh"), TOOL);
    }
    tree.write("project/.ai/directives/my/review.md", "# Review\n");
    tree.write("project/.ai/knowledge/my/a.md", "# A\n");
    tree.write("home/.ai/tools/my/home.sh", TOOL);
    tree
}

#[test]
fn patterns_choose_by_id_kind_and_space() {
    let tree = library();
    let (engine, key) = tree.trusted();
    let chosen = |pattern: &str, kind, space| {
        names(&engine.sign(&request(pattern, kind, space), &key, &|_| {}).unwrap())
    };
    let tool = Some(ItemKind::Tool);
    assert_eq!(chosen("my/*", tool, None), ["project tool:my/a", "project tool:my/b"]);
    assert_eq!(
        chosen("my/**", None, None),
        [
            "project tool:my/a",
            "project tool:my/b",
            "project tool:my/deep/c",
            "project directive:my/review",
            "project knowledge:my/a"
        ]
    );
    assert_eq!(chosen("*", tool, None), ["project tool:a"]);
    assert_eq!(chosen("{a,other/d}", tool, None), ["project tool:a", "project tool:other/d"]);
    assert_eq!(chosen("my/*", None, Some(Space::User)), ["user tool:my/home"]);
    assert_eq!(chosen("my/home", None, None), ["user tool:my/home"]);
    assert_eq!(chosen("review", Some(ItemKind::Directive), None), ["project directive:my/review"]);
    let nothing = engine.sign(&request("my/*", None, Some(Space::System)), &key, &|_| {});
    assert!(matches!(nothing, Err(EngineError::NothingMatches { .. })));
    let both = [request("my/a", None, None), request("my/*", tool, None), request("*", tool, None)];
    let both = engine.sign_all(&both, &key, &|_| {}).unwrap();
    assert_eq!(names(&both), ["project tool:a", "project tool:my/a", "project tool:my/b"]);
}

#[test]
fn nothing_is_signed_if_one_of_several_patterns_names_nothing() {
    let tree = library();
    let (engine, key) = tree.trusted();
    let requests = [request("my/*", None, None), request("none/*", None, None)];
    assert!(engine.sign_all(&requests, &key, &|_| {}).is_err());
    assert_eq!(fs::read_to_string(tree.path("project/.ai/tools/my/a.sh")).unwrap(), TOOL);
}

#[test]
fn to_sign_again_changes_nothing() {
    let tree = library();
    let (engine, key) = tree.trusted();
    let json = r#"{"version": "1.0.0", "tool_type": "script", "executor_id": "rye/core/runtimes/bash/bash"}"#;
    tree.write("project/.ai/tools/my/data.json", json);
    let first = sign(&engine, &key, "**");
    assert!(first.is_good() && first.items.len() == 8, "{first:?}");
    let files = || {
        let walk = |folder: &str| fs::read_dir(tree.path(folder)).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            walk("project/.ai/tools/my").chain(walk("project/.ai/knowledge/my")).collect();
        files.sort();
        files
            .into_iter()
            .filter(|path| path.is_file())
            .map(|path| (fs::read(&path).unwrap(), path))
            .collect::<Vec<_>>()
    };
    let before = files();
    let again = sign(&engine, &key, "**");
    assert!(again.items.iter().all(|item| matches!(item.result, Ok(Signed::Already))), "{again:?}");
    assert_eq!(files(), before);
}

#[test]
fn two_languages_share_the_list_of_a_folder() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    let runtime = |extension: &str| {
        format!(
            "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\n\
             anchor: {{mode: auto, markers_any: [root], root: tool_dir}}\n\
             verify_deps: {{scope: anchor, recursive: true, extensions: [\".{extension}\"]}}\n\
             config: {{command: /bin/true, args: [\"{{tool_path}}\"]}}\n"
        )
    };
    for (name, extension) in [("one", "txt"), ("two", "dat")] {
        tree.write(&format!("project/.ai/tools/{name}.yaml"), runtime(extension));
        tree.write(&format!("project/.ai/tools/app/file.{extension}"), "content");
        tree.write(
            &format!("project/.ai/tools/app/{name}.sh"),
            TOOL.replace("rye/core/runtimes/bash/bash", name),
        );
    }
    tree.write("project/.ai/tools/app/root", "");
    let report = sign(&engine, &key, "**");
    assert!(report.is_good(), "{report:?}");
    let app =
        report.manifests.iter().find(|manifest| manifest.path.ends_with("app/.rye-manifest.json")).unwrap();
    assert_eq!(app.changes.added, ["file.dat", "file.txt"]);
    let verified = engine.verify(&VerifyRequest::All).unwrap();
    assert!(verified.is_good(), "{verified:?}");
}

#[test]
fn a_broken_item_does_not_stop_the_others() {
    let tree = library();
    let (engine, key) = tree.trusted();
    tree.write("project/.ai/tools/my/a.py", "__version__ = '1.0.0'\n");
    tree.write(
        "project/.ai/tools/my/wrong.yaml",
        "version: \"1.0.0\"\ntool_type: x\nexecutor_id: null\nwrong: 1\n",
    );
    let schema = "version: \"1.0.0\"\ntool_type: x\nexecutor_id: rye/core/runtimes/bash/bash\nconfig_schema: {type: 7}\n";
    tree.write("project/.ai/tools/my/schema.yaml", schema);
    let done = std::sync::Mutex::new(Vec::new());
    let report = engine
        .sign(&request("my/*", Some(ItemKind::Tool), None), &key, &|event| done.lock().unwrap().push(event))
        .unwrap();
    let refused: Vec<_> = report
        .items
        .iter()
        .filter_map(|item| Some((item.item.id.as_str(), item.result.as_ref().err()?)))
        .collect();
    assert!(
        matches!(
            &refused[..],
            [
                ("my/a", SignRefusal::Find(_)),
                ("my/schema", SignRefusal::Schema(_)),
                ("my/wrong", SignRefusal::Metadata { .. })
            ]
        ),
        "{refused:?}"
    );
    let done = done.into_inner().unwrap();
    assert_eq!((done[0], done.len()), (SignEvent::Found(4), 5));
    let verified = engine.verify(&VerifyRequest::Pattern("my/*".to_owned(), Some(ItemKind::Tool))).unwrap();
    let good: Vec<_> = verified
        .items
        .iter()
        .filter(|item| item.issues.is_empty())
        .map(|item| (item.space, item.item.id.as_str(), item.use_))
        .collect();
    assert_eq!(good, [(Space::Project, "my/b", ItemUse::Executed)]);
}

#[test]
fn libraries_and_extractors_are_used_by_others() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    tree.write(
        "project/.ai/tools/lib.py",
        "__version__ = '1.0.0'\n__tool_type__ = 'python_lib'\n__executor_id__ = None\n",
    );
    let report = sign(&engine, &key, "lib");
    assert!(report.is_good(), "{report:?}");
    let item = ItemRef::new(ItemKind::Tool, ItemId::new("lib").unwrap());
    let verified = engine.verify(&VerifyRequest::Item(item)).unwrap();
    assert_eq!((verified.is_good(), verified.items[0].use_), (true, ItemUse::UsedByOthers), "{verified:?}");
}
