//! What each form of a query finds.

use insta::assert_snapshot;

use crate::library::library;

#[track_caller]
fn check(query: &[&str], expect: &[&str]) {
    assert_eq!(library().found(query.iter().copied()), expect, "{query:?}");
}

#[test]
fn words_are_joined_by_and() {
    assert_snapshot!(library().rye(["search", "lines", "text", "--sort", "id"]).show(), @"
    $ rye search lines text --sort id
    exit code: 0
    --- stdout
    tool  text/cat   project  2.0.0   Prints the lines of a text  unsigned
    tool  text/sort  project  1.10.0  Sorts the lines of a text   unsigned
    1 to 2 of 2
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    check(&["lines"], &["text/cat", "text/sort"]);
    check(&["lines", "AND", "text"], &["text/cat", "text/sort"]);
    check(&["sorts", "lines"], &["text/sort"]);
    check(&["sorts lines"], &["text/sort"]);
}

#[test]
fn operators_and_parentheses_combine() {
    check(&["sorts", "OR", "fetches"], &["net/fetch", "text/sort"]);
    check(&["lines", "NOT", "sorts"], &["text/cat"]);
    check(&["lines -sorts"], &["text/cat"]);
    check(&["(sorts OR prints) AND lines"], &["text/cat", "text/sort"]);
    check(&["(sorts OR fetches) NOT page"], &["text/sort"]);
}

#[test]
fn a_phrase_keeps_its_order() {
    check(&[r#""lines of a text""#], &["text/cat", "text/sort"]);
    check(&[r#""text of a lines""#], &[]);
    check(&[r#""commit with care""#], &["review"]);
}

#[test]
fn an_asterisk_stands_for_any_end() {
    check(&["fet*"], &["net/fetch"]);
    check(&["comm*", "--kind", "directive"], &["review"]);
    check(&["xyz*"], &[]);
}

#[test]
fn a_field_has_a_value() {
    check(&["kind:directive"], &["review"]);
    check(&["kind:knowledge"], &["style/commits"]);
    check(&["space:user"], &["net/fetch", "vcs/git"]);
    check(&["category:text"], &["text/cat", "text/sort"]);
    check(&["executor:python_runtime", "space:project"], &["vcs/git"]);
    check(&["tag:web"], &["net/fetch"]);
    check(&["version:2.*"], &["text/cat"]);
    check(&["tag:git", "NOT", "kind:tool"], &["review"]);
    check(&["lines version:1.10.0"], &["text/sort"]);
}

#[test]
fn a_slip_of_the_pen_is_forgiven() {
    assert_snapshot!(library().rye(["search", "pyhton"]).show(), @"
    $ rye search pyhton
    exit code: 0
    --- stdout
    tool  rye/core/extractors/python  system  1.0.0  Finds the metadata of Python files  unsigned
    1 to 1 of 1
    ");
    assert_snapshot!(library().rye(["search", "fecthes", "pgae"]).show(), @"
    $ rye search fecthes pgae
    exit code: 0
    --- stdout
    tool  net/fetch  user  1.0.0  Fetches a page of the web  unsigned
    1 to 1 of 1
    ");
    let found = library().rye(["search", "pyhton"]).json();
    assert_eq!(found["hits"][0]["misspelt"], true);
    let found = library().rye(["search", "python"]).json();
    assert_eq!(found["hits"][0]["misspelt"], false);
}

#[test]
fn an_exact_id_or_name_comes_first() {
    let space = library();
    space.write("project/.ai/tools/a/git-git.py", crate::library::GIT.replace("git", "git git git git"));
    for query in ["vcs/git", "git"] {
        let found = space.rye(["search", query]).json();
        assert_eq!(
            (&found["hits"][0]["id"], &found["hits"][0]["space"]),
            (&"vcs/git".into(), &"project".into())
        );
    }
}

#[test]
fn a_query_that_is_not_well_formed_is_read_as_well_as_possible() {
    let space = library();
    assert_snapshot!(space.rye(["search", r#""lines of"#, "--sort", "id"]).show(), @r#"
    $ rye search '"lines of' --sort id
    exit code: 0
    --- stdout
    tool  text/cat   project  2.0.0   Prints the lines of a text  unsigned
    tool  text/sort  project  1.10.0  Sorts the lines of a text   unsigned
    1 to 2 of 2
    --- stderr
    note: a quote is not closed: it was read up to the end
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    "#);
    assert_snapshot!(space.rye(["search", "((sorts", "AND", "colour:red"]).show(), @"
    $ rye search '((sorts' AND colour:red
    exit code: 1
    --- stdout
    no item matches; searched 3 project tools, 1 project directive, 1 project knowledge, 2 user tools, 5 system tools
    what comes near:
    tool  text/sort  project  1.10.0  Sorts the lines of a text  unsigned
    --- stderr
    note: there is no field `colour`: it was searched as text; the fields are `kind`, `space`, `category`, `executor`, `version`, `tag`, `id`, `name`
    note: 2 opening parentheses are not closed
    note: no item has `colour`
    note: no item has `red`
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(["search", "sorts)", "OR"]).show(), @"
    $ rye search 'sorts)' OR
    exit code: 0
    --- stdout
    tool  text/sort  project  1.10.0  Sorts the lines of a text  unsigned
    1 to 1 of 1
    --- stderr
    note: `OR` has nothing to work on
    note: 1 closing parentheses were ignored
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(["search", "--", "!!!"]).show(), @"
    $ rye search -- '!!!'
    exit code: 0
    --- stdout
    tool       net/fetch                     user     1.0.0   Fetches a page of the web             unsigned
    directive  review                        project  0.1.0   Review a commit with care             unsigned
    tool       rye/core/extractors/json      system   1.0.0   Finds the metadata of JSON files      unsigned
    tool       rye/core/extractors/markdown  system   1.0.0   Finds the metadata of Markdown files  unsigned
    tool       rye/core/extractors/python    system   1.0.0   Finds the metadata of Python files    unsigned
    tool       rye/core/extractors/shell     system   1.0.0   Finds the metadata of shell scripts   unsigned
    tool       rye/core/extractors/yaml      system   1.0.0   Finds the metadata of YAML files      unsigned
    knowledge  style/commits                 project          What a good commit message says.      unsigned
    tool       text/cat                      project  2.0.0   Prints the lines of a text            unsigned
    tool       text/sort                     project  1.10.0  Sorts the lines of a text             unsigned
    tool       vcs/git                       project  1.2.0   Runs git in the project.              unsigned, shadows user
    tool       vcs/git                       user     0.9.0   Runs git for the user.                unsigned, shadowed by project
    1 to 12 of 12
    --- stderr
    note: `!!!` has no letter or digit to search for
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
}

#[test]
fn an_empty_query_lists_everything() {
    assert_snapshot!(library().rye(["search", "--sort", "id"]).show(), @"
    $ rye search --sort id
    exit code: 0
    --- stdout
    tool       net/fetch                     user     1.0.0   Fetches a page of the web             unsigned
    directive  review                        project  0.1.0   Review a commit with care             unsigned
    tool       rye/core/extractors/json      system   1.0.0   Finds the metadata of JSON files      unsigned
    tool       rye/core/extractors/markdown  system   1.0.0   Finds the metadata of Markdown files  unsigned
    tool       rye/core/extractors/python    system   1.0.0   Finds the metadata of Python files    unsigned
    tool       rye/core/extractors/shell     system   1.0.0   Finds the metadata of shell scripts   unsigned
    tool       rye/core/extractors/yaml      system   1.0.0   Finds the metadata of YAML files      unsigned
    knowledge  style/commits                 project          What a good commit message says.      unsigned
    tool       text/cat                      project  2.0.0   Prints the lines of a text            unsigned
    tool       text/sort                     project  1.10.0  Sorts the lines of a text             unsigned
    tool       vcs/git                       project  1.2.0   Runs git in the project.              unsigned, shadows user
    tool       vcs/git                       user     0.9.0   Runs git for the user.                unsigned, shadowed by project
    1 to 12 of 12
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
}

#[test]
fn a_query_may_have_any_length() {
    let space = library();
    let long = format!("sorts {}", "OR lines ".repeat(10_000));
    assert_eq!(space.found([&*long]), ["text/cat", "text/sort"]);
    let deep = format!("{}sorts{}", "(".repeat(20_000), ")".repeat(20_000));
    assert_eq!(space.rye(["search", &deep]).output().status.code(), Some(0));
}
