//! Extractor files themselves.

use insta::assert_snapshot;
use rye_metadata::{Extractor, Field, ItemPath};

use crate::support::{BUNDLED, extractor_for, problems};

fn refused(text: &str) -> String {
    Extractor::parse(text.as_bytes()).unwrap_err().kind.to_string()
}

#[test]
fn the_bundled_ones_are_valid_tools_without_problems() {
    for (name, text) in BUNDLED {
        assert_eq!(problems(&format!("rye/core/extractors/{name}.yaml"), text), "", "{name}");
    }
}

#[test]
fn the_bundled_ones_say_how_files_are_signed() {
    let lines = BUNDLED.map(|(name, text)| {
        let extractor = Extractor::parse(text.as_bytes()).unwrap();
        let signature = extractor.signature().map(|comment| {
            let shebang = if comment.after_shebang { "after #!" } else { "first" };
            format!("{}…{} {shebang}", comment.prefix, comment.suffix)
        });
        format!("{name}: {} by {}, {signature:?}", extractor.extensions().join(" "), extractor.parser())
    });
    assert_snapshot!(lines.join("\n"), @r##"
    javascript: js mjs cjs by JavaScript, Some("//… after #!")
    json: json by JSON, None
    markdown: md markdown by Markdown, Some("<!--…--> first")
    python: py by Python, Some("#… after #!")
    shell: sh bash by text, Some("#… after #!")
    toml: toml by TOML, Some("#… first")
    typescript: ts mts cts by TypeScript, Some("//… after #!")
    yaml: yaml yml by YAML, Some("#… first")
    "##);
    assert_eq!(extractor_for("py").search_weights()[0], (Field::Name, 4.0));
}

#[test]
fn an_extractor_for_another_language() {
    let extractor = Extractor::parse(
        br#"
version: "1.0.0"
tool_type: extractor
executor_id: null
config:
  extensions: [.lua]
  parser: text
  signature: {prefix: "--"}
  rules:
    name: {type: filename}
    category: {type: category_path}
    version: {type: regex, pattern: '^-- @version (\S+)'}
    tags: {type: regex_all, pattern: '^-- @tag (\w+)'}
    config: {type: regex, pattern: '^-- @config (.+)$', format: yaml}
"#,
    )
    .unwrap();
    let source = b"-- @version 0.1.0\r\n-- @tag a\r\n-- @tag b\r\n-- @config {x: [1, 2]}\r\nprint(1)\r\n";
    let extraction = extractor.extract(ItemPath::new("games/chess.lua"), source).unwrap();
    assert_snapshot!(serde_json::to_string(&extraction.metadata).unwrap(), @r#"{"name":"chess","version":"0.1.0","category":"games","tags":["a","b"],"config":{"x":[1,2]}}"#);
    assert_eq!(extraction.problems, []);
}

#[test]
fn every_problem_of_an_extractor_is_reported_at_once() {
    let text = r##"
version: "1.0.0"
tool_type: extractor
descripton: typo
config:
  extensions: [.rb, "a/b", ""]
  parser: text
  signatur: {prefix: "#"}
  signature: {prefix: "rye:signed", suffix: "-->\n"}
  rules:
    versoin: {type: filename}
    name: {type: ast_var, name: x}
    title: {type: path}
    doc: {type: ast_docstring}
    version: {type: regexp, pattern: a}
    tags: [{type: regex_all, pattern: 'no group'}, {type: regex, pattern: '(a)(b)'}, {type: regex, pattern: '('}]
    entry: {type: regex, patern: '(a)'}
    config: {pattern: '(a)'}
    server: {type: regex, pattern: '(\w{1000}{1000})'}
  validation: {required: [nam], semver: version, unknown_fields: deny}
  search: {name: heavy, descriptoin: 1}
"##;
    assert_snapshot!(refused(text), @r#"
    4:1: error: `descripton` is unknown; did you mean `description`?
    8:3: error: `config.signatur` is unknown; did you mean `signature`?
    6:28: error: `config.extensions.2` must not be empty
    6:15: error: `config.extensions` has an extension `a/b` that no file name can have
    9:23: error: `config.signature.prefix` must be at most 8 punctuation marks
    20:27: error: `config.validation.required` has an unknown value `nam`; did you mean `name`?
    20:41: error: `config.validation.semver` must be a list, not a text
    21:18: error: `config.search.name` must be a number from 0 to 1000
    21:25: error: `config.search.descriptoin` is no metadata field; did you mean `description`?
    20:66: error: `config.validation.unknown_fields` cannot be `deny` for text files, which have other things in them than metadata
    11:5: error: `config.rules.versoin` is no metadata field; did you mean `version`?
    12:18: error: `config.rules.name` finds nothing: `ast_var` with these options does not apply to text files
    13:19: error: `config.rules.title` finds nothing: `path` with these options does not apply to text files
    14:17: error: `config.rules.doc` finds nothing: `ast_docstring` with these options does not apply to text files
    15:21: error: `config.rules.version.type` has an unknown value `regexp`; did you mean `regex`?
    16:39: error: `config.rules.tags.0.pattern` must have one group, which is the value, not 0
    16:75: error: `config.rules.tags.1.pattern` must have one group, which is the value, not 2
    16:109: error: `config.rules.tags.2.pattern` is not a regular expression: unclosed group
    17:26: error: `config.rules.entry.patern` is unknown; did you mean `pattern`?
    17:12: error: `config.rules.entry.pattern` is missing
    18:13: error: `config.rules.config` has no `type`; known: ast_var, ast_docstring, path, regex, regex_all, filename, category_path
    19:36: error: `config.rules.server.pattern` is not a regular expression: Compiled regex exceeds size limit of 524288 bytes.
    "#);
}

#[test]
fn files_that_are_no_extractors() {
    let lines = [
        refused("a: ["),
        refused("tool_type: runtime\nconfig: {}"),
        refused("tool_type: extractor"),
        refused("tool_type: extractor\nconfig: {extensions: [x], rules: {}, parser: pyhton}"),
        refused(
            "tool_type: extractor\nconfig: {extensions: [x], rules: {name: {type: ast_var, name: a, exported: true}}, parser: python}",
        ),
    ];
    assert_snapshot!(lines.join("\n"), @r#"
    not valid YAML at 1:4: unclosed bracket '['
    1:12: error: `tool_type` must be `extractor`, not `runtime`
    1:1: error: `config` is missing
    2:46: error: `config.parser` has an unknown value `pyhton`; did you mean `python`?
    2:48: error: `config.rules.name` finds nothing: `ast_var` with these options does not apply to Python files
    "#);
}
