//! Everything that a topic shows is carried out as it stands there.

use std::path::{Path, PathBuf};

use super::example::{Block, carry_out};
use crate::space::TestSpace;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bundle/.ai/knowledge/rye/help");

pub(crate) fn topic(name: &str) -> String {
    std::fs::read_to_string(Path::new(FOLDER).join(name).with_extension("md")).unwrap()
}

/// Carries out a topic in a project of its own, which is trusted already unless the topic is about that.
fn check(name: &str) {
    let text = topic(name);
    let space = if text.lines().any(|line| line == "begins: empty") {
        TestSpace::with_bundle()
    } else {
        TestSpace::with_key()
    };
    carry_out(&space, name, &text);
}

macro_rules! topics {
    ($($test:ident $name:literal,)*) => {
        const TOPICS: &[&str] = &[$($name),*];
        $(
            #[test]
            fn $test() {
                check($name);
            }
        )*
    };
}

topics! {
    environment "environment",
    errors "errors",
    graphs "graphs",
    mcp "mcp",
    mcp_servers "mcp-servers",
    runs "runs",
    runtimes "runtimes",
    secrets "secrets",
    spaces "spaces",
    start "start",
    templates "templates",
    tools "tools",
    tools_bash "tools-bash",
    tools_node "tools-node",
    tools_python "tools-python",
    tools_ruby "tools-ruby",
    tools_rust "tools-rust",
    tools_yaml "tools-yaml",
    trust "trust",
    workers "workers",
}

#[test]
fn every_topic_is_carried_out() {
    let files = std::fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<_> = files.map(stem).collect();
    names.sort();
    assert_eq!(names, TOPICS);
    let space = TestSpace::with_bundle();
    let listed = space.rye(["help"]).json();
    let listed = listed["topics"].as_array().unwrap().iter().map(|topic| topic["name"].as_str().unwrap());
    assert_eq!(listed.collect::<Vec<_>>(), TOPICS);
}

#[test]
fn what_a_topic_names_is_there() {
    let space = TestSpace::with_bundle();
    for name in TOPICS {
        let text = topic(name);
        assert!(Block::all(&text).iter().any(|block| block.words.len() > 1), "{name} shows nothing");
        for named in text.split("`rye help ").skip(1) {
            let other = named.split('`').next().unwrap();
            assert!(TOPICS.contains(&other), "{name} names `{other}`");
        }
        for id in text.split(|c: char| c.is_whitespace() || "`',\"".contains(c)) {
            let is_id = id.starts_with("rye/core/")
                && id.matches('/').count() > 2
                && !id.contains(['*', '.'])
                && !id.contains("/perl");
            if is_id {
                space.run(["load", id]);
            }
        }
    }
}
