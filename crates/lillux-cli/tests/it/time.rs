use std::time::{SystemTime, UNIX_EPOCH};

use insta::assert_snapshot;

use crate::space::TestSpace;

fn unix_now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().try_into().unwrap()
}

#[test]
fn now_is_now_in_both_forms() {
    let space = TestSpace::new();
    let before = unix_now();
    let unix = space.lillux(["time", "now", "--unix"]).json()["unix"].as_i64().unwrap();
    let text = space.lillux(["time", "now"]).json();
    let text = text["time"].as_str().unwrap();
    let parsed = space.lillux(["time", "parse", text]).json()["unix"].as_i64().unwrap();
    assert!(before <= unix && unix <= parsed && parsed <= unix_now(), "{before} {unix} {text}");
}

#[test]
fn a_time_is_given_in_utc() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["time", "parse", "2026-03-01T12:00:00.5+02:00"]).show(), @r#"
    $ lillux time parse 2026-03-01T12:00:00.5+02:00
    exit code: 0
    --- stdout
    {"time":"2026-03-01T10:00:00.5Z","unix":1772359200}
    "#);
    assert_snapshot!(space.lillux(["time", "parse", "1969-12-31t23:59:58.1z"]).show(), @r#"
    $ lillux time parse 1969-12-31t23:59:58.1z
    exit code: 0
    --- stdout
    {"time":"1969-12-31T23:59:58.1Z","unix":-2}
    "#);
}

#[test]
fn since_counts_seconds_and_knows_the_future() {
    let space = TestSpace::new();
    let before = unix_now();
    let since = space.lillux(["time", "since", "1970-01-01T00:00:00Z"]).json();
    let seconds = since["seconds"].as_i64().unwrap();
    assert!(before <= seconds && seconds <= unix_now(), "{since}");
    assert_eq!(since["future"], false);

    let output = space.lillux(["time", "since", "9000-01-01T00:00:00Z"]).output();
    assert_eq!(output.status.code(), Some(1));
    let since: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(since["seconds"].as_i64().unwrap() < 0 && since["future"] == true, "{since}");
}

#[test]
fn what_is_not_a_time_is_a_wrong_command_line() {
    let space = TestSpace::new();
    assert_snapshot!(space.lillux(["time", "parse", "tomorrow"]).show(), @r#"
    $ lillux time parse tomorrow
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`tomorrow` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`"}
    "#);
    assert_snapshot!(space.lillux(["time", "parse", "2026-02-30T10:00:00Z"]).show(), @r#"
    $ lillux time parse 2026-02-30T10:00:00Z
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`2026-02-30T10:00:00Z` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`: parsed date is not valid: parameter 'day' for `2026-02` is invalid, must be in range `1..=28`"}
    "#);
    assert_snapshot!(space.lillux(["time", "since", "-1"]).show(), @r#"
    $ lillux time since -1
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`-1` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`"}
    "#);
    assert_snapshot!(space.lillux(["time", "since", ""]).show(), @r#"
    $ lillux time since ''
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"`` is not an RFC 3339 time, such as `2026-03-01T10:00:00Z`"}
    "#);
    assert_snapshot!(space.lillux(["time", "since"]).show(), @r#"
    $ lillux time since
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"the following required arguments were not provided:\n  <TIME>\n\nUsage: lillux time since <TIME>\n\nFor more information, try '--help'."}
    "#);
    assert_snapshot!(space.lillux(["time", "yesterday"]).show(), @r#"
    $ lillux time yesterday
    exit code: 2
    --- stderr
    {"code":"USAGE","message":"unrecognized subcommand 'yesterday'\n\nUsage: lillux time <COMMAND>\n\nFor more information, try '--help'."}
    "#);
}
