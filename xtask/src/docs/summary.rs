//! The table of contents.

use std::fmt::Write as _;
use std::path::Path;

use super::page::Page;
use super::topics::Topic;

/// Topics by chapter, in the order in which a newcomer needs them. Those that are not here come after them.
const CHAPTERS: [(&str, &[&str]); 5] = [
    (
        "Writing tools",
        &["tools", "tools-python", "tools-node", "tools-bash", "tools-ruby", "tools-rust", "tools-yaml"],
    ),
    ("Running them", &["runs", "graphs", "secrets", "spaces", "errors"]),
    ("Trust", &["trust"]),
    ("MCP", &["mcp", "mcp-servers"]),
    ("Custom runtimes", &["runtimes", "environment", "templates", "workers"]),
];

/// Pages about speed, which `cargo xtask bench` and people make; each is listed when it is there.
const SPEED: [(&str, &str); 2] =
    [("Figures", "benchmarks/figures.md"), ("Where the time goes", "benchmarks/profile.md")];

pub(super) fn page(root: &Path, topics: &[Topic]) -> Page {
    let mut text = String::from("# Summary\n\n[Introduction](introduction.md)\n[Concepts](concepts.md)\n");
    let mut listed = vec!["start"];
    add(&mut text, topics.iter().filter(|topic| topic.name == "start"));
    for (title, names) in CHAPTERS {
        let _ = write!(text, "\n# {title}\n\n");
        add(&mut text, names.iter().flat_map(|name| topics.iter().filter(move |topic| topic.name == *name)));
        listed.extend(names);
    }
    let others: Vec<_> = topics.iter().filter(|topic| !listed.contains(&topic.name.as_str())).collect();
    if !others.is_empty() {
        text += "\n# More\n\n";
        add(&mut text, others.into_iter());
    }
    let speed: Vec<_> =
        SPEED.into_iter().filter(|(_, path)| root.join("docs/src").join(path).is_file()).collect();
    if !speed.is_empty() {
        text += "\n# Speed\n\n";
        for (title, path) in speed {
            let _ = writeln!(text, "- [{title}]({path})");
        }
    }
    text += "\n# Reference\n\n";
    for (title, name) in [
        ("Commands", "commands"),
        ("Error codes", "errors"),
        ("Fields of a tool", "fields"),
        ("Runtimes of the program", "runtimes"),
        ("Files of state graphs", "graphs"),
    ] {
        let _ = writeln!(text, "- [{title}](reference/{name}.md)");
    }
    Page { path: "SUMMARY.md".to_owned(), text }
}

fn add<'a>(text: &mut String, topics: impl Iterator<Item = &'a Topic>) {
    for topic in topics {
        let _ = writeln!(text, "- [{}](topics/{}.md)", topic.title, topic.name);
    }
}
