//! JavaScript and TypeScript files.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{extract, problems, show};

const HEAD: &str = "/** Does it. */ export const __tool_type__ = 'node', __executor_id__ = 'x'; // ok\n";

fn config(literal: &str) -> Value {
    let tool = format!("{HEAD}export const CONFIG = {{x: {literal}}};\n");
    let extraction = extract("t/a.ts", &tool).unwrap();
    assert!(!extraction.has_errors(), "{literal}: {:?}", extraction.problems);
    extraction.metadata.config.unwrap().remove("x").unwrap()
}

#[test]
fn literals() {
    let check = |literal: &str, expect: Value| assert_eq!(config(literal), expect, "{literal}");
    check("null", Value::Null);
    check("undefined", Value::Null);
    check("void 0", Value::Null);
    check("true", json!(true));
    check("-7", json!(-7));
    check("1.0", json!(1));
    check("1.5", json!(1.5));
    check("0xff", json!(255));
    check("1_000", json!(1000));
    check("1e21", json!(1e21));
    check("10n", json!(10));
    check("-10n", json!(-10));
    check("'a\\u00e4\\x41\\n'", json!("aäA\n"));
    check("'\\ud83d\\ude00'", json!("😀"));
    check("`a\nb\\n`", json!("a\nb\n"));
    check("[1, [2], {a: 3}]", json!([1, [2], {"a": 3}]));
    check("{b: 1, 'a-b': 2, 3: 4, b: 5}", json!({"b": 5, "a-b": 2, "3": 4}));
    check("({a: 1} as const)", json!({"a": 1}));
    check("{a: ['b'] as string[]} satisfies T", json!({"a": ["b"]}));
    check("<T>{a: 1}", json!({"a": 1}));
    check("'a'!", json!("a"));
    assert_eq!(config("{z: 1, a: 2, m: 3}").to_string(), r#"{"z":1,"a":2,"m":3}"#);
}

#[test]
fn what_is_not_literal_is_refused_with_reason_and_place() {
    let values = [
        "a",
        "a.b",
        "a?.b",
        "f()",
        "new F()",
        "`${a}`",
        "tag`a`",
        "/a/",
        "1 + 1",
        "!1",
        "-x",
        "() => 1",
        "function () {}",
        "class {}",
        "[...a]",
        "[1, , 2]",
        "{...a}",
        "{[a]: 1}",
        "{a() {}}",
        "{get a() { return 1 }}",
        "{a}",
        "{__proto__: {}}",
        "a ? 1 : 2",
        "a = 1",
        "18446744073709551616n",
        "1e999",
        "'\\ud800'",
    ];
    let lines = values.map(|value| {
        let tool = format!("{HEAD}export const VERSION = '1.0.0';\nexport const CONFIG = {{x: {value}}};\n");
        format!("{value:<24} {}", problems("t/a.mjs", tool))
    });
    assert_snapshot!(lines.join("\n"), @r#"
    a                        3:27: error: `config` cannot be read: `CONFIG` is not a literal: a name
    a.b                      3:27: error: `config` cannot be read: `CONFIG` is not a literal: a member of something
    a?.b                     3:27: error: `config` cannot be read: `CONFIG` is not a literal: a member of something
    f()                      3:27: error: `config` cannot be read: `CONFIG` is not a literal: a call
    new F()                  3:27: error: `config` cannot be read: `CONFIG` is not a literal: a call
    `${a}`                   3:27: error: `config` cannot be read: `CONFIG` is not a literal: a template with substitutions
    tag`a`                   3:27: error: `config` cannot be read: `CONFIG` is not a literal: a tagged template
    /a/                      3:27: error: `config` cannot be read: `CONFIG` is not a literal: a regular expression
    1 + 1                    3:27: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    !1                       3:27: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    -x                       3:27: error: `config` cannot be read: `CONFIG` is not a literal: an operator
    () => 1                  3:27: error: `config` cannot be read: `CONFIG` is not a literal: a function
    function () {}           3:27: error: `config` cannot be read: `CONFIG` is not a literal: a function
    class {}                 3:27: error: `config` cannot be read: `CONFIG` is not a literal: a class
    [...a]                   3:28: error: `config` cannot be read: `CONFIG` is not a literal: `...` spreading
    [1, , 2]                 3:31: error: `config` cannot be read: `CONFIG` has a list with a hole
    {...a}                   3:28: error: `config` cannot be read: `CONFIG` is not a literal: `...` spreading
    {[a]: 1}                 3:28: error: `config` cannot be read: `CONFIG` is not a literal: a computed key
    {a() {}}                 3:28: error: `config` cannot be read: `CONFIG` is not a literal: a function
    {get a() { return 1 }}   3:28: error: `config` cannot be read: `CONFIG` is not a literal: a function
    {a}                      3:28: error: `config` cannot be read: `CONFIG` is not a literal: a name
    {__proto__: {}}          3:28: error: `config` cannot be read: `CONFIG` is not a literal: `__proto__` sets the prototype
    a ? 1 : 2                3:27: error: `config` cannot be read: `CONFIG` is not a literal: a conditional expression
    a = 1                    3:27: error: `config` cannot be read: `CONFIG` is not a literal: an assignment
    18446744073709551616n    3:27: error: `config` cannot be read: `CONFIG` has an integer that does not fit into 64 bits
    1e999                    3:27: error: `config` cannot be read: `CONFIG` has a number that is not finite
    '\ud800'                 3:27: error: `config` cannot be read: `CONFIG` has a text with a lone surrogate
    "#);
}

#[test]
fn ways_to_say_it() {
    let tools = [
        ("t/a.mjs", "export const version = '1.0.0'"),
        ("t/a.mjs", "const v = '1.0.0'; export { v as version }"),
        ("t/a.mjs", "export default { version: '1.0.0', run() {} }"),
        ("t/a.mjs", "export { version } from './other.mjs'"),
        ("t/a.mjs", "const version = '1.0.0'"),
        ("t/a.mjs", "import { VERSION } from './version.mjs'"),
        ("t/a.mjs", "export const VERSION = read()"),
        ("t/a.mjs", "export const version = read()"),
        ("t/a.mjs", "export let VERSION = '1.0.0'; VERSION = '2.0.0'"),
        ("t/a.mjs", "export const [VERSION] = ['1.0.0']"),
        ("t/a.mjs", "/** Does it.\n * @version 1.0.0 */\nexport function run() {}"),
        ("t/a.mjs", "import x from 'x'\n/** @version 1.0.0 */\nx()"),
        ("t/a.mjs", "export function run() {}\n/** @version 1.0.0 */"),
        ("t/a.cjs", "module.exports = { version: '1.0.0' }"),
        ("t/a.cjs", "const version = '1.0.0'; module.exports = { version, run }"),
        ("t/a.cjs", "exports.version = '1.0.0'"),
        ("t/a.cjs", "exports.version = void 0; exports.version = '1.0.0'"),
        ("t/a.cjs", "module.exports.version = '1.0.0'; return"),
        ("t/a.js", "'use strict'\nvar VERSION = '1.0.0'\nmodule.exports = function () {}"),
        ("t/a.js", "#!/usr/bin/env node\n// rye:signed:v1\nexport const __version__ = `1.0.0`"),
        ("t/a.ts", "export const VERSION: string = '1.0.0' as const"),
        ("t/a.ts", "const VERSION = '1.0.0'\nexport = { VERSION }"),
        ("t/a.cts", "export = { version: '1.0.0' }"),
    ];
    let lines = tools.map(|(path, tool)| {
        let extraction = extract(path, tool).unwrap();
        let about_version = extraction.problems.iter().find(|problem| problem.field == "version");
        let problem = about_version.map(ToString::to_string).unwrap_or_default();
        format!("{path} {tool:?}\n  {:?} {problem}", extraction.metadata.version).trim_end().to_owned()
    });
    assert_snapshot!(lines.join("\n"), @r##"
    t/a.mjs "export const version = '1.0.0'"
      Some("1.0.0")
    t/a.mjs "const v = '1.0.0'; export { v as version }"
      Some("1.0.0")
    t/a.mjs "export default { version: '1.0.0', run() {} }"
      Some("1.0.0")
    t/a.mjs "export { version } from './other.mjs'"
      None warning: `version` is missing
    t/a.mjs "const version = '1.0.0'"
      None warning: `version` is missing
    t/a.mjs "import { VERSION } from './version.mjs'"
      None 1:10: error: `version` cannot be read: `VERSION` is imported, not a literal
    t/a.mjs "export const VERSION = read()"
      None 1:24: error: `version` cannot be read: `VERSION` is not a literal: a call
    t/a.mjs "export const version = read()"
      None warning: `version` is missing
    t/a.mjs "export let VERSION = '1.0.0'; VERSION = '2.0.0'"
      None 1:31: error: `version` cannot be read: `VERSION` is assigned more than once
    t/a.mjs "export const [VERSION] = ['1.0.0']"
      None 1:15: error: `version` cannot be read: `VERSION` is assigned by destructuring, not from a literal of its own
    t/a.mjs "/** Does it.\n * @version 1.0.0 */\nexport function run() {}"
      Some("1.0.0")
    t/a.mjs "import x from 'x'\n/** @version 1.0.0 */\nx()"
      Some("1.0.0")
    t/a.mjs "export function run() {}\n/** @version 1.0.0 */"
      None warning: `version` is missing
    t/a.cjs "module.exports = { version: '1.0.0' }"
      Some("1.0.0")
    t/a.cjs "const version = '1.0.0'; module.exports = { version, run }"
      Some("1.0.0")
    t/a.cjs "exports.version = '1.0.0'"
      Some("1.0.0")
    t/a.cjs "exports.version = void 0; exports.version = '1.0.0'"
      Some("1.0.0")
    t/a.cjs "module.exports.version = '1.0.0'; return"
      Some("1.0.0")
    t/a.js "'use strict'\nvar VERSION = '1.0.0'\nmodule.exports = function () {}"
      Some("1.0.0")
    t/a.js "#!/usr/bin/env node\n// rye:signed:v1\nexport const __version__ = `1.0.0`"
      Some("1.0.0")
    t/a.ts "export const VERSION: string = '1.0.0' as const"
      Some("1.0.0")
    t/a.ts "const VERSION = '1.0.0'\nexport = { VERSION }"
      Some("1.0.0")
    t/a.cts "export = { version: '1.0.0' }"
      Some("1.0.0")
    "##);
}

#[test]
fn a_whole_tool() {
    let tool = r#"#!/usr/bin/env tsx
// rye:signed:v1:none
import { readFile } from "node:fs/promises";

/**
 * Counts the words
 * of a file.
 *
 * Punctuation does not count.
 * @tags text, count
 */
export const __version__ = "1.2.0";
export const __tool_type__ = "node";
export const __executor_id__ = "rye/core/runtimes/node/node";
export const CONFIG_SCHEMA = {
  type: "object",
  properties: { path: { type: "string", description: `The file` } },
  required: ["path"],
} as const satisfies Schema;

export async function execute({ path }: { path: string }): Promise<{ words: number }> {
  const text = await readFile(path, "utf8");
  return { words: text.split(/\s+/).filter((word) => /[^"'`]/.test(word)).length };
}
"#;
    assert_snapshot!(show("text/count.ts", tool), @r#"
    {
      "name": "count",
      "version": "1.2.0",
      "tool_type": "node",
      "executor_id": "rye/core/runtimes/node/node",
      "category": "text",
      "description": "Counts the words of a file.",
      "doc": "Counts the words\nof a file.\n\nPunctuation does not count.",
      "tags": [
        "text",
        "count"
      ],
      "config_schema": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string",
            "description": "The file"
          }
        },
        "required": [
          "path"
        ]
      }
    }
    "#);
}

#[test]
fn a_file_that_does_not_parse_is_an_error_with_its_place() {
    let lines = [
        show("t/a.mjs", "const a = 1\nconst b = ;\n"),
        show("t/a.mjs", "const a = {\n"),
        show("t/a.mjs", "const a: string = 1\n"),
        show("t/a.ts", "const a: = 1\n"),
        show("t/a.js", "const a = <b>c</b>\n"),
        show("t/a.js", "'abc\n"),
    ];
    assert_snapshot!(lines.join("\n"), @r#"
    cannot read the metadata of `t/a.mjs`: not valid JavaScript at 2:11: Unexpected token
    cannot read the metadata of `t/a.mjs`: not valid JavaScript at 2:1: Expected `}` but found `EOF`
    cannot read the metadata of `t/a.mjs`: not valid JavaScript at 1:7: Missing initializer in const declaration
    cannot read the metadata of `t/a.ts`: not valid TypeScript at 1:10: Unexpected token
    cannot read the metadata of `t/a.js`: not valid JavaScript at 1:11: Unexpected JSX expression
    cannot read the metadata of `t/a.js`: not valid JavaScript at 1:1: Unterminated string
    "#);
}
