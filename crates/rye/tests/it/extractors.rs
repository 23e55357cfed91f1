//! A project that brings its own language.

use insta::assert_snapshot;

use crate::library::library;
use crate::space::TestSpace;

const LUA: &str = r#"version: "1.0.0"
tool_type: extractor
executor_id: null
description: "Finds the metadata of scripts in Lua"
config:
  extensions: [lua]
  parser: text
  signature: {prefix: "--", after_shebang: true}
  rules:
    name: {type: filename}
    category: {type: category_path}
    version: {type: regex, pattern: '^--[ \t]*version:[ \t]+(.+)$'}
    tool_type: {type: regex, pattern: '^--[ \t]*tool_type:[ \t]+(.+)$'}
    executor_id: {type: regex, pattern: '^--[ \t]*executor_id:[ \t]+(.+)$'}
    description: {type: regex, pattern: '^--[ \t]*description:[ \t]+(.+)$'}
  validation:
    required: [tool_type, executor_id]
  search: {name: 4, description: 2}
"#;

const SING: &str = "#!/usr/bin/env lua\n-- version: 0.3.0\n-- tool_type: script\n-- executor_id: lua_runtime\n-- description: Sings a madrigal\nprint(1)\n";

const EXTRACTOR: &str = ".ai/tools/rye/core/extractors/lua.yaml";

/// A tool in Lua in each space.
fn with_lua() -> TestSpace {
    let space = library();
    space.write("project/.ai/tools/music/sing.lua", SING);
    space.write("home/.ai/tools/music/hum.lua", SING);
    space.write("system/tools/music/whistle.lua", SING);
    space
}

#[test]
fn its_tools_are_found_at_once() {
    let space = with_lua();
    assert_eq!(space.found(["madrigal"]), [""; 0]);
    assert_snapshot!(space.rye(["load", "music/sing"]).show(), @"
    $ rye load music/sing
    exit code: 3
    --- stderr
    error: cannot find tool `music/sing`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `[SPACE]/system/tools` [ITEM_NOT_FOUND]
    hint: run `rye search sing` to look for it
    ");
    space.write(&format!("project/{EXTRACTOR}"), LUA);
    assert_snapshot!(space.rye(["search", "madrigal"]).show(), @"
    $ rye search madrigal
    exit code: 0
    --- stdout
    tool  music/sing  project  0.3.0  Sings a madrigal  unsigned
    1 to 1 of 1
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(["load", "sing"]).show(), @"
    $ rye load sing
    exit code: 0
    --- stdout
    tool         music/sing
    space        project
    path         [SPACE]/project/.ai/tools/music/sing.lua
    digest       639198a0[…]
    refused      the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    version      0.3.0
    type         script
    category     music
    description  Sings a madrigal
    executor     lua_runtime

    #!/usr/bin/env lua
    -- version: 0.3.0
    -- tool_type: script
    -- executor_id: lua_runtime
    -- description: Sings a madrigal
    print(1)
    ");
}

#[test]
fn it_serves_its_own_space_and_higher_ones() {
    let space = with_lua();
    space.write(&format!("project/{EXTRACTOR}"), LUA);
    assert_eq!(space.found(["madrigal"]), ["music/sing"]);
    for id in ["music/hum", "music/whistle"] {
        assert_eq!(space.rye(["load", id]).output().status.code(), Some(3), "{id}");
    }
    space.remove(&format!("project/{EXTRACTOR}"));
    space.write(&format!("home/{EXTRACTOR}"), LUA);
    assert_eq!(space.found(["madrigal"]), ["music/hum", "music/sing"]);
    space.write("system/tools/rye/core/extractors/lua.yaml", LUA);
    assert_eq!(space.found(["madrigal"]), ["music/hum", "music/sing", "music/whistle"]);
}

#[test]
fn it_does_not_change_what_others_mean() {
    let space = library();
    let python = LUA.replace("[lua]", "[py]").replace("'^--", "'^#");
    space.write("project/.ai/tools/rye/core/extractors/python.yaml", python);
    let of =
        |space_name: &str| space.rye(["load", "vcs/git", "--from", space_name]).json()["metadata"].clone();
    assert_eq!(of("project")["description"], serde_json::Value::Null);
    assert_eq!(of("user")["description"], "Runs git for the user.");
}

#[test]
fn a_change_of_it_is_seen_at_once() {
    let space = with_lua();
    space.write(&format!("project/{EXTRACTOR}"), LUA);
    assert_eq!(space.rye(["load", "sing"]).json()["metadata"]["description"], "Sings a madrigal");
    space.write(&format!("project/{EXTRACTOR}"), LUA.replace("description:[", "version:["));
    assert_eq!(space.rye(["load", "sing"]).json()["metadata"]["description"], "0.3.0");
    assert_eq!(space.found(["madrigal"]), [""; 0]);
    space.remove(&format!("project/{EXTRACTOR}"));
    assert_eq!(space.found(["sing"]), [""; 0]);
}

#[test]
fn a_broken_one_is_a_note() {
    let space = with_lua();
    space.write(&format!("project/{EXTRACTOR}"), LUA.replace("parser: text", "parser: lua"));
    assert_snapshot!(space.rye(["search", "fetches"]).show(), @"
    $ rye search fetches
    exit code: 0
    --- stdout
    tool  net/fetch  user  1.0.0  Fetches a page of the web  unsigned
    1 to 1 of 1
    --- stderr
    note: cannot use the extractor `[SPACE]/project/.ai/tools/rye/core/extractors/lua.yaml`: invalid extractor: 7:11: error: `config.parser` has an unknown value `lua`; known: python, javascript, typescript, yaml, json, toml, markdown, text
    ");
    space.write(&format!("project/{EXTRACTOR}"), "config: [\n");
    assert_snapshot!(space.rye(["search", "fetches"]).show(), @"
    $ rye search fetches
    exit code: 0
    --- stdout
    tool  net/fetch  user  1.0.0  Fetches a page of the web  unsigned
    1 to 1 of 1
    --- stderr
    note: cannot use the extractor `[SPACE]/project/.ai/tools/rye/core/extractors/lua.yaml`: invalid extractor: not valid YAML at 1:9: unclosed bracket '['
    ");
    let found = space.rye(["search", "fetches"]).json();
    assert_eq!(found["notes"].as_array().map(Vec::len), Some(1));
    assert_eq!(space.rye(["load", "net/fetch"]).output().status.code(), Some(0));
}
