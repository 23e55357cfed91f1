//! The configurations that agents have for MCP servers.

use std::collections::HashSet;

use jsonc_parser::ast::Object;
use serde_json::{Map, Value, json};

use super::entry_edit::split_mark;
use super::json_entry::{find, name_of, parse_commented};

/// A server of a foreign configuration, in our own form.
#[derive(Debug, PartialEq)]
pub(super) struct ForeignServer {
    pub(super) name: String,
    /// Whether the agent has it, and does not use it.
    pub(super) is_disabled: bool,
    /// How it is started or reached, or why nobody can say.
    pub(super) described: Result<Value, String>,
    /// What the operator has to know.
    pub(super) notes: Vec<String>,
}

/// Reads a `.mcp.json`, a `claude_desktop_config.json`, or an `mcp.json` or `settings.json` of VS Code.
pub(super) fn read(text: &str) -> Result<Vec<ForeignServer>, String> {
    let parsed = parse_commented(split_mark(text).1)?;
    let root = parsed.value.as_ref().and_then(|root| root.as_object()).ok_or("it is not an object")?;
    let below =
        |object, name| Ok::<_, String>(find(object, name)?.and_then(|member| member.value.as_object()));
    let servers = match (below(root, "mcpServers")?, below(root, "servers")?, below(root, "mcp")?) {
        (Some(servers), _, _) | (None, Some(servers), _) => Some(servers),
        (None, None, Some(settings)) => below(settings, "servers")?,
        (None, None, None) => None,
    };
    let servers = translated(servers.ok_or("it has neither `mcpServers` nor `servers`")?);
    let mut seen = HashSet::new();
    let twice = servers.iter().map(|server| &server.name).filter(|name| !seen.insert(*name));
    let twice: Vec<_> = twice.map(|name| format!("`{name}`")).collect();
    if twice.is_empty() { Ok(servers) } else { Err(format!("it has more than one {}", twice.join(", "))) }
}

fn translated(servers: &Object<'_>) -> Vec<ForeignServer> {
    let servers = servers.properties.iter();
    servers.map(|server| translate(name_of(server), &server.value.clone().into())).collect()
}

fn translate(name: &str, server: &Value) -> ForeignServer {
    let mut notes = Vec::new();
    let described = match server {
        Value::Object(fields) => describe(fields, &mut notes),
        _ => Err("no settings".to_owned()),
    };
    if server.get("envFile").is_some() {
        let note = "its `envFile` is not read: `rye secret set` what it needs from there".to_owned();
        notes.push(note);
    }
    if server.get("type") == Some(&json!("sse")) {
        notes.push(
            "it is reached in a way that the protocol has given up (SSE), which may not work".to_owned(),
        );
    }
    notes.dedup();
    ForeignServer {
        name: plain_name(name),
        is_disabled: server.get("disabled") == Some(&json!(true)),
        described: described.map_err(|what| format!("the server `{name}` has {what}")),
        notes,
    }
}

/// How a server is started or reached. An error says what it has instead.
fn describe(fields: &Map<String, Value>, notes: &mut Vec<String>) -> Result<Value, String> {
    let field = |name: &str| fields.get(name).filter(|value| !value.is_null());
    let mut described = Map::new();
    for (key, value) in
        [("command", field("command")), ("url", field("url").or(field("serverUrl"))), ("cwd", field("cwd"))]
    {
        match value {
            None => {}
            Some(Value::String(text)) => {
                described.insert(key.to_owned(), Value::String(variables(text, notes)));
            }
            Some(_) => return Err(format!("a `{key}` that is not a string")),
        }
    }
    if !described.contains_key("command") && !described.contains_key("url") {
        return Err("neither `command` nor `url`".to_owned());
    }
    if let Some(args) = field("args") {
        described.insert("args".to_owned(), arguments(args, notes)?);
    }
    let kept = if described.contains_key("command") { "env" } else { "headers" };
    match field(kept) {
        None => {}
        Some(Value::Object(map)) if map.is_empty() => {}
        Some(Value::Object(map)) => {
            described.insert(kept.to_owned(), settings(kept, map, notes)?);
        }
        Some(_) if kept == "env" => return Err("an `env` that is not an object".to_owned()),
        Some(_) => return Err("`headers` that are not an object".to_owned()),
    }
    Ok(Value::Object(described))
}

fn arguments(args: &Value, notes: &mut Vec<String>) -> Result<Value, String> {
    let args = args.as_array().ok_or("`args` that are not a list")?;
    let text = |arg: &Value| match arg {
        Value::String(text) => Ok(Value::String(variables(text, notes))),
        other => Err(format!("`args` with {other} in them, which is not a string")),
    };
    args.iter().map(text).collect()
}

/// Variables or headers.
fn settings(kept: &str, map: &Map<String, Value>, notes: &mut Vec<String>) -> Result<Value, String> {
    let mut settings = Map::new();
    for (name, value) in map {
        let value = match value {
            Value::String(text) => Value::String(variables(text, notes)),
            Value::Number(_) | Value::Bool(_) => value.clone(),
            _ => return Err(format!("`{kept}` with a `{name}` that is not a string")),
        };
        if looks_secret(name)
            && value.as_str().is_some_and(|value| !value.is_empty() && !value.contains("${"))
        {
            let variable = variable_name(name);
            notes.push(format!(
                "`{name}` is written in clear text: better run `rye secret set {variable}`, have `${{{variable}}}` in \
                 the place of its value, and import that"
            ));
        }
        settings.insert(name.clone(), value);
    }
    Ok(Value::Object(settings))
}

/// Placeholders of VS Code in our own form: `${env:NAME}` and `${input:some-id}`.
fn variables(text: &str, notes: &mut Vec<String>) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        let (before, from) = rest.split_at(start);
        result.push_str(before);
        let Some(end) = from.find('}') else {
            rest = from;
            break;
        };
        let inner = &from[2..end];
        rest = &from[end + 1..];
        if let Some(name) = inner.strip_prefix("env:") {
            result.extend(["${", name, "}"]);
        } else if let Some(id) = inner.strip_prefix("input:") {
            let name = variable_name(id);
            notes.push(format!(
                "set `{name}` with `rye secret set {name}`, which takes the place of an input"
            ));
            result.extend(["${", &name, "}"]);
        } else if inner == "workspaceFolder" {
            // A server works in the folder of the project.
            result.push('.');
        } else {
            result.push_str(&from[..=end]);
        }
    }
    result.push_str(rest);
    result
}

/// The name of a variable that stands for something of another name.
fn variable_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' }).collect()
}

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let words = ["token", "key", "secret", "passw", "passphrase", "authorization", "credential", "cookie"];
    words.iter().any(|word| name.contains(word)) || name.ends_with("auth")
}

/// A name that can be part of an id.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' }).collect();
    plain.trim_start_matches(['-', '.']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms() {
        let claude = r#"{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"A": "${A:-b}"}}}}"#;
        let expect = json!({"command": "uvx", "args": ["mcp-server-time"], "env": {"A": "${A:-b}"}});
        assert_eq!(read(claude).unwrap()[0].described, Ok(expect));

        let code = r#"{
            // what is asked for
            "inputs": [{"id": "api-key", "type": "promptString", "password": true}],
            "servers": {
                "my server": {"type": "stdio", "command": "node", "args": ["${workspaceFolder}/s.js"], "env": {"API_KEY": "${input:api-key}", "H": "${env:HOME}"},},
                "web": {"type": "http", "url": "https://example.com/a//b", "headers": {"Authorization": "Bearer x"}}, /* end */
            },
        }"#;
        let servers = read(code).unwrap();
        assert_eq!(servers[0].name, "my-server");
        let expect =
            json!({"command": "node", "args": ["./s.js"], "env": {"API_KEY": "${API_KEY}", "H": "${HOME}"}});
        assert_eq!(servers[0].described, Ok(expect));
        assert!(servers[0].notes[0].contains("rye secret set API_KEY"));
        let expect = json!({"url": "https://example.com/a//b", "headers": {"Authorization": "Bearer x"}});
        assert_eq!(servers[1].described, Ok(expect));
        assert!(servers[1].notes[0].contains("`Authorization`"));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in ["", "[]", "{}", "{\"servers\": 1}", "{\"servers\": {},, }", "{'servers': {}}"] {
            assert!(read(text).is_err(), "{text}");
        }
        let check = |text: &str, expect: &str| assert_eq!(read(text), Err(expect.to_owned()), "{text}");
        check(r#"{"servers": {"a": {}, "b": {}, "a": {}}}"#, "it has more than one `a`");
        check(r#"{"servers": {"a b": {}, "a-b": {}}}"#, "it has more than one `a-b`");
        check(r#"{"servers": {}, "servers": {}}"#, "it has `servers` twice");
    }

    #[test]
    fn what_is_wrong_is_wrong_for_its_server() {
        let check = |server: &str, expect: &str| {
            let servers = read(&format!(r#"{{"servers": {{"a b": {server}, "c": {{"command": "d"}}}}}}"#));
            let servers = servers.unwrap();
            assert_eq!(servers[0].described, Err(format!("the server `a b` has {expect}")));
            assert_eq!(servers[1].described, Ok(json!({"command": "d"})));
        };
        check("1", "no settings");
        check("{}", "neither `command` nor `url`");
        check(r#"{"command": null}"#, "neither `command` nor `url`");
        check(r#"{"command": ["a"]}"#, "a `command` that is not a string");
        check(r#"{"url": 1}"#, "a `url` that is not a string");
        check(r#"{"command": "a", "args": "srv.py"}"#, "`args` that are not a list");
        check(r#"{"command": "a", "args": [1]}"#, "`args` with 1 in them, which is not a string");
        check(r#"{"command": "a", "env": "B=c"}"#, "an `env` that is not an object");
        check(r#"{"url": "a", "headers": []}"#, "`headers` that are not an object");
        check(r#"{"command": "a", "env": {"B": []}}"#, "`env` with a `B` that is not a string");
    }

    #[test]
    fn values_that_look_secret_are_told_of() {
        let notes = |env: &str| {
            let text = format!(r#"{{"servers": {{"a": {{"command": "b", "env": {{{env}}}}}}}}}"#);
            read(&text).unwrap().remove(0).notes
        };
        for name in ["GITHUB_TOKEN", "apiKey", "DB_PASSWORD", "DB_PASSWD", "BASIC_AUTH", "CREDENTIALS"] {
            let expect = format!(
                "`{name}` is written in clear text: better run `rye secret set {0}`, have `${{{0}}}` in the place of its value, and import that",
                name.to_uppercase()
            );
            assert_eq!(notes(&format!(r#""{name}": "x""#)), [expect]);
        }
        let none: [&str; 0] = [];
        for harmless in [r#""TOKEN": "${TOKEN}""#, r#""TOKEN": """#, r#""LANG": "C""#] {
            assert_eq!(notes(harmless), none);
        }
    }

    #[test]
    fn a_placeholder_without_an_end_is_text() {
        let mut notes = Vec::new();
        assert_eq!(variables("a ${b", &mut notes), "a ${b");
        assert_eq!(variables("${env:A}${B}c", &mut notes), "${A}${B}c");
    }
}
