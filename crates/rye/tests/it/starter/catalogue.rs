//! Every tool says what it is, and its examples run.

use serde_json::{Map, Value, json};

use super::{call, python};
use crate::execute::http::{OK, serve};
use crate::space::TestSpace;

const TOOLS: [&str; 19] = [
    "rye/archive/extract",
    "rye/archive/list",
    "rye/core/runs/list",
    "rye/core/runs/wait",
    "rye/data/query",
    "rye/data/sqlite",
    "rye/file/edit",
    "rye/file/glob",
    "rye/file/grep",
    "rye/file/list",
    "rye/file/read",
    "rye/file/write",
    "rye/git/diff",
    "rye/git/log",
    "rye/git/status",
    "rye/shell/bash",
    "rye/system/facts",
    "rye/system/time",
    "rye/web/fetch",
];

/// The ids of all starter tools that the program has inside.
fn tools(space: &TestSpace) -> Vec<String> {
    let found = space
        .rye([
            "search", "--kind", "tool", "--space", "system", "--detail", "full", "--limit", "1000", "--sort",
            "id",
        ])
        .json();
    let hits = found["hits"].as_array().unwrap().iter();
    let ids = hits.map(|hit| hit["id"].as_str().unwrap().to_owned());
    let is_machinery = |id: &str| {
        ["primitives", "extractors", "runtimes"]
            .iter()
            .any(|part| id.starts_with(&format!("rye/core/{part}/")))
    };
    ids.filter(|id| id.starts_with("rye/") && !is_machinery(id))
        .filter(|id| !metadata(space, id)["tool_type"].as_str().unwrap().ends_with("_lib"))
        .collect()
}

fn metadata(space: &TestSpace, id: &str) -> Value {
    let output = space.rye(["load", id, "--part", "metadata"]).output();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{id}: {error}: {output:?}"))
}

#[test]
fn every_tool_says_what_it_is() {
    let space = TestSpace::with_bundle();
    let found = tools(&space);
    for id in TOOLS {
        assert!(found.iter().any(|known| known == id), "there is no {id}: {found:?}");
    }
    for id in &found {
        let metadata = metadata(&space, id);
        assert_eq!(metadata["version"], "1.0.0", "{id}");
        assert_eq!(metadata["category"], id.rsplit_once('/').unwrap().0, "{id}");
        assert!(metadata["description"].as_str().unwrap().len() > 60, "{id}");
        assert!(metadata["tags"].as_array().unwrap().len() > 4, "{id}");
        let annotations = &metadata["annotations"];
        assert!(annotations["title"].is_string(), "{id}");
        for hint in ["readOnlyHint", "idempotentHint", "openWorldHint"] {
            assert!(annotations[hint].is_boolean(), "{id} {hint}");
        }
        assert_eq!(
            annotations["readOnlyHint"] == json!(false),
            annotations["destructiveHint"].is_boolean(),
            "{id}"
        );
        check_schema(id, &metadata["config_schema"]);
        let examples = metadata["examples"].as_array().unwrap_or_else(|| panic!("{id} has no examples"));
        assert!(!examples.is_empty(), "{id}");
        for example in examples {
            assert!(example["description"].is_string() && example["params"].is_object(), "{id}: {example}");
        }
    }
}

/// Nothing is taken that is not described.
fn check_schema(id: &str, schema: &Value) {
    assert_eq!((&schema["type"], &schema["additionalProperties"]), (&json!("object"), &json!(false)), "{id}");
    for (name, property) in schema["properties"].as_object().unwrap() {
        assert!(property["description"].as_str().is_some_and(|text| text.len() > 5), "{id}: {name}");
        if property["type"] == "array" {
            assert!(property["items"].is_object() && property["maxItems"].is_u64(), "{id}: {name}");
            if property["items"]["type"] == "object" {
                check_schema(id, &property["items"]);
            }
        }
        if property["type"] == "integer" {
            assert!(property["minimum"].is_i64(), "{id}: {name} has no bounds");
        }
    }
}

#[test]
fn every_example_runs() {
    let space = TestSpace::with_bundle();
    for id in tools(&space) {
        for example in metadata(&space, &id)["examples"].as_array().unwrap() {
            prepare(&space);
            let mut params = example["params"].as_object().unwrap().clone();
            let served = adapt(&space, &id, &mut params);
            let answer = call(&space, &id, &Value::Object(params));
            if let Some(served) = served {
                served.join().unwrap();
            }
            if let Some(expect) = example.get("result") {
                assert_eq!(&answer, expect, "{id}: {example}");
            }
        }
    }
}

/// What the examples speak of, as it was before any of them ran.
fn prepare(space: &TestSpace) {
    for name in ["notes", "unpacked", "shop.db", "notes.zip"] {
        let path = space.path(format!("project/{name}"));
        let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    }
    space.write("project/README.md", "# Read me\n\nTODO: a.b\n");
    space.write("project/app.cfg", "[server]\nport = 80\n# end\n");
    space.write("project/pyproject.toml", "[project]\nname = \"example\"\n");
    python(
        space,
        "import sqlite3, subprocess, zipfile\n\
         db = sqlite3.connect('shop.db'); db.execute('CREATE TABLE items (name, price)')\n\
         db.executemany('INSERT INTO items VALUES (?, ?)', [('pen', 2), ('desk', 200)]); db.commit()\n\
         with zipfile.ZipFile('notes.zip', 'w') as archive: archive.writestr('a.txt', 'hello\\n')\n\
         git = ['git', '-c', 'user.name=a', '-c', 'user.email=b']\n\
         for words in (['init', '-q'], ['add', 'README.md'], ['commit', '-qm', 'x', '--allow-empty']):\n\
         \x20   subprocess.run(git + words, check=True)",
    );
}

/// Puts what only a test can know in the place of what stands for it.
fn adapt(
    space: &TestSpace,
    id: &str,
    params: &mut Map<String, Value>,
) -> Option<std::thread::JoinHandle<Vec<String>>> {
    if let Some(Value::String(url)) = params.get_mut("url") {
        let (port, served) = serve(vec![OK]);
        *url = url.replace("localhost:8000", &format!("127.0.0.1:{port}"));
        return Some(served);
    }
    if id == "rye/core/runs/wait" {
        let runs = call(space, "rye/core/runs/list", &json!({ "limit": 1 }));
        params.insert("id".to_owned(), runs["runs"][0]["id"].clone());
    }
    None
}
