//! `rye test`.

use insta::assert_snapshot;
use serde_json::json;

use crate::space::TestSpace;

/// A project with a shell tool that says its text, or fails with a code, and has these examples.
fn with_examples(examples: &str) -> TestSpace {
    let space = TestSpace::with_key();
    space.write(
        "project/.ai/tools/my/say.sh",
        format!(
            "#!/bin/bash\n# version: 1.0.0\n# tool_type: bash\n# executor_id: rye/core/runtimes/bash/bash\n\
             # description: Says a text\n# config: {{env: {{TEXT: \"{{text}}\"}}}}\n\
             # config_schema: {{type: object, properties: {{text: {{type: string}}}}, required: [text]}}\n\
             # examples: {examples}\n\
             [ \"$TEXT\" = no ] && {{ echo 'I say nothing' >&2; exit 3; }}\nprintf '%s' \"$TEXT\"\n"
        ),
    );
    space.run(["sign", "my/say"]);
    space
}

#[test]
fn what_comes_out_as_expected_passes() {
    let space = with_examples(
        "[{description: A text, params: {text: hello}, result: hello}, \
         {description: A number, params: {text: '[1, 2]'}, result: [1, 2.0]}, \
         {description: A part, params: {text: '{\"a\": {\"b\": \"long text\", \"c\": 1}}'}, contains: {a: {b: long}}}, \
         {description: A failure, params: {text: 'no'}, error: TOOL_FAILED}, \
         {description: Any failure, params: {text: 'no'}, status: error}, \
         {description: No text, params: {}, error: PARAMS_INVALID}, \
         {params: {text: x}, status: success}, \
         {description: An illustration, params: {text: x}}, \
         {description: The moon, params: {text: x}, needs: the moon, result: y}]",
    );
    assert_snapshot!(space.rye(["test", "my/say"]).show(), @"
    $ rye test my/say
    exit code: 0
    --- stdout
    passed   tool:my/say  A text
    passed   tool:my/say  A number
    passed   tool:my/say  A part
    passed   tool:my/say  A failure
    passed   tool:my/say  Any failure
    passed   tool:my/say  No text
    passed   tool:my/say  example 7
    skipped  tool:my/say  An illustration  it expects nothing
    skipped  tool:my/say  The moon         it needs the moon
    7 passed, 0 failed, 2 skipped
    ");
}

#[test]
fn what_comes_out_otherwise_is_shown() {
    let space = with_examples(
        "[{description: Another result, params: {text: '{\"b\": 2, \"a\": 1}'}, result: {a: 1, b: 3}}, \
         {description: Another text, params: {text: \"a\\nb\\n\"}, result: \"a\\nc\\n\"}, \
         {description: Less, params: {text: '{\"a\": [1]}'}, contains: {a: [2], b: 1}}, \
         {description: A failure, params: {text: 'no'}, result: 'no'}, \
         {description: No failure, params: {text: 'yes'}, error: TOOL_FAILED}, \
         {description: Another failure, params: {}, error: TOOL_FAILED}, \
         {description: Files, params: {text: a}, files: {a: b}, result: a}, \
         {description: A slip, parms: {}}, \
         {description: Fine, params: {text: a}, result: a}]",
    );
    assert_snapshot!(space.rye(["test", "my/*"]).show(), @r#"
    $ rye test 'my/*'
    exit code: 1
    --- stdout
    failed  tool:my/say  Another result
    failed  tool:my/say  Another text
    failed  tool:my/say  Less
    failed  tool:my/say  A failure
    failed  tool:my/say  No failure
    failed  tool:my/say  Another failure
    failed  tool:my/say  Files
    failed  tool:my/say  example 8
    passed  tool:my/say  Fine

    tool:my/say  Another result
      the result is another one
          {
            "a": 1,
        -   "b": 3
        +   "b": 2
          }

    tool:my/say  Another text
      the result is another one
          a
        - c
        + b

    tool:my/say  Less
      the result lacks something
        $.a[0] is 1: 2 was expected
        $.b is missing: 1 was expected

    tool:my/say  A failure
      failed with exit code 3 [TOOL_FAILED]
        I say nothing

    tool:my/say  No failure
      it succeeded with "yes"

    tool:my/say  Another failure
      TOOL_FAILED was expected: cannot run tool:my/say: `/text` is missing; run `rye execute my/say --help` to see its parameters [PARAMS_INVALID]

    tool:my/say  Files
      it brings `files`, and an item of a project runs in the project

    tool:my/say  example 8
      the example cannot be understood: no field of an example is called `parms`

    1 passed, 8 failed, 0 skipped
    "#);
    let report = space.rye(["test", "my/say"]).json();
    assert_eq!((&report["passed"], &report["failed"], &report["skipped"]), (&json!(1), &json!(8), &json!(0)));
    assert_eq!(
        report["examples"][2]["mismatches"][0]["details"],
        json!(["$.a[0] is 1: 2 was expected", "$.b is missing: 1 was expected"])
    );
}

#[test]
fn an_item_that_may_not_run_fails_with_what_to_do() {
    let space = with_examples("[{description: A text, params: {text: hello}, result: hello}]");
    space.write(
        "project/.ai/tools/my/say.sh",
        space.read("project/.ai/tools/my/say.sh").replace("A text", "The text"),
    );
    assert_snapshot!(space.rye(["test", "my/say"]).show(), @"
    $ rye test my/say
    exit code: 1
    --- stdout
    failed  tool:my/say  The text

    tool:my/say  The text
      tool:my/say cannot run: tool:my/say (`[SPACE]/project/.ai/tools/my/say.sh`) is refused: it was changed after it was signed by ada on [TIME]; look at `[SPACE]/project/.ai/tools/my/say.sh`, and if that is what shall run, run `rye sign my/say` [SIGNATURE_INVALID]

    0 passed, 1 failed, 0 skipped
    ");
}

#[test]
fn nothing_to_test_is_no_success() {
    let space = TestSpace::with_key();
    assert_snapshot!(space.rye(["test", "--all"]).show(), @"
    $ rye test --all
    exit code: 1
    --- stdout
    0 passed, 0 failed, 0 skipped
    --- stderr
    note: there are no `examples`; `rye test --help` tells how they look
    ");
    assert_snapshot!(space.rye(["test", "my/say"]).show(), @"
    $ rye test my/say
    exit code: 3
    --- stderr
    error: cannot find tool `my/say`: there is none in `[SPACE]/project/.ai/tools`, `[SPACE]/home/.ai/tools`, `<bundle>/tools` [ITEM_NOT_FOUND]
    hint: run `rye search say` to look for it
    ");
    assert_snapshot!(space.rye(["test", "my/**"]).show(), @"
    $ rye test 'my/**'
    exit code: 3
    --- stderr
    error: no item matches `my/**` [ITEM_NOT_FOUND]
    hint: `*` stays within one part of an id and `**` does not; `--space` chooses the space
    ");
    assert_snapshot!(space.rye(["test"]).show(), @"
    $ rye test
    exit code: 2
    --- stderr
    error: the following required arguments were not provided:
      <ID>...

    Usage: rye test <ID>...

    For more information, try '--help'.
    ");
}

#[test]
fn the_examples_of_the_program_pass_and_leave_nothing_behind() {
    let space = TestSpace::with_bundle();
    let report = space.rye(["test", "rye/**"]).json();
    let examples = report["examples"].as_array().unwrap();
    for example in examples {
        assert_ne!(example["verdict"], "failed", "{example:#}");
    }
    assert!(report["passed"].as_u64().unwrap() >= 20, "{report:#}");
    // Every one that is not run says why.
    for skipped in examples.iter().filter(|example| example["verdict"] == "skipped") {
        assert!(skipped["reason"].as_str().unwrap().starts_with("it needs a"), "{skipped:#}");
    }
    let left: Vec<_> =
        std::fs::read_dir(space.path("project")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".ai"]);
}
