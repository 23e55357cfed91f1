//! Parameters as they are typed.

use insta::assert_snapshot;

use super::{shell, stdout, tool, trusted};
use crate::space::TestSpace;

const SCHEMA: &str = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\n\
    description: Shows what it is given\nconfig: {command: cat, input_data: \"{params_json}\"}\n\
    config_schema:\n  type: object\n  required: [name]\n  additionalProperties: false\n  properties:\n\
    \x20   name: {type: string, description: Whom to greet}\n    count: {type: integer, minimum: 0}\n\
    \x20   ratio: {type: number}\n    tag: {type: array, items: {type: string}}\n\
    \x20   dry_clean: {type: boolean}\n    mode: {enum: [fast, slow], default: fast}\n\
    \x20   filter: {type: object}\n    timeout: {type: integer}\n";

fn space() -> TestSpace {
    let space = trusted();
    tool(&space, "t/show.yaml", SCHEMA);
    space
}

#[test]
fn each_type_is_understood() {
    let space = space();
    for (args, expect) in [
        (vec!["--name", "Alice"], r#"{"name":"Alice","mode":"fast"}"#),
        (vec!["--name", "3", "--count", "3"], r#"{"name":"3","count":3,"mode":"fast"}"#),
        (vec!["--name=a=b", "--ratio", "1.50"], r#"{"name":"a=b","ratio":1.50,"mode":"fast"}"#),
        (vec!["--name", "x", "--tag", "a", "--tag", "-b"], r#"{"name":"x","tag":["a","-b"],"mode":"fast"}"#),
        (vec!["--dry-clean", "--name", "x"], r#"{"dry_clean":true,"name":"x","mode":"fast"}"#),
        (vec!["--name", "x", "--no-dry_clean"], r#"{"name":"x","dry_clean":false,"mode":"fast"}"#),
        (vec!["--name", "x", "--mode", "slow"], r#"{"name":"x","mode":"slow"}"#),
        (vec!["--name", "x", "--filter", r#"{"a":1}"#], r#"{"name":"x","filter":{"a":1},"mode":"fast"}"#),
        (vec!["--name", "x", "--timeout", "5"], r#"{"name":"x","timeout":5,"mode":"fast"}"#),
        (
            vec!["--params", r#"{"name":"y","count":1}"#, "--name", "x"],
            r#"{"count":1,"name":"x","mode":"fast"}"#,
        ),
    ] {
        let args: Vec<&str> = std::iter::once("t/show").chain(args).collect();
        assert_eq!(stdout(&space, &args), expect, "{args:?}");
    }
}

#[test]
fn parameters_come_from_files_and_from_standard_input() {
    let space = space();
    let file = space.write("p.json", r#"{"name": "file"}"#);
    let printed = stdout(&space, &["t/show", "--params", &format!("@{}", file.display())]);
    assert_eq!(printed, r#"{"name":"file","mode":"fast"}"#);
    let mut command = space.rye(["execute", "t/show", "--params", "-"]).command();
    command.stdin(std::fs::File::open(&file).unwrap());
    assert_eq!(command.output().unwrap().stdout, br#"{"name":"file","mode":"fast"}"#);
}

#[test]
fn help_comes_from_the_schema() {
    assert_snapshot!(space().rye(["execute", "t/show", "--help"]).show(), @r#"
    $ rye execute t/show --help
    exit code: 0
    --- stdout
    Shows what it is given

    Usage: rye execute t/show [--NAME VALUE]…

    Parameters:
      --name TEXT        Whom to greet [required]
      --count INTEGER    
      --ratio NUMBER     
      --tag TEXT…        
      --dry_clean        
      --mode TEXT        [one of "fast", "slow"] [default: "fast"]
      --filter JSON      
      --timeout INTEGER
    "#);
}

#[test]
fn what_is_wrong_is_explained() {
    let space = space();
    for args in [
        vec!["--nam", "x"],
        vec!["--count", "many", "--name", "x"],
        vec!["--name"],
        vec!["Alice"],
        vec!["--name", "x", "--name", "y"],
        vec!["--name", "x", "--params", "{"],
    ] {
        let shown = space.rye(["execute", "t/show"].into_iter().chain(args.iter().copied())).show();
        assert!(shown.contains("error: "), "{shown}");
    }
    assert_snapshot!(space.rye(["execute", "t/show", "--nam", "x"]).show(), @"
    $ rye execute t/show --nam x
    exit code: 2
    --- stderr
    error: `t/show` has no parameter `--nam`; did you mean `--name`? [USAGE]
    hint: run `rye execute t/show --help` to see its parameters
    ");
    assert_snapshot!(space.rye(["execute", "t/show", "--name", "x", "--count", "many"]).show(), @"
    $ rye execute t/show --name x --count many
    exit code: 2
    --- stderr
    error: `--count`: `many` is not a whole number [USAGE]
    hint: run `rye execute t/show --help` to see its parameters
    ");
    assert_snapshot!(space.rye(["execute", "t/show", "Alice"]).show(), @"
    $ rye execute t/show Alice
    exit code: 2
    --- stderr
    error: `Alice` is not a parameter: parameters are given as `--name value` [USAGE]
    hint: run `rye execute t/show --help` to see its parameters
    ");
    assert_snapshot!(space.rye(["execute", "t/show", "--params", "{\"name\": 1, \"count\": -1, \"nmae\": 2}"]).show(), @r#"
    $ rye execute t/show --params '{"name": 1, "count": -1, "nmae": 2}'
    exit code: 3
    --- stderr
    error: cannot run tool:t/show: `/name` must be a string, not an integer
    `/count` must be at least 0
    `/nmae` is unknown, did you mean `name`? [PARAMS_INVALID]
    hint: run `rye execute t/show --help` to see its parameters
    "#);
    assert_snapshot!(space.rye(["execute", "t/show", "--params", "{\"a\": 1,}"]).show(), @r#"
    $ rye execute t/show --params '{"a": 1,}'
    exit code: 3
    --- stderr
    error: the parameters cannot be read: not valid JSON at 1:9: key must be a string [PARAMS_INVALID]
    hint: give a JSON object, such as `--params '{"name": "Alice"}'`
    "#);
    assert_snapshot!(space.rye(["execute"]).show(), @"
    $ rye execute
    exit code: 2
    --- stderr
    error: no item was named [USAGE]
    hint: run `rye search` to find one, then `rye execute ID`
    ");
}

#[test]
fn a_tool_without_a_schema_takes_any_name() {
    let space = trusted();
    tool(&space, "t/any.sh", &shell("cat"));
    assert_eq!(stdout(&space, &["t/any", "--some-thing", "3"]), r#"{"some-thing":"3"}"#);
}
