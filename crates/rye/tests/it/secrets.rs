//! `rye secret`, and secrets in runs.

use std::io::Write;
use std::process::{Output, Stdio};

use crate::space::TestSpace;
use crate::workshop::Workshop;

const VALUE: &str = "hunter2-hunter2-hunter2";

/// Sets a secret through standard input.
fn set(space: &TestSpace, name: &str, value: &[u8]) -> Output {
    let mut command = space.rye(["secret", "set", name]).command();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // A name that is refused is refused before anybody reads.
    let _ = child.stdin.take().unwrap().write_all(value);
    child.wait_with_output().unwrap()
}

#[test]
fn secrets_are_set_listed_and_removed() {
    let space = TestSpace::new();
    insta::assert_snapshot!(space.rye(["secret", "list"]).show(), @"
    $ rye secret list
    exit code: 1
    --- stderr
    note: no secret is set
    ");
    let output = set(&space, "API_TOKEN", format!("{VALUE}\n").as_bytes());
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "secret API_TOKEN is set\n");
    let file = space.write("elsewhere/value", "short\r\n");
    let file = file.to_str().unwrap();
    insta::assert_snapshot!(space.rye(["secret", "set", "OTHER", "--from-file", file]).show(), @"
    $ rye secret set OTHER --from-file [SPACE]/elsewhere/value
    exit code: 0
    --- stdout
    secret OTHER is set
    --- stderr
    warning: a value of less than 8 bytes is not masked where a tool prints it: it would hit ordinary words
    ");
    insta::assert_snapshot!(space.rye(["secret", "list"]).show(), @"
    $ rye secret list
    exit code: 0
    --- stdout
    API_TOKEN
    OTHER
    ");
    insta::assert_snapshot!(space.rye(["secret", "list", "--json"]).show(), @r#"
    $ rye secret list --json
    exit code: 0
    --- stdout
    {
      "secrets": [
        "API_TOKEN",
        "OTHER"
      ]
    }
    "#);
    insta::assert_snapshot!(space.rye(["secret", "remove", "OTHER"]).show(), @"
    $ rye secret remove OTHER
    exit code: 0
    --- stdout
    secret OTHER is removed
    ");
    insta::assert_snapshot!(space.rye(["secret", "remove", "OTHER"]).show(), @"
    $ rye secret remove OTHER
    exit code: 1
    --- stderr
    note: no secret OTHER was set
    ");
    let kept = std::fs::read(space.path("home/.ai/secrets/API_TOKEN.age")).unwrap();
    assert!(!kept.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()));
}

#[test]
fn what_cannot_be_a_secret_is_refused() {
    let space = TestSpace::new();
    insta::assert_snapshot!(space.rye(["secret", "set", "EMPTY"]).show(), @"
    $ rye secret set EMPTY
    exit code: 3
    --- stderr
    error: cannot set secret `EMPTY`: the value is empty [SECRET_UNUSABLE]
    hint: run `rye secret set EMPTY`, and type the value or write it to standard input
    ");
    insta::assert_snapshot!(space.rye(["secret", "set", "PATH"]).show(), @"
    $ rye secret set PATH
    exit code: 3
    --- stderr
    error: `PATH` has a meaning of its own for programs, so it cannot be the name of a secret [SECRET_UNUSABLE]
    hint: give it a name like `API_TOKEN`
    ");
    insta::assert_snapshot!(space.rye(["secret", "set", "A", "--from-file", "nowhere"]).show(), @"
    $ rye secret set A --from-file nowhere
    exit code: 3
    --- stderr
    error: cannot read `nowhere`: No such file or directory (os error 2) [IO]
    hint: see whether it is there, and whether you may read it
    ");
    let too_long = set(&space, "LONG", &vec![b'x'; 40_000]);
    insta::assert_snapshot!(String::from_utf8(too_long.stderr).unwrap(), @"
    error: cannot set secret `LONG`: the value is longer than 32768 bytes [SECRET_UNUSABLE]
    hint: run `rye secret set LONG`, and type the value or write it to standard input
    ");
    let binary = set(&space, "BINARY", &[0xff; 40]);
    insta::assert_snapshot!(String::from_utf8(binary.stderr).unwrap(), @"
    error: standard input is not text in UTF-8, so no tool could be given it as a variable [PARAMS_INVALID]
    hint: encode it, for example with `base64`
    ");
    // A value where the name should be is not repeated.
    let misplaced = space.rye(["secret", "set", "API_TOKEN", VALUE]).output();
    insta::assert_snapshot!(String::from_utf8(misplaced.stderr).unwrap(), @"
    error: the value of a secret is not given on the command line, where others can see it [PARAMS_INVALID]
    hint: write it to standard input; if this was the value, it may be in the history of the shell now
    ");
    let misplaced = space.rye(["secret", "set", VALUE]).output();
    insta::assert_snapshot!(String::from_utf8(misplaced.stderr).unwrap(), @"
    error: the name of a secret has capital letters, digits and `_`, and does not begin with a digit; character 1 is something else [SECRET_UNUSABLE]
    hint: give it a name like `API_TOKEN`
    ");
}

#[test]
fn a_secret_does_not_show_in_the_background_either() {
    let shop = Workshop::new();
    set(&shop.space, "API_TOKEN", VALUE.as_bytes());
    let script = "cat; echo \"out $API_TOKEN\"; echo \"err ${API_TOKEN:0:9}\" >&2; printf %s \"$API_TOKEN\" >&2; exit 3";
    let tool = shop.shell_tool("my/tool", "# secrets: API_TOKEN\n", script);
    let id = shop.start(&tool, &format!(r#"{{"header":"Bearer {VALUE}"}}"#));
    let text = id.to_string();
    let waited = shop.runs(["wait", &text]).output();
    let logs = shop.runs(["logs", &text]).output();
    assert_eq!(String::from_utf8_lossy(&logs.stdout), "{\"header\":\"Bearer ***\"}out ***\n");
    let errors = shop.runs(["logs", &text, "--stderr"]).output();
    assert_eq!(String::from_utf8_lossy(&errors.stdout), "err hunter2-h\n***");
    let shown = shop.show(id);
    assert_eq!(shown["parameters"]["header"], "Bearer ***");
    assert_eq!(shown["state"], "failed");
    for bytes in [waited.stdout, waited.stderr, shown.to_string().into_bytes()] {
        assert!(!String::from_utf8(bytes).unwrap().contains(VALUE));
    }
    let mut folders = vec![shop.space.path("")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else {
                let bytes = std::fs::read(&path).unwrap();
                assert!(!bytes.windows(VALUE.len()).any(|part| part == VALUE.as_bytes()), "{path:?}");
            }
        }
    }
}
