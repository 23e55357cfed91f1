//! YAML, JSON, TOML and Markdown files.

use insta::assert_snapshot;

use crate::support::{extract, problems, show};

const YAML: &str = r#"version: "1.0.0"
tool_type: shell
executor_id: x
description: "It's a tool"
tags: [a, b]
config: {b: 1, a: [true, null, 1.5]}
inputs: [path, {name: depth, type: integer, default: 3}]
secrets: [TOKEN, {name: key, env: API_KEY, required: false}]
child_constraints: {git: {min_version: "1.0.0"}, "python/script": ">=2, <3"}
annotations: {title: T, read_only: true, openWorldHint: false}
entry: ./bin/thing
server: mcp/servers/x
"#;

#[test]
fn the_same_tool_in_three_formats() {
    let json = r#"{"version": "1.0.0", "tool_type": "shell", "executor_id": "x", "description": "It's a tool",
        "tags": ["a", "b"], "config": {"b": 1, "a": [true, null, 1.5]},
        "inputs": ["path", {"name": "depth", "type": "integer", "default": 3}],
        "secrets": ["TOKEN", {"name": "key", "env": "API_KEY", "required": false}],
        "child_constraints": {"git": {"min_version": "1.0.0"}, "python/script": ">=2, <3"},
        "annotations": {"title": "T", "read_only": true, "openWorldHint": false},
        "entry": "./bin/thing", "server": "mcp/servers/x"}"#;
    assert_snapshot!(show("t/a.yaml", YAML), @r#"
    {
      "name": "a",
      "version": "1.0.0",
      "tool_type": "shell",
      "executor_id": "x",
      "category": "t",
      "description": "It's a tool",
      "tags": [
        "a",
        "b"
      ],
      "config": {
        "b": 1,
        "a": [
          true,
          null,
          1.5
        ]
      },
      "secrets": [
        {
          "name": "TOKEN",
          "env": "TOKEN",
          "required": true
        },
        {
          "name": "key",
          "env": "API_KEY",
          "required": false
        }
      ],
      "inputs": [
        {
          "name": "path"
        },
        {
          "name": "depth",
          "type": "integer",
          "default": 3
        }
      ],
      "child_constraints": {
        "git": {
          "min_version": "1.0.0"
        },
        "python/script": ">=2, <3"
      },
      "entry": "bin/thing",
      "annotations": {
        "title": "T",
        "readOnlyHint": true,
        "openWorldHint": false
      },
      "server": "mcp/servers/x"
    }
    "#);
    assert_eq!(show("t/a.json", json), show("t/a.yaml", YAML));
    // TOML has no null.
    let toml = r#"version = "1.0.0"
tool_type = "shell"
executor_id = "x"
description = "It's a tool"
tags = ["a", "b"]
config = {b = 1, a = [true, 1.5]}
inputs = ["path", {name = "depth", type = "integer", default = 3}]
secrets = ["TOKEN", {name = "key", env = "API_KEY", required = false}]
child_constraints = {git = {min_version = "1.0.0"}, "python/script" = ">=2, <3"}
annotations = {title = "T", read_only = true, openWorldHint = false}
entry = "./bin/thing"
server = "mcp/servers/x"
"#;
    assert_eq!(show("t/a.toml", toml), show("t/a.yaml", YAML.replace(" null,", "")));
}

#[test]
fn every_problem_is_reported_at_once() {
    let tool = r#"
version: 1.0
tool_type: runtime
executer_id: x
category: elsewhere
config: [1]
config_schema: text
env_config:
  interpreter: {var: X}
  runner: {type: 3}
  env: {A: 1, B: b}
  includ_dotenv: true
anchor: {mode: sometimes, marker_any: [a], root: tool_dri, env_paths: {PATH: {prepand: [x]}}}
verify_deps: {enabled: "yes", scope: world}
inputs: [{type: text}]
child_constraints: {a: {min_version: "1"}, b: "not a version", c: {min_version: "2.0.0", max_version: "1.0.0"}}
entry: ../../etc/passwd
tags: {a: b}
annotations: {readonly: true}
"#;
    assert_snapshot!(problems("rye/core/a.yaml", tool), @r#"
    4:1: error: `executer_id` is unknown; did you mean `executor_id`?
    2:10: error: `version` must be a text, not a number: write "1.0" in quotes
    5:11: warning: `category` `elsewhere` is not the end of the item's folder `rye/core`
    18:7: error: `tags` must be a list of texts, not a map
    6:9: error: `config` must be a map, not a list
    7:16: error: `config_schema` must be a map, not a text
    9:16: error: `env_config.interpreter.type` is missing: it says how to find the interpreter
    10:18: error: `env_config.runner.type` must be a text, not a number: write "3" in quotes
    11:12: error: `env_config.env.A` must be a text, not a number: write "1" in quotes
    12:3: error: `env_config.includ_dotenv` is unknown; did you mean `include_dotenv`?
    13:27: error: `anchor.marker_any` is unknown; did you mean `markers_any`?
    13:16: error: `anchor.mode` has an unknown value `sometimes`; known: auto, always
    13:50: error: `anchor.root` has an unknown value `tool_dri`; did you mean `tool_dir`?
    13:79: error: `anchor.env_paths.PATH.prepand` is unknown; did you mean `prepend`?
    14:24: error: `verify_deps.enabled` must be true or false, not a text
    14:38: error: `verify_deps.scope` has an unknown value `world`; known: anchor, tool_dir
    15:10: error: `inputs.0.name` is missing
    16:38: error: `child_constraints.a.min_version` is not a semantic version: unexpected end of input while parsing major version number
    16:47: error: `child_constraints.b` is not a version requirement: unexpected character 'n' while parsing major version number
    16:67: error: `child_constraints.c` accepts no version: 2.0.0 is newer than 1.0.0
    17:8: error: `entry` must be a relative path below the item's folder, not `../../etc/passwd`
    19:15: error: `annotations.readonly` is unknown; did you mean `read_only`?
    error: `executor_id` is missing
    warning: `description` is missing
    "#);
}

#[test]
fn a_worker_is_read_with_its_defaults() {
    let worker = |lines: &str| {
        let tool =
            format!("version: 1.0.0\ntool_type: runtime\nexecutor_id: x\ndescription: d\nworker:\n{lines}");
        let problems = problems("t/a.yaml", &tool);
        let extraction = extract("t/a.yaml", tool).unwrap();
        format!("{problems}{}", serde_json::to_string(&extraction.metadata.worker).unwrap())
    };
    assert_snapshot!(worker("  mode: fork\n  helper: t/help\n  command: \"${X}\"\n"), @r#"{"mode":"fork","helper":"t/help","command":"${X}","args":["{helper_path}"],"spares":1,"idle":60}"#);
    assert_snapshot!(worker(
        "  mode: oneshot\n  helper: t/help\n  command: x\n  args: [-s, \"{helper_path}\"]\n  keyed_by: [\"X*\"]\n  except: [XY]\n  spares: 3\n  idle: 5\n"
    ), @r#"{"mode":"oneshot","helper":"t/help","command":"x","args":["-s","{helper_path}"],"keyed_by":["X*"],"except":["XY"],"spares":3,"idle":5}"#);
    assert_snapshot!(worker(
        "  mode: spoon\n  helpr: t/help\n  command: 7\n  args: {a: b}\n  spares: 0\n  idle: soon\n"
    ), @r#"
    7:3: error: `worker.helpr` is unknown; did you mean `helper`?
    6:9: error: `worker.mode` has an unknown value `spoon`; known: fork, oneshot, session
    6:3: error: `worker.helper` is missing
    8:12: error: `worker.command` must be a text, not a number: write "7" in quotes
    9:9: error: `worker.args` must be a list of texts, not a map
    10:11: error: `worker.spares` must be a whole number from 1 to 64
    11:9: error: `worker.idle` must be a whole number from 1 to 86400null
    "#);
    assert_snapshot!(worker("  mode: session\n  idle: 9\n"), @r#"{"mode":"session","spares":1,"idle":9}"#);
    assert_snapshot!(worker("  mode: session\n  helper: t/help\n"), @r#"7:3: error: `worker.helper` is unknown; known: mode, idle{"mode":"session","spares":1,"idle":60}"#);
}

#[test]
fn absent_null_and_named_executors_differ() {
    let executor =
        |line: &str| extract("t/a.yaml", format!("version: 1.0.0\n{line}\n")).unwrap().metadata.executor_id;
    assert_snapshot!(
        format!("{:?} {:?} {:?}", executor(""), executor("executor_id: null"), executor("executor_id: x")),
        @r#"Absent Primitive Id("x")"#
    );
}

#[test]
fn a_library_needs_no_executor() {
    assert_eq!(problems("t/a.py", "'''d'''\n__version__ = '1.0.0'\n__tool_type__ = 'python_lib'"), "");
}

#[test]
fn broken_files_are_errors_with_their_place() {
    let lines = [
        problems("t/a.yaml", "a: 1\na: 2\n"),
        problems("t/a.yaml", "a: [1\n"),
        problems("t/a.yaml", "- 1\n"),
        problems("t/a.yaml", "a: 1\n---\nb: 2\n"),
        problems("t/a.yaml", "a: *b\n"),
        problems("t/a.yaml", "[a]: 1\n"),
        problems("t/a.json", r#"{"a": 1, "a": 2}"#),
        problems("t/a.json", "{\"a\": 1,\n}"),
        problems("t/a.json", "[1]"),
        problems("t/a.json", ""),
        problems("t/a.json", r#"{"a": 1e999}"#),
        problems("t/a.toml", "a = 1\na = 2\n"),
        problems("t/a.toml", "a = \n"),
        problems("t/a.toml", "a = 99999999999999999999\n"),
        problems("t/a.toml", "a = inf\n"),
        problems("k/a.md", "---\na: [\n---\n"),
    ];
    assert_snapshot!(lines.join("\n"), @r#"
    not valid YAML at 2:1: duplicate mapping key: a not allowed here
    not valid YAML at 1:4: unclosed bracket '['
    not valid YAML at 1:1: the file must be a map of fields, not a list
    not valid YAML at 3:1: only single YAML document expected but multiple found
    not valid YAML at 1:4: reference to unknown value
    not valid YAML: keys must be texts
    not valid JSON at 1:12: duplicate key `a`
    not valid JSON at 2:1: trailing comma
    not valid JSON: the file must be a map of fields, not a list
    not valid JSON at 1:1: EOF while parsing a value
    not valid JSON at 1:11: number out of range
    not valid TOML at 2:1: duplicate key
    not valid TOML at 1:5: string values must be quoted, expected literal string
    not valid TOML at 1:5: `99999999999999999999` does not fit into 64 bits
    not valid TOML at 1:5: numbers must be finite
    not valid Markdown at 2:4: unclosed bracket '['
    "#);
}

#[test]
fn words_that_only_look_like_booleans_stay_words() {
    let tool = "version: 1.0.0\ntool_type: shell\nexecutor_id: x\ndescription: d\nconfig: {on: yes, off: no, y: true}\n";
    let config = extract("t/a.yaml", tool).unwrap().metadata.config.unwrap();
    assert_eq!(serde_json::to_string(&config).unwrap(), r#"{"on":"yes","off":"no","y":true}"#);
}

#[test]
fn markdown_falls_back_to_its_body() {
    assert_snapshot!(show("guides/setup.md", "# Set up\n\nHow to\nset it up.\n\n- first\n"), @r##"
    {
      "name": "setup",
      "title": "Set up",
      "category": "guides",
      "description": "How to set it up.",
      "doc": "# Set up\n\nHow to\nset it up.\n\n- first"
    }
    "##);
    let directive = "<!-- rye:signed:v1:none -->\n---\nname: release\nversion: 1.0.0\ncategory: guides\n\
        inputs:\n  - {name: tag, required: true}\nmine: 1\n---\n\nRelease {input:tag}.\n";
    assert_snapshot!(show("guides/release.md", directive), @r#"
    {
      "name": "release",
      "version": "1.0.0",
      "category": "guides",
      "description": "Release {input:tag}.",
      "doc": "Release {input:tag}.",
      "inputs": [
        {
          "name": "tag",
          "required": true
        }
      ]
    }
    "#);
}
