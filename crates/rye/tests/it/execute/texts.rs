//! Directives and knowledge.

use insta::assert_snapshot;

use super::trusted;

#[test]
fn a_directive_is_rendered() {
    let space = trusted();
    space.write(
        "project/.ai/directives/my/greet.md",
        "---\nversion: \"1.0.0\"\ndescription: Greets\n---\nSay hello to {input:name}, {input:tone:kindly}{input:more?}.\n{input:x y} {x}\n",
    );
    space.run(["sign", "--kind", "directive", "my/greet"]);
    let execute = ["execute", "--kind", "directive", "my/greet"];
    assert_snapshot!(space.rye(execute.into_iter().chain(["--name", "{input:tone}"])).show(), @"
    $ rye execute --kind directive my/greet --name '{input:tone}'
    exit code: 0
    --- stdout
    Say hello to {input:tone}, kindly.
    {input:x y} {x}
    (no newline at the end)
    ");
    assert_snapshot!(space.rye(execute).show(), @"
    $ rye execute --kind directive my/greet
    exit code: 3
    --- stderr
    error: directive:my/greet needs `name` [PARAMS_INVALID]
    hint: run `rye execute --kind directive my/greet --help` to see its parameters
    ");
}

#[test]
fn knowledge_is_its_content() {
    let space = trusted();
    space.write(
        "project/.ai/knowledge/my/note.md",
        "---\nversion: \"1.0.0\"\ndescription: A note\n---\nWater is {input:wet}.\n",
    );
    assert_snapshot!(space.rye(["execute", "--kind", "knowledge", "my/note"]).show(), @"
    $ rye execute --kind knowledge my/note
    exit code: 3
    --- stderr
    error: knowledge:my/note (`[SPACE]/project/.ai/knowledge/my/note.md`) is refused: it is not signed [UNSIGNED]
    hint: run `rye sign my/note --kind knowledge`
    ");
    space.run(["sign", "--kind", "knowledge", "my/note"]);
    assert_snapshot!(space.rye(["execute", "--kind", "knowledge", "my/note"]).show(), @"
    $ rye execute --kind knowledge my/note
    exit code: 0
    --- stdout
    Water is {input:wet}.
    (no newline at the end)
    ");
}
