//! Help, version, and command lines that are wrong.

use insta::assert_snapshot;

use crate::space::TestSpace;

#[test]
fn help() {
    let space = TestSpace::new();
    assert_snapshot!(space.rye(["search", "-h"]).show(), @r#"
    $ rye search -h
    exit code: 0
    --- stdout
    Find items by words, fields and ids

    Usage: rye search [OPTIONS] [QUERY]...

    Arguments:
      [QUERY]...  What to look for; nothing lists everything

    Options:
          --kind <KIND>          Only items of this kind
          --project <DIR>        The project's folder [default: the nearest folder above that has `.ai`]
          --json                 Print JSON for programs
          --space <SPACE>        Only items of this space
          --category <CATEGORY>  Only items of this category, or below it
          --tag <TAG>            Only items with this tag
          --sort <SORT>          Order of the results [default: score] [possible values: score, id, name, version]
          --limit <LIMIT>        How many results [default: 20]
          --offset <OFFSET>      How many results to pass over [default: 0]
          --detail <DETAIL>      How much to tell of each [default: summary] [possible values: names, summary, full]
      -h, --help                 Print help (see more with '--help')

    Queries:
      read file            both words
      read OR write        either
      file NOT binary      without a word, also as `-binary`
      "list of files"      a phrase
      repo*                a word that begins so
      (read OR write) category:rye/file tag:git executor:bash version:1.* space:project kind:tool
    "#);
    assert_snapshot!(space.rye(["load", "-h"]).show(), @"
    $ rye load -h
    exit code: 0
    --- stdout
    Show an item, or copy it to another space

    Usage: rye load [OPTIONS] <ID>

    Arguments:
      <ID>  The item's id, or its bare name

    Options:
          --kind <KIND>    What kind of item it is [default: tool]
          --project <DIR>  The project's folder [default: the nearest folder above that has `.ai`]
          --from <SPACE>   Look in this space only
          --json           Print JSON for programs
          --to <SPACE>     Copy it to this space [possible values: project, user]
          --force          Replace a file that is there already
          --part <PART>    Print this part alone [possible values: schema, doc, source, metadata]
      -h, --help           Print help (see more with '--help')
    ");
    let help = space.rye(["--help"]).output();
    assert_eq!(help.status.code(), Some(0));
    let help = String::from_utf8(space.rye(["execute", "--help"]).output().stdout).unwrap();
    assert!(help.contains("Usage: rye execute [OPTIONS]"), "{help}");
    let version = space.rye(["-V"]).output();
    assert_eq!(String::from_utf8(version.stdout).unwrap(), format!("rye {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_command_lines() {
    let space = TestSpace::new();
    assert_snapshot!(space.rye(["serach", "x"]).show(), @"
    $ rye serach x
    exit code: 2
    --- stderr
    error: unrecognized subcommand 'serach'

      tip: some similar subcommands exist: 'graph', 'search'

    Usage: rye [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(space.rye(["search", "--kind", "toll"]).show(), @"
    $ rye search --kind toll
    exit code: 2
    --- stderr
    error: invalid value 'toll' for '--kind <KIND>': `toll` is not a kind of item: expected tool, directive or knowledge

    For more information, try '--help'.
    ");
    assert_snapshot!(space.rye(["load", "x", "--from", "nowhere"]).show(), @"
    $ rye load x --from nowhere
    exit code: 2
    --- stderr
    error: invalid value 'nowhere' for '--from <SPACE>': `nowhere` is not a space: expected project, user or system

    For more information, try '--help'.
    ");
    assert_snapshot!(space.rye(["search", "--limit", "-1"]).show(), @"
    $ rye search --limit -1
    exit code: 2
    --- stderr
    error: unexpected argument '-1' found

      tip: to pass '-1' as a value, use '-- -1'

    Usage: rye search [OPTIONS] [QUERY]...

    For more information, try '--help'.
    ");
    assert_snapshot!(space.rye(["load"]).show(), @"
    $ rye load
    exit code: 2
    --- stderr
    error: the following required arguments were not provided:
      <ID>

    Usage: rye load <ID>

    For more information, try '--help'.
    ");
    assert_eq!(space.rye([""; 0]).output().status.code(), Some(2));
}
