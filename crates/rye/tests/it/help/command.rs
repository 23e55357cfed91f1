//! What `rye help` shows.

use insta::assert_snapshot;

use crate::space::TestSpace;

const TOPIC: &str = "---\ntitle: Ours\ndescription: How we work here\n---\n# Ours\n\nAsk first:\n\n```sh\nrye explain x\n```\n";

#[test]
fn topics_are_listed() {
    let space = TestSpace::with_bundle();
    assert_snapshot!(space.rye(["help"]).show(), @"
    $ rye help
    exit code: 0
    --- stdout
    environment   Which variables a tool gets, and how its interpreter is found
    errors        Every code of an error, and what to do about it
    graphs        Workflows of other tools that go on after whatever happens
    mcp           Agents that search, read, run and sign through the server
    mcp-servers   Tools of MCP servers, imported, pinned and signed
    runs          Results, limits, runs in the background, and records
    runtimes      How a language is supported, and how to add one
    secrets       Tokens and passwords for tools
    spaces        Where items are, and which one counts
    start         From nothing to a tool that runs
    templates     Placeholders in the configuration of tools and runtimes
    tools         What a tool is, and what it says about itself
    tools-bash    Shell scripts, and shell commands in YAML
    tools-node    Node.js, tsx and Deno
    tools-python  Functions and scripts in Python, their modules and environments
    tools-ruby    Ruby files, a Gemfile, and lib/ruby
    tools-rust    Compiled programs, of Rust or anything else
    tools-yaml    Programs and HTTP requests, described and not programmed
    trust         Keys, signatures, trusted projects, locks, and what exactly runs
    workers       How a run starts without waiting for its interpreter

    `rye help TOPIC` explains one; `rye help COMMAND` shows the options of a command; `rye --help` lists the commands.
    ");
}

#[test]
fn a_topic_is_plain_text() {
    let space = TestSpace::with_bundle();
    let shown = space.rye(["help", "tools-ruby"]).show();
    assert_snapshot!(shown.lines().take(24).collect::<Vec<_>>().join("\n"), @r##"
    $ rye help tools-ruby
    exit code: 0
    --- stdout
    Tools in Ruby

    `rye/core/runtimes/ruby/ruby` runs a file with `--project-path` in its arguments and the parameters on
    standard input.

    .ai/tools/rb/shout.rb:

        # version: 1.0.0
        # tool_type: ruby
        # executor_id: rye/core/runtimes/ruby/ruby
        # description: Says it louder
        require "json"
        require "louder"
        puts JSON.generate(text: louder(JSON.parse($stdin.read).fetch("text")))

    .ai/tools/rb/lib/ruby/louder.rb:

        def louder(text) = "#{text.upcase}!"

    .ai/tools/rb/Gemfile:
    "##);
    let answer = space.rye(["help", "tools-ruby"]).json();
    assert_eq!(answer["command"], serde_json::Value::Null);
    let topic = &answer["topic"];
    assert_eq!((&topic["name"], &topic["space"]), (&"tools-ruby".into(), &"system".into()));
    assert!(topic["text"].as_str().unwrap().contains("```ruby file="), "programs get the Markdown: {topic}");
}

#[test]
fn a_command_has_its_own_help() {
    let space = TestSpace::with_bundle();
    for command in ["execute", "keys", "search", "help"] {
        let help = space.rye(["help", command]).output();
        let own = space.rye([command, "-h"]).output();
        let usage = |text: Vec<u8>| String::from_utf8(text).unwrap().lines().next().unwrap().to_owned();
        assert_eq!((help.status.code(), usage(help.stdout)), (Some(0), usage(own.stdout)), "{command}");
    }
    let nested = String::from_utf8(space.rye(["help", "keys", "generate"]).output().stdout).unwrap();
    assert!(nested.contains("Usage: rye keys generate"), "{nested}");
    let both = String::from_utf8(space.rye(["help", "trust"]).output().stdout).unwrap();
    let (command, topic) = (both.find("Usage: rye trust").unwrap(), both.find("**Keys.**").unwrap());
    assert!(command < topic, "a word that is both a command and a topic shows both");
}

#[test]
fn a_command_has_help_wherever_it_is_asked_for() {
    let space = TestSpace::with_bundle();
    let output = space.rye(["help", "search", "--project", "nowhere"]).output();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("Usage: rye search"));
    let output = space.rye(["help", "start", "--project", "nowhere"]).output();
    assert_eq!(output.status.code(), Some(3), "{output:?}");
}

#[test]
fn what_is_not_there_has_neighbours() {
    let space = TestSpace::with_bundle();
    assert_snapshot!(space.rye(["help", "tool-pyton"]).show(), @"
    $ rye help tool-pyton
    exit code: 3
    --- stderr
    error: there is no topic `tool-pyton` [ITEM_NOT_FOUND]
    hint: did you mean `rye help tools-python`?
    ");
    assert_snapshot!(space.rye(["help", "exceute"]).show(), @"
    $ rye help exceute
    exit code: 3
    --- stderr
    error: there is no topic `exceute` [ITEM_NOT_FOUND]
    hint: did you mean `rye help execute`?
    ");
    assert_snapshot!(space.rye(["help", "no such thing"]).show(), @"
    $ rye help 'no such thing'
    exit code: 3
    --- stderr
    error: there is no topic `no such thing` [ITEM_NOT_FOUND]
    hint: run `rye help` to see which there are
    ");
    let error = space.rye(["help", "zzz", "--json"]).output();
    let error: serde_json::Value = serde_json::from_slice(&error.stderr).unwrap();
    assert_eq!(error["error"]["code"], "ITEM_NOT_FOUND");
}

#[test]
fn every_space_has_topics_if_they_are_signed() {
    let space = TestSpace::with_key();
    space.write("project/.ai/knowledge/rye/help/ours.md", TOPIC);
    space.write("home/.ai/knowledge/rye/help/start.md", TOPIC);
    let list = |space: &TestSpace| {
        let shown = space.rye(["help"]).show();
        let is_ours =
            |line: &&str| line.contains("ours") || line.starts_with("start") || line.contains("note:");
        shown.lines().filter(is_ours).collect::<Vec<_>>().join("\n")
    };
    assert_snapshot!(list(&space), @"
    start         From nothing to a tool that runs
    note: the topic `ours` of the project space is not shown: it is not signed
    note: the topic `start` of the user space is not shown: it is not signed
    ");
    assert_snapshot!(space.rye(["help", "ours"]).show(), @"
    $ rye help ours
    exit code: 3
    --- stderr
    error: knowledge:rye/help/ours (`[SPACE]/project/.ai/knowledge/rye/help/ours.md`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign rye/help/ours --kind knowledge`
    ");
    let shown = space.rye(["help", "start"]).output();
    assert!(String::from_utf8(shown.stdout).unwrap().starts_with("Start\n"), "what is refused hides nothing");
    space.run(["sign", "--kind", "knowledge", "rye/help/ours"]);
    space.run(["sign", "--kind", "knowledge", "--space", "user", "rye/help/start"]);
    assert_snapshot!(list(&space), @"
    ours          How we work here                                                  project
    start         How we work here                                                  user, shadows system
    ");
    assert_snapshot!(space.rye(["help", "start"]).show(), @"
    $ rye help start
    exit code: 0
    --- stdout
    Ours

    Ask first:

        rye explain x
    --- stderr
    note: this topic of the user space shadows one of the system space
    ");
    space.run(["trust", "--revoke"]);
    assert_snapshot!(space.rye(["help", "ours"]).show(), @"
    $ rye help ours
    exit code: 3
    --- stderr
    error: knowledge:rye/help/ours (`[SPACE]/project/.ai/knowledge/rye/help/ours.md`) is refused: the project `[SPACE]/project` is not trusted: nobody has decided to trust it [PROJECT_UNTRUSTED]
    hint: run `rye trust [SPACE]/project`, which shows what it brings
    ");
}

#[test]
fn a_reader_may_go_away() {
    let space = TestSpace::with_bundle();
    let mut child =
        space.rye(["help", "errors"]).command().stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
