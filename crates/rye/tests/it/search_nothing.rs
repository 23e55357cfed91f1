//! What is said if nothing is found.

use insta::assert_snapshot;

use crate::library::library;
use crate::space::TestSpace;

#[test]
fn what_was_searched_and_what_is_missing() {
    let space = library();
    assert_snapshot!(space.rye(["search", "zebra"]).show(), @"
    $ rye search zebra
    exit code: 1
    --- stdout
    no item matches; searched 3 project tools, 1 project directive, 1 project knowledge, 2 user tools, 5 system tools
    --- stderr
    note: no item has `zebra`
    ");
    assert_snapshot!(space.rye(["search", "zebra", "--json"]).show(), @r#"
    $ rye search zebra --json
    exit code: 1
    --- stdout
    {
      "query": "zebra",
      "total": 0,
      "hits": [],
      "searched": [
        {
          "space": "project",
          "kind": "tool",
          "count": 3
        },
        {
          "space": "project",
          "kind": "directive",
          "count": 1
        },
        {
          "space": "project",
          "kind": "knowledge",
          "count": 1
        },
        {
          "space": "user",
          "kind": "tool",
          "count": 2
        },
        {
          "space": "system",
          "kind": "tool",
          "count": 5
        }
      ],
      "notes": [
        "no item has `zebra`"
      ]
    }
    "#);
}

#[test]
fn what_comes_near() {
    let space = library();
    assert_snapshot!(space.rye(["search", "sorts", "zebra"]).show(), @"
    $ rye search sorts zebra
    exit code: 1
    --- stdout
    no item matches; searched 3 project tools, 1 project directive, 1 project knowledge, 2 user tools, 5 system tools
    what comes near:
    tool  text/sort  project  1.10.0  Sorts the lines of a text  unsigned
    --- stderr
    note: no item has `zebra`
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(space.rye(["search", "tag:wbe"]).show(), @"
    $ rye search tag:wbe
    exit code: 1
    --- stdout
    no item matches; searched 3 project tools, 1 project directive, 1 project knowledge, 2 user tools, 5 system tools
    --- stderr
    note: no item has tag `wbe`; like it: `web`
    ");
    assert_snapshot!(space.rye(["search", "fetches", "--space", "project"]).show(), @"
    $ rye search fetches --space project
    exit code: 1
    --- stdout
    no item matches; searched 3 project tools, 1 project directive, 1 project knowledge
    what comes near:
    tool  net/fetch  user  1.0.0  Fetches a page of the web  unsigned
    --- stderr
    note: what comes near is outside of the given fields or filters
    ");
    let found = space.rye(["search", "sorts", "zebra"]).json();
    assert_eq!((&found["total"], &found["near_misses"][0]["id"]), (&0.into(), &"text/sort".into()));
}

#[test]
fn an_empty_project_has_nothing() {
    let space = TestSpace::new();
    assert_snapshot!(space.rye(["search", "--space", "project"]).show(), @"
    $ rye search --space project
    exit code: 1
    --- stdout
    no item matches; searched nothing
    ");
    assert_snapshot!(space.rye(["search", "anything", "--kind", "knowledge", "--json"]).show(), @r#"
    $ rye search anything --kind knowledge --json
    exit code: 1
    --- stdout
    {
      "query": "anything",
      "total": 0,
      "hits": [],
      "searched": [],
      "notes": [
        "no item has `anything`"
      ]
    }
    "#);
}
