//! Narrowing, ordering and paging of results.

use insta::assert_snapshot;

use crate::library::library;

#[test]
fn filters_narrow_the_results() {
    let space = library();
    let check = |args: &[&str], expect: &[&str]| {
        assert_eq!(space.found(args.iter().copied()), expect, "{args:?}");
    };
    check(&["commit", "--kind", "knowledge"], &["style/commits"]);
    check(&["--kind", "directives"], &["review"]);
    check(&["git", "--space", "user"], &["vcs/git"]);
    check(&["--category", "vcs"], &["vcs/git", "vcs/git"]);
    check(&["--category", "rye/core", "python"], &["rye/core/extractors/python"]);
    check(&["--tag", "git"], &["review", "vcs/git", "vcs/git"]);
    check(&["--tag", "git", "--kind", "tool", "--space", "project"], &["vcs/git"]);
    check(&["--tag", "nothing"], &[]);
}

#[test]
fn results_are_ordered_as_asked() {
    let space = library();
    let ids = |sort: &str| {
        let found = space.rye(["search", "--space", "project", "--kind", "tool", "--sort", sort]).json();
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("id"), ["text/cat", "text/sort", "vcs/git"]);
    assert_eq!(ids("name"), ["text/cat", "vcs/git", "text/sort"]);
    assert_eq!(ids("version"), ["text/cat", "text/sort", "vcs/git"]);
    assert_eq!(ids("score").len(), 3);
}

#[test]
fn a_page_is_a_part_of_the_results() {
    let space = library();
    let page = |args: &[&str]| {
        let base = ["search", "--space", "project", "--kind", "tool", "--sort", "id"];
        space.rye(base.iter().chain(args).copied())
    };
    assert_snapshot!(page(&["--limit", "2"]).show(), @"
    $ rye search --space project --kind tool --sort id --limit 2
    exit code: 0
    --- stdout
    tool  text/cat   project  2.0.0   Prints the lines of a text  unsigned
    tool  text/sort  project  1.10.0  Sorts the lines of a text   unsigned
    1 to 2 of 3
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(page(&["--limit", "2", "--offset", "2"]).show(), @"
    $ rye search --space project --kind tool --sort id --limit 2 --offset 2
    exit code: 0
    --- stdout
    tool  vcs/git  project  1.2.0  Runs git in the project.  unsigned, shadows user
    3 to 3 of 3
    --- stderr
    note: the project `[SPACE]/project` is not trusted: nobody has decided to trust it
    ");
    assert_snapshot!(page(&["--limit", "0"]).show(), @"
    $ rye search --space project --kind tool --sort id --limit 0
    exit code: 0
    --- stdout
    none of 3
    ");
    assert_snapshot!(page(&["--offset", "7"]).show(), @"
    $ rye search --space project --kind tool --sort id --offset 7
    exit code: 0
    --- stdout
    none of 3
    ");
    let most = usize::MAX.to_string();
    assert_snapshot!(page(&["--limit", &most, "--offset", &most]).show(), @"
    $ rye search --space project --kind tool --sort id --limit 18446744073709551615 --offset 18446744073709551615
    exit code: 0
    --- stdout
    none of 3
    ");
    let all = page(&["--limit", "2"]).json();
    assert_eq!((all["total"].as_u64(), all["hits"].as_array().unwrap().len()), (Some(3), 2));
}
