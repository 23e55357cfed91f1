//! `rye doctor`.

use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::space::{RYE, TestSpace};

/// The checks about one thing.
fn checks(report: &Value, area: &str) -> Vec<(String, String)> {
    let all = report["checks"].as_array().unwrap().iter().filter(|check| check["area"] == area);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.map(|check| (text(&check["level"]), text(&check["message"]))).collect()
}

/// What a person sees, without what differs from machine to machine.
fn shown(space: &TestSpace) -> String {
    let text = space.rye(["doctor"]).show();
    let is_local = |line: &&str| {
        ["interpreter", "containment"].iter().any(|word| line.contains(word))
            || line.contains("install it if")
    };
    let lines: Vec<_> = text.lines().filter(|line| !is_local(line) && !line.ends_with(" wrong")).collect();
    lines.join("\n").replace(RYE, "[RYE]").replace(RYE.rsplit_once('/').unwrap().0, "[FOLDER]")
}

#[test]
fn somebody_who_has_just_begun_is_told_what_to_do() {
    let space = TestSpace::with_bundle();
    assert_snapshot!(shown(&space), @r#"
    $ rye doctor
    exit code: 0
    --- stdout
    warn  program      [RYE] is not on PATH
                       run `export PATH=[FOLDER]:"$PATH"`
    ok    bundle       intact, in [SPACE]/cache/rye/bundle/[DIGEST]
    ok    cache        [SPACE]/cache/rye
    ok    state        [SPACE]/home/.local/state/rye
    warn  keys         there is none to sign with
                       run `rye init`
    warn  project      the project `[SPACE]/project` is not trusted: nobody has decided to trust it
                       run `rye trust [SPACE]/project`, which shows what it brings
    warn  mcp          no client of this project or user is configured
                       run `rye mcp install` to see how to tell one
    "#);
}

#[test]
fn when_all_is_there_all_is_well() {
    let space = TestSpace::with_key();
    space.run(["mcp", "install", "claude-code", "--write"]);
    let folder = RYE.rsplit_once('/').unwrap().0;
    let report = space.rye(["doctor"]).set("PATH", format!("{folder}:/usr/bin:/bin")).json();
    assert_eq!(report["healthy"], true);
    for area in ["program", "bundle", "cache", "state", "containment", "keys", "project", "mcp"] {
        let found = checks(&report, area);
        assert!(matches!(&found[..], [(level, _)] if level == "ok"), "{area}: {found:?}");
    }
}

#[test]
fn interpreters_are_those_that_runtimes_declare() {
    let space = TestSpace::with_key();
    space.write(
        "project/.ai/tools/lang/cobol.yaml",
        "version: \"1.0.0\"\ntool_type: runtime\nexecutor_id: rye/core/primitives/execute\ndescription: Runs it\n\
         env_config: {interpreter: {type: system_binary, binary: no-such-cobol, var: COBOL}}\nconfig: {command: \"${COBOL}\"}\n",
    );
    let report = space.rye(["doctor"]).json();
    let found = checks(&report, "interpreter");
    let line =
        |id: &str| found.iter().find(|(_, text)| text.starts_with(&format!("{id}: "))).unwrap().clone();
    assert_eq!(
        line("lang/cobol"),
        ("warn".to_owned(), "lang/cobol: `no-such-cobol` is not there".to_owned())
    );
    assert_eq!(line("rye/core/runtimes/python/system").0, "ok");
    assert!(line("rye/core/runtimes/python/system").1.contains("/usr/bin/python3"));
    assert_eq!(report["healthy"], true);
}

#[test]
fn what_does_not_work_fails() {
    let space = TestSpace::with_key();
    let keys = space.path("home/.ai/keys");
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o755)).unwrap();
    space.write("project/.mcp.json", "{\"mcpServers\": {\"rye\": {\"command\": \"/other/rye\"}}}");
    space.write("project/.vscode/mcp.json", "{}");
    space.write("project/.cursor/mcp.json", "{ mine\n}");
    assert_snapshot!(shown(&space), @r#"
    $ rye doctor
    exit code: 1
    --- stdout
    warn  program      [RYE] is not on PATH
                       run `export PATH=[FOLDER]:"$PATH"`
    ok    bundle       intact, in [SPACE]/cache/rye/bundle/[DIGEST]
    ok    cache        [SPACE]/cache/rye
    ok    state        [SPACE]/home/.local/state/rye
    fail  keys         cannot use `[SPACE]/home/.ai/keys`: mode 0755 of its folder lets others in: run `chmod 700 "[SPACE]/home/.ai/keys"`
    warn  project      whether it is trusted is not known
                       put the keys right
    warn  mcp          [SPACE]/project/.mcp.json names a `rye` that is not this one, or is called in another way
                       run `rye mcp install claude-code` to see what it should be
    warn  mcp          [SPACE]/project/.vscode/mcp.json does not name this server
                       run `rye mcp install vscode --write`
    warn  mcp          [SPACE]/project/.cursor/mcp.json cannot be read: it is not JSON (Expected string for object property on line 1 column 3)
                       run `rye mcp install cursor` to see what it should have
    "#);
    std::fs::set_permissions(&keys, std::fs::Permissions::from_mode(0o700)).unwrap();
    let unwritable = space.rye(["doctor"]).set("XDG_STATE_HOME", "/proc/nowhere").json();
    assert_eq!(unwritable["healthy"], false);
    assert_eq!(checks(&unwritable, "state")[0].0, "fail");
    let own = space.rye(["keys", "show"]).json()["id"].as_str().unwrap().to_owned();
    space.run(["keys", "revoke", &own, "--yes"]);
    let revoked = space.rye(["doctor"]).json();
    assert_eq!(checks(&revoked, "keys"), [("fail".to_owned(), format!("the signing key {own} was revoked"))]);
}

#[test]
fn another_system_space_and_no_home_are_told() {
    let space = TestSpace::new();
    let report = space.rye(["doctor"]).json();
    assert_eq!(checks(&report, "bundle")[0].0, "warn");
    let report = space.rye(["doctor"]).unset("HOME").unset("XDG_CACHE_HOME").json();
    assert_eq!(checks(&report, "keys"), [("fail".to_owned(), "there is no user space".to_owned())]);
    assert_eq!(report["checks"][2]["message"], json!("nothing is kept: there is no place"));
}
