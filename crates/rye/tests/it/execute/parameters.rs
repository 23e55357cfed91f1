//! Parameters arrive as they were sent.

use serde_json::{Value, json};

use super::{shell, stdout, tool, trusted};

#[test]
fn whatever_they_are_called_and_whatever_they_hold() {
    let space = trusted();
    tool(&space, "t/echo.sh", &shell("cat"));
    let deep = format!("{}1{}", "[".repeat(900), "]".repeat(900));
    let names = [
        "timeout",
        "cwd",
        "env",
        "input_data",
        "command",
        "args",
        "project_path",
        "tool_path",
        "params_json",
        "__x__",
        "",
        "a b",
        "é",
        "config",
        "params",
        "script",
        "module",
        "server",
        "rye",
        "run_id",
        "literal_0",
        "$HOME",
    ];
    let values = [
        r#""${HOME}""#.to_owned(),
        r#""{tool_path}""#.to_owned(),
        r#""it's \"quoted\" \\ \n\t \u0000 \u001b[31m é \ud83d\ude00""#.to_owned(),
        "123456789012345678901234567890".to_owned(),
        "1.00".to_owned(),
        "1e400".to_owned(),
        "-0".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        r#"{"a":{"b":[true,false,null]}}"#.to_owned(),
        deep,
    ];
    for (index, name) in names.iter().enumerate() {
        let value = &values[index % values.len()];
        let sent = format!("{{{}:{value}}}", Value::from(*name));
        assert_eq!(stdout(&space, &["t/echo", "--params", &sent]), sent, "{name}");
    }
    for value in &values {
        let sent = format!("{{\"value\":{value}}}");
        assert_eq!(stdout(&space, &["t/echo", "--params", &sent]), sent);
    }
}

#[test]
fn fifty_megabytes_arrive_whole() {
    let space = trusted();
    tool(&space, "t/count.sh", &shell("wc -c"));
    let sent = json!({ "text": "x".repeat(50_000_000) }).to_string();
    let file = space.write("params.json", &sent);
    let printed = stdout(&space, &["t/count", "--params", &format!("@{}", file.display())]);
    assert_eq!(printed.trim(), sent.len().to_string());
}

#[test]
fn defaults_of_the_schema_are_added() {
    let space = trusted();
    let text = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
        config: {command: cat, input_data: \"{params_json}\"}\n\
        config_schema:\n  type: object\n  properties:\n    a: {type: integer, default: 7}\n    b: {type: number}\n";
    tool(&space, "t/defaults.yaml", text);
    assert_eq!(stdout(&space, &["t/defaults", "--b", "1.50"]), r#"{"b":1.50,"a":7}"#);
}

#[test]
fn no_parameter_changes_anything_but_its_own_place() {
    let space = trusted();
    let text = "version: \"1.0.0\"\ntool_type: t\nexecutor_id: rye/core/primitives/execute\ndescription: A test\n\
        config: {command: printf, args: ['[%s]', '{a}', 'x{b}y', '{list}', '{unknown}', '${NAME:-none}']}\n\
        config_schema: {type: object, properties: {a: {type: string}, b: {type: string}, list: {type: array}}}\n";
    tool(&space, "t/args.yaml", text);
    let sent = json!({ "a": "${NAME} {b} {tool_path}", "b": "; rm -rf / {a}", "list": ["-n", "--", "{a}"], "NAME": "x" });
    let printed = stdout(&space, &["t/args", "--params", &sent.to_string()]);
    assert_eq!(printed, "[${NAME} {b} {tool_path}][x; rm -rf / {a}y][-n][--][{a}][{unknown}][none]");
}

#[test]
fn a_parameter_inside_of_a_shell_command_is_one_word() {
    let space = trusted();
    let text = "version: \"1.0.0\"\ntool_type: shell\nexecutor_id: rye/core/runtimes/bash/bash\ndescription: A test\n\
        config: {command: \"printf '<%s>' {word} end\"}\n\
        config_schema: {type: object, properties: {word: {type: string}}}\n";
    tool(&space, "t/word.yaml", text);
    for word in
        ["a b", "$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "a\nb", "-rf", "\"", "*", "", "é\\"]
    {
        let printed = stdout(&space, &["t/word", "--params", &json!({ "word": word }).to_string()]);
        assert_eq!(printed, format!("<{word}><end>"));
    }
    assert!(!space.path("project/pwned").exists());
}
