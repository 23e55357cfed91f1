//! Topics, as an engine that lives long sees them.

use rye_engine::{Engine, EngineError, ErrorCode, HelpAnswer, HelpTopic, HelpTopics, Lifetime, SignRequest};
use rye_item::{ItemKind, Space};

use crate::tree::Tree;

const TOPIC: &str = "---\ndescription: Ours\n---\n# Ours\n\nWhat we do.\n";

fn topics(engine: &Engine) -> HelpTopics {
    match engine.help(None).unwrap() {
        HelpAnswer::Topics(topics) => topics,
        HelpAnswer::Topic(topic) => panic!("{topic:?}"),
    }
}

fn topic(engine: &Engine, name: &str) -> Result<HelpTopic, Box<EngineError>> {
    match engine.help(Some(name)).map_err(Box::new)? {
        HelpAnswer::Topic(topic) => Ok(topic),
        HelpAnswer::Topics(topics) => panic!("{topics:?}"),
    }
}

#[test]
fn a_topic_that_is_signed_shadows_that_of_the_program() {
    let tree = Tree::new();
    let (engine, key) = tree.trusted();
    let of_program = topic(&engine, "start").unwrap();
    assert_eq!((of_program.summary.space, of_program.title.as_deref()), (Space::System, Some("Start")));
    tree.write("project/.ai/knowledge/rye/help/start.md", TOPIC);
    let unsigned = topic(&engine, "start").unwrap();
    assert_eq!((unsigned.summary.space, &unsigned.text), (Space::System, &of_program.text));
    assert_eq!((unsigned.refused.len(), unsigned.refused[0].space), (1, Space::Project));
    let request = SignRequest {
        pattern: "rye/help/start".to_owned(),
        kind: Some(ItemKind::Knowledge),
        space: Some(Space::Project),
    };
    engine.sign(&request, &key, &|_| {}).unwrap();
    let signed = topic(&engine, "start").unwrap();
    assert_eq!((signed.summary.space, signed.summary.shadows), (Space::Project, vec![Space::System]));
    assert_eq!(signed.text.trim(), "# Ours\n\nWhat we do.");
    std::fs::remove_file(tree.path("project/.ai/knowledge/rye/help/start.md")).unwrap();
    assert_eq!(topic(&engine, "start").unwrap().text, of_program.text);
}

#[test]
fn topics_have_names_and_neighbours() {
    let tree = Tree::new();
    let engine = tree.engine(Lifetime::Long);
    let all = topics(&engine);
    assert!(all.topics.is_sorted_by(|a, b| a.name < b.name) && all.refused.is_empty());
    assert!(all.topics.iter().all(|topic| topic.description.is_some()), "{all:?}");
    for one in &all.topics {
        assert_eq!(topic(&engine, &one.name).unwrap().summary, *one);
    }
    for (name, near) in [("tempates", Some("templates")), ("../start", None), ("", None), ("zzzzzz", None)] {
        let error = topic(&engine, name).unwrap_err();
        assert_eq!(error.code(), ErrorCode::ItemNotFound, "{name}");
        let EngineError::TopicNotFound { similar, .. } = *error else { panic!("{error:?}") };
        assert_eq!(similar.first().map(String::as_str), near, "{name}");
    }
}

#[test]
fn what_is_known_is_told_at_once_only_while_it_is_all() {
    let tree = Tree::new();
    let (engine, _) = tree.trusted();
    let all = topics(&engine);
    let known = || match engine.known_topics() {
        Some(HelpAnswer::Topics(topics)) => Some(topics.topics),
        other => other.map(|other| panic!("{other:?}")),
    };
    assert_eq!(known().as_ref(), Some(&all.topics));
    tree.write("project/.ai/knowledge/rye/help/ours.md", TOPIC);
    assert_eq!(known(), None);
    let with_ours = topics(&engine);
    assert_eq!((&with_ours.topics, with_ours.refused[0].name.as_str()), (&all.topics, "ours"));
    let folder = tree.path("project/.ai/knowledge/rye/help");
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(known().as_ref(), Some(&all.topics));
    // Whoever puts a link there is told about it by the longer way.
    std::os::unix::fs::symlink(tree.path("project"), &folder).unwrap();
    assert_eq!(known(), None);
}
