//! The configurations that agents have for MCP servers.

use serde_json::{Map, Value, json};

/// A server of a foreign configuration, in our own form.
#[derive(Debug, PartialEq)]
pub(super) struct ForeignServer {
    pub(super) name: String,
    pub(super) described: Value,
    /// What the operator has to know.
    pub(super) notes: Vec<String>,
}

/// Reads a `.mcp.json`, a `claude_desktop_config.json`, or an `mcp.json` or `settings.json` of VS Code.
pub(super) fn read(text: &str) -> Result<Vec<ForeignServer>, String> {
    let plain = without_comments(text);
    let file: Value = serde_json::from_str(&plain).map_err(|error| error.to_string())?;
    let places = ["/mcpServers", "/servers", "/mcp/servers"];
    let servers = places.iter().find_map(|place| file.pointer(place)?.as_object());
    let servers = servers.ok_or("it has neither `mcpServers` nor `servers`")?;
    servers.iter().map(|(name, server)| translate(name, server)).collect()
}

fn translate(name: &str, server: &Value) -> Result<ForeignServer, String> {
    let wrong = |what: &str| format!("the server `{name}` has {what}");
    let Value::Object(fields) = server else { return Err(wrong("no settings")) };
    let mut notes = Vec::new();
    let mut text = |value: &Value| match value {
        Value::String(text) => Value::String(variables(text, &mut notes)),
        other => other.clone(),
    };
    let mut described = Map::new();
    for key in ["command", "url", "cwd"] {
        if let Some(value) =
            fields.get(key).or_else(|| if key == "url" { fields.get("serverUrl") } else { None })
        {
            described.insert(key.to_owned(), text(value));
        }
    }
    if let Some(Value::Array(args)) = fields.get("args") {
        described.insert("args".to_owned(), args.iter().map(&mut text).collect());
    }
    let kept = if described.contains_key("command") { "env" } else { "headers" };
    if let Some(Value::Object(map)) = fields.get(kept) {
        let map: Map<_, _> = map.iter().map(|(key, value)| (key.clone(), text(value))).collect();
        for (key, value) in &map {
            if looks_secret(key) && value.as_str().is_some_and(|value| !value.contains("${")) {
                notes.push(format!(
                    "`{key}` stands in the file as it is: better `rye secret set` it, and write `${{NAME}}` there"
                ));
            }
        }
        if !map.is_empty() {
            described.insert(kept.to_owned(), Value::Object(map));
        }
    }
    if !described.contains_key("command") && !described.contains_key("url") {
        return Err(wrong("neither `command` nor `url`"));
    }
    if fields.get("type") == Some(&json!("sse")) {
        notes.push(
            "it is reached in a way that the protocol has given up (SSE), which may not work".to_owned(),
        );
    }
    notes.dedup();
    Ok(ForeignServer { name: plain_name(name), described: Value::Object(described), notes })
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
            let name: String = id
                .chars()
                .map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' })
                .collect();
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

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "key", "secret", "password", "authorization"].iter().any(|word| name.contains(word))
}

/// A name that can be part of an id.
fn plain_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' }).collect();
    plain.trim_start_matches(['-', '.']).to_owned()
}

/// JSON as VS Code has it: with comments, and commas behind the last element.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut in_text = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if in_text => {
                plain.push(c);
                plain.extend(chars.next());
            }
            '"' => {
                in_text = !in_text;
                plain.push(c);
            }
            '/' if !in_text && chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' if !in_text && chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref().skip(1) {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ']' | '}' if !in_text => {
                let end = plain.trim_end().len();
                if plain[..end].ends_with(',') {
                    plain.truncate(end - 1);
                }
                plain.push(c);
            }
            c => plain.push(c),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms() {
        let claude = r#"{"mcpServers": {"time": {"command": "uvx", "args": ["mcp-server-time"], "env": {"A": "${A:-b}"}}}}"#;
        let expect = json!({"command": "uvx", "args": ["mcp-server-time"], "env": {"A": "${A:-b}"}});
        assert_eq!(read(claude).unwrap()[0].described, expect);

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
        assert_eq!(servers[0].described, expect);
        assert!(servers[0].notes[0].contains("rye secret set API_KEY"));
        let expect = json!({"url": "https://example.com/a//b", "headers": {"Authorization": "Bearer x"}});
        assert_eq!(servers[1].described, expect);
        assert!(servers[1].notes[0].contains("`Authorization`"));
    }

    #[test]
    fn what_is_none_is_refused() {
        for text in
            ["", "[]", "{}", "{\"servers\": 1}", "{\"servers\": {\"a\": {}}}", "{\"mcpServers\": {\"a\": 1}}"]
        {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_placeholder_without_an_end_is_text() {
        let mut notes = Vec::new();
        assert_eq!(variables("a ${b", &mut notes), "a ${b");
        assert_eq!(variables("${env:A}${B}c", &mut notes), "${A}${B}c");
    }
}
