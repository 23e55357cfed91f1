//! Our entry in a JSON file, every other byte of which stays as it is.

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use super::entry_edit::{EntryEdit, NAME, Splice, newline, spliced, split_mark};

/// What is put right in an entry that is there. The rest of it is its owner's, above all the environment.
const OURS: [&str; 3] = ["type", "command", "args"];

/// What a client takes for JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Plain,
    /// With comments, commas behind the last element, and a byte order mark.
    Commented,
}

/// Puts our entry into the member of a file that has all servers.
pub(super) fn edit(
    present: &str,
    dialect: Dialect,
    member: &str,
    entry: &Map<String, Value>,
) -> Result<EntryEdit, String> {
    edit_once(present, dialect, member, entry)?.checked(|text| edit_once(text, dialect, member, entry))
}

/// Parses JSON with comments, and with nothing else that JSON does not have.
pub(super) fn parse_commented(text: &str) -> Result<ParseResult<'_>, String> {
    let collected = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &collected, &options).map_err(|error| error.to_string())
}

/// The name of a member.
pub(super) fn name_of<'a>(member: &'a ObjectProp<'_>) -> &'a str {
    match &member.name {
        ObjectPropName::String(name) => &name.value,
        ObjectPropName::Word(name) => name.value,
    }
}

fn edit_once(
    present: &str,
    dialect: Dialect,
    member: &str,
    entry: &Map<String, Value>,
) -> Result<EntryEdit, String> {
    let whole = json!({ member: { NAME: entry } });
    if present.trim().is_empty() {
        return Ok(EntryEdit::Added(pretty(&whole, "  ", "\n") + "\n"));
    }
    if dialect == Dialect::Plain {
        serde_json::from_str::<IgnoredAny>(present)
            .map_err(|error| format!("it is not plain JSON ({error})"))?;
    }
    let (mark, text) = split_mark(present);
    let parsed = parse_commented(text).map_err(|error| format!("it is not JSON ({error})"))?;
    let Some(root) = &parsed.value else {
        // There is nothing but comments.
        let end = newline(text);
        let text = format!("{}{end}{}{end}", text.trim_end(), pretty(&whole, "  ", end));
        return Ok(EntryEdit::Added(text).behind(mark));
    };
    let root = root.as_object().ok_or("it is not an object")?;
    let source = Source::new(text, parsed.tokens.as_deref().unwrap_or_default(), root);
    let Some(servers) = find(root, member)? else {
        let added = source.append(root, &[(member, &whole[member])]);
        return Ok(EntryEdit::Added(spliced(text, added)).behind(mark));
    };
    let servers = servers.value.as_object();
    let servers = servers.ok_or_else(|| format!("it has something else where `{member}` belongs"))?;
    let Some(known) = find(servers, NAME)? else {
        let added = source.append(servers, &[(NAME, &whole[member][NAME])]);
        return Ok(EntryEdit::Added(spliced(text, added)).behind(mark));
    };
    let known = known.value.as_object().ok_or_else(|| format!("its `{NAME}` is not an object"))?;
    let changes = source.put_right(known, entry)?;
    if changes.is_empty() {
        return Ok(EntryEdit::Already);
    }
    Ok(EntryEdit::Changed(spliced(text, changes)).behind(mark))
}

/// A member of an object. Of two with one name, nobody can say which one counts.
pub(super) fn find<'a, 'text>(
    object: &'a Object<'text>,
    name: &str,
) -> Result<Option<&'a ObjectProp<'text>>, String> {
    let mut found = object.properties.iter().filter(|member| name_of(member) == name);
    match (found.next(), found.next()) {
        (Some(_), Some(_)) => Err(format!("it has `{name}` twice")),
        (first, _) => Ok(first),
    }
}

/// A text, and how it is written.
struct Source<'a> {
    text: &'a str,
    tokens: &'a [TokenAndRange<'a>],
    newline: &'static str,
    /// What each level is indented by.
    unit: &'a str,
}

impl<'a> Source<'a> {
    fn new(text: &'a str, tokens: &'a [TokenAndRange<'a>], root: &Object<'_>) -> Self {
        let mut source = Self { text, tokens, newline: newline(text), unit: "  " };
        if let Some(first) = root.properties.first().filter(|first| source.begins_line(first.range.start)) {
            let indent = source.indent(first.range.start);
            source.unit = if indent.is_empty() { source.unit } else { indent };
        }
        source
    }

    /// What has to be changed in an entry that is there.
    fn put_right(&self, known: &Object<'_>, entry: &Map<String, Value>) -> Result<Vec<Splice>, String> {
        if find(known, "url")?.is_some() {
            return Err(format!("its `{NAME}` is reached at a `url`, and would have a `command` as well"));
        }
        let (mut changes, mut missing) = (Vec::new(), Vec::new());
        for name in OURS {
            let Some(wanted) = entry.get(name) else { continue };
            match find(known, name)? {
                None => missing.push((name, wanted)),
                Some(member) if Value::from(member.value.clone()) == *wanted => {}
                Some(member) => {
                    let range = member.value.range();
                    changes.push(Splice { range: range.start..range.end, text: one_line(wanted) });
                }
            }
        }
        if !missing.is_empty() {
            changes.extend(self.append(known, &missing));
        }
        Ok(changes)
    }

    /// Puts members behind the last one of an object, in the form that this one has.
    fn append(&self, object: &Object<'_>, members: &[(&str, &Value)]) -> Vec<Splice> {
        let Some(last) = object.properties.last() else { return vec![self.fill(object, members)] };
        let comma = self.comma_behind(last.range.end);
        let mut splices = Vec::new();
        if comma.is_none() {
            splices.push(Splice::at(last.range.end, ","));
        }
        let behind = comma.unwrap_or(last.range.end);
        let end = if comma.is_some() { "," } else { "" };
        if self.begins_line(last.range.start) {
            let lines = self.lines(members, self.indent(last.range.start));
            splices.push(Splice::at(self.behind_comments(behind), lines + end));
        } else {
            let members: Vec<_> =
                members.iter().map(|(name, value)| format!(" \"{name}\": {}", one_line(value))).collect();
            splices.push(Splice::at(behind, members.join(",") + end));
        }
        splices
    }

    /// Puts members into an object that has none.
    fn fill(&self, object: &Object<'_>, members: &[(&str, &Value)]) -> Splice {
        let (start, end) = (object.range.start + 1, object.range.end - 1);
        let outer = self.indent(object.range.start);
        let mut text = self.lines(members, &format!("{outer}{}", self.unit));
        let comment = self.tokens.iter().rfind(|token| token.range.start >= start && token.range.end <= end);
        let place = comment.map_or(start, |comment| comment.range.end);
        let rest = &self.text[place..end];
        if comment.is_some() && rest.contains('\n') {
            return Splice::at(place, text);
        }
        text.extend([self.newline, outer]);
        Splice { range: place..end, text }
    }

    /// Members, each of which begins a line.
    fn lines(&self, members: &[(&str, &Value)], indent: &str) -> String {
        let end = format!("{}{indent}", self.newline);
        let lines: Vec<_> = members
            .iter()
            .map(|(name, value)| format!("{end}\"{name}\": {}", pretty(value, self.unit, &end)))
            .collect();
        lines.join(",")
    }

    /// The end of the comma that follows a member.
    fn comma_behind(&self, place: usize) -> Option<usize> {
        let mut tokens = self.tokens.iter().filter(|token| token.range.start >= place);
        let next = tokens.find(|token| !is_comment(token))?;
        (next.token == Token::Comma).then_some(next.range.end)
    }

    /// The end of the comments that follow in the same line, and belong to what is before them.
    fn behind_comments(&self, behind: usize) -> usize {
        let mut place = behind;
        for token in self.tokens.iter().filter(|token| token.range.start >= behind) {
            if !is_comment(token) || self.text[place..token.range.start].contains('\n') {
                break;
            }
            place = token.range.end;
        }
        place
    }

    fn line_start(&self, place: usize) -> usize {
        self.text[..place].rfind('\n').map_or(0, |end| end + 1)
    }

    fn begins_line(&self, place: usize) -> bool {
        self.text[self.line_start(place)..place].trim().is_empty()
    }

    /// What the line of this place begins with.
    fn indent(&self, place: usize) -> &'a str {
        let line = &self.text[self.line_start(place)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// A value in as many lines as it takes. Strings have no line ends, so each one is part of the form.
fn pretty(value: &Value, unit: &str, end: &str) -> String {
    let text = format!("{value:#}");
    let lines = text.lines().map(|line| {
        let rest = line.trim_start();
        unit.repeat((line.len() - rest.len()) / 2) + rest
    });
    lines.collect::<Vec<_>>().join(end)
}

/// A value in one line, with spaces between its parts.
fn one_line(value: &Value) -> String {
    let text = format!("{value:#}");
    let part = |line: &str| line.trim_start().to_owned() + if line.ends_with(',') { " " } else { "" };
    text.lines().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_LINE: &str =
        r#""rye": {"type": "stdio", "alwaysLoad": true, "command": "rye", "args": ["mcp", "serve"]}"#;
    const LINES: &str = r#""rye": {
  "type": "stdio",
  "alwaysLoad": true,
  "command": "rye",
  "args": [
    "mcp",
    "serve"
  ]
}"#;

    fn edit_as(dialect: Dialect, present: &str) -> Result<EntryEdit, String> {
        let entry =
            json!({ "type": "stdio", "alwaysLoad": true, "command": "rye", "args": ["mcp", "serve"] });
        edit(present, dialect, "servers", entry.as_object().unwrap())
    }

    /// Our entry in lines that are indented like those around it.
    fn lines(unit: &str, depth: usize, end: &str) -> String {
        let line = |line: &str| {
            let rest = line.trim_start();
            unit.repeat(depth + (line.len() - rest.len()) / 2) + rest
        };
        LINES.lines().map(line).collect::<Vec<_>>().join(end)
    }

    #[test]
    fn an_entry_is_added_and_nothing_else_changes() {
        let check = |present: &str, expect: &str| {
            assert_eq!(edit_as(Dialect::Plain, present), Ok(EntryEdit::Added(expect.to_owned())));
            assert_eq!(edit_as(Dialect::Commented, present), Ok(EntryEdit::Added(expect.to_owned())));
        };
        let whole = format!("{{\n  \"servers\": {{\n{}\n  }}\n}}", lines("  ", 2, "\n"));
        check("", &format!("{whole}\n"));
        check("{ }", &whole);
        check(r#"{"a":1}"#, &format!(r#"{{"a":1, "servers": {{{ONE_LINE}}}}}"#));
        check(
            r#"{"servers":{"o":{"a":1}},"b":[]}"#,
            &format!(r#"{{"servers":{{"o":{{"a":1}}, {ONE_LINE}}},"b":[]}}"#),
        );
        // Numbers, escapes, names that are there twice, blank lines and tabs are as they were.
        let before = "{\n\t\"b\": 1.10,\n\n\t\"b\": 12345678901234567890123,\n\t\"servers\": {\n\t\t\"o\": {\"c\" : \"\\u00e9\"}";
        let after = "\n\n\t},\n\t\"z\": [ ]\n}";
        check(&format!("{before}{after}"), &format!("{before},\n{}{after}", lines("\t", 2, "\n")));
    }

    #[test]
    fn comments_stay_with_what_they_are_about() {
        let check = |before: &str, comma: &str, between: &str, entry: &str, after: &str| {
            let present = format!("{before}{between}{after}");
            let expect = format!("{before}{comma}{between}{entry}{after}");
            assert_eq!(edit_as(Dialect::Commented, &present), Ok(EntryEdit::Added(expect)));
            assert!(edit_as(Dialect::Plain, &present).is_err());
        };
        check(
            "\u{feff}{\r\n    \"servers\": { // here\r\n        \"o\": {},",
            "",
            " // o",
            &format!("\r\n{},", lines("    ", 2, "\r\n")),
            "\r\n        // p\r\n    },\r\n}\r\n",
        );
        let entry = format!("\n{}", lines("  ", 2, "\n"));
        check("{\n  \"servers\": {\n    \"o\": 1", ",", " /* o */ // o", &entry, "\n    // p\n  }\n}");
        check("{\n  \"servers\": {", "", "\n    // none", &entry, "\n  }\n}");
        check("{\"servers\": {\"o\": 1,", "", "", &format!(" {ONE_LINE},"), "}}");
    }

    #[test]
    fn an_entry_that_is_there_keeps_what_is_not_ours() {
        let check = |present: &str, expect: &str| {
            assert_eq!(edit_as(Dialect::Commented, present), Ok(EntryEdit::Changed(expect.to_owned())));
        };
        check(
            r#"{"servers": {"rye": {"command" : "x", "args": 5, "env": {"RYE_PASSPHRASE": "y"}, "type": "stdio"}}}"#,
            r#"{"servers": {"rye": {"command" : "rye", "args": ["mcp", "serve"], "env": {"RYE_PASSPHRASE": "y"}, "type": "stdio"}}}"#,
        );
        check(
            "{\"servers\": {\"rye\": {\n  \"command\": \"rye\", // c\n  \"type\": \"http\"}}}",
            "{\"servers\": {\"rye\": {\n  \"command\": \"rye\", // c\n  \"type\": \"stdio\",\n  \"args\": [\n    \"mcp\",\n    \"serve\"\n  ]}}}",
        );
        let present =
            r#"{"servers": {"rye": {"args": ["mcp", "serve"], "z": 1, "type": "stdio", "command": "rye"}}}"#;
        assert_eq!(edit_as(Dialect::Plain, present), Ok(EntryEdit::Already));
    }

    #[test]
    fn what_cannot_be_understood_is_refused() {
        let check = |present: &str, expect: &str| {
            assert_eq!(edit_as(Dialect::Commented, present), Err(expect.to_owned()));
        };
        check("[]", "it is not an object");
        check(r#"{"servers": []}"#, "it has something else where `servers` belongs");
        check(r#"{"servers": {}, "servers": {}}"#, "it has `servers` twice");
        check(r#"{"servers": {"rye": {}, "rye": {}}}"#, "it has `rye` twice");
        check(r#"{"servers": {"rye": 5}}"#, "its `rye` is not an object");
        check(
            r#"{"servers": {"rye": {"url": "x"}}}"#,
            "its `rye` is reached at a `url`, and would have a `command` as well",
        );
        check("{a: 1}", "it is not JSON (Expected string for object property on line 1 column 2)");
        for wrong in ["// c\n{}", "{\"a\": 1,}", "\u{feff}{}", "{'a': 1}"] {
            assert!(edit_as(Dialect::Plain, wrong).is_err(), "{wrong}");
        }
    }
}
