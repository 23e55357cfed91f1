//! Reading the text that a caller sent, without recursion and without changing any value.

use std::borrow::Cow;
use std::collections::HashSet;

use rye_metadata::Position;
use serde_json::value::RawValue;

use super::{ParametersError, ValueType};

/// How many arrays and objects may be inside each other, the object of the parameters among them.
pub const MAX_DEPTH: usize = 1_000;

/// The text of a JSON object that is fit to be parameters, without the space between its tokens.
pub(super) fn read(bytes: &[u8]) -> Result<String, ParametersError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        ParametersError::NotUtf8 { position: position(&valid) }
    })?;
    let raw: &RawValue = serde_json::from_str(text).map_err(|error| ParametersError::syntax(text, &error))?;
    if ValueType::of_json(raw.get()) != ValueType::Object {
        return Err(ParametersError::NotAnObject { found: ValueType::of_json(raw.get()) });
    }
    let mut scan = Scan { text, at: 0, open: Vec::new(), compact: String::with_capacity(raw.get().len()) };
    scan.run()?;
    Ok(scan.compact)
}

/// A walk over the tokens of a text that is known to be JSON.
struct Scan<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Open<'t>>,
    compact: String,
}

/// An array or object whose end was not met yet.
enum Open<'t> {
    Array,
    Object {
        names: HashSet<Cow<'t, str>>,
        /// Whether the next string is a name.
        name_next: bool,
    },
}

impl<'t> Scan<'t> {
    fn run(&mut self) -> Result<(), ParametersError> {
        let bytes = self.text.as_bytes();
        // Where the text begins that is not in the result yet.
        let mut kept = 0;
        while let Some(byte) = bytes.get(self.at) {
            let start = self.at;
            self.at += 1;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => {
                    self.compact.push_str(&self.text[kept..start]);
                    kept = self.at;
                }
                b'"' => self.string(start)?,
                b'[' => self.push(Open::Array)?,
                b'{' => self.push(Open::Object { names: HashSet::new(), name_next: true })?,
                b']' | b'}' => drop(self.open.pop()),
                b',' => {
                    if let Some(Open::Object { name_next, .. }) = self.open.last_mut() {
                        *name_next = true;
                    }
                }
                // What is left is a part of a number or a word, or a colon.
                _ => {}
            }
        }
        self.compact.push_str(&self.text[kept..]);
        Ok(())
    }

    fn push(&mut self, open: Open<'t>) -> Result<(), ParametersError> {
        if self.open.len() == MAX_DEPTH {
            return Err(ParametersError::TooDeep { position: position(&self.text[..self.at - 1]) });
        }
        self.open.push(open);
        Ok(())
    }

    /// Goes to the end of the string that begins at `start`.
    fn string(&mut self, start: usize) -> Result<(), ParametersError> {
        let bytes = self.text.as_bytes();
        let mut escapes = false;
        while bytes[self.at] != b'"' {
            escapes |= bytes[self.at] == b'\\';
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        let quoted = &self.text[start..self.at];
        let place = || position(&self.text[..start]);
        let content = if escapes {
            let decoded = serde_json::from_str::<String>(quoted);
            Cow::Owned(decoded.map_err(|_| ParametersError::NotACharacter { position: place() })?)
        } else {
            Cow::Borrowed(&quoted[1..quoted.len() - 1])
        };
        if let Some(Open::Object { names, name_next: name_next @ true }) = self.open.last_mut() {
            *name_next = false;
            if let Some(name) = names.replace(content) {
                return Err(ParametersError::RepeatedName { name: name.into_owned(), position: place() });
            }
        }
        Ok(())
    }
}

/// The place after `before`.
fn position(before: &str) -> Position {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Position {
        line: number(before.bytes().filter(|byte| *byte == b'\n').count() + 1),
        column: number(before[line_start..].chars().count() + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_space_is_dropped() {
        let check = |json: &str, expect: &str| assert_eq!(read(json.as_bytes()).unwrap(), expect, "{json}");
        check(" { } ", "{}");
        check("{\"a b\" :\r\n [ 1.00 , -0 , 1E+400 ] }", r#"{"a b":[1.00,-0,1E+400]}"#);
        check(r#"{"\u0061\"\\": "\ud83d\ude00 \/ x"}"#, r#"{"\u0061\"\\":"\ud83d\ude00 \/ x"}"#);
        check(r#"{"a":{"a":{"b":1},"b":[{"a":1},{"a":2}]}}"#, r#"{"a":{"a":{"b":1},"b":[{"a":1},{"a":2}]}}"#);
        check(r#"{"":"a","a":"","b":"a"}"#, r#"{"":"a","a":"","b":"a"}"#);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let check = |json: &[u8], expect: &str| {
            let error = read(json).unwrap_err();
            assert_eq!(error.to_string(), expect, "{}", String::from_utf8_lossy(json));
        };
        check(b"", "not valid JSON at 1:1: EOF while parsing a value");
        check(b"{\n \"a\": 01}", "not valid JSON at 2:8: invalid number");
        check(b"{\"a\":1,}", "not valid JSON at 1:8: key must be a string");
        check("{\"äöü\": x}".as_bytes(), "not valid JSON at 1:9: expected value");
        check(b"{\n", "not valid JSON at 2:1: EOF while parsing an object");
        check(b"{} {}", "not valid JSON at 1:4: trailing characters");
        check(b"{\"a\":NaN}", "not valid JSON at 1:6: expected value");
        check(b"{\n\"\xc3\xa4\xff\"}", "invalid UTF-8 at 2:3");
        check(b"[1]", "parameters are a JSON object, this is an array");
        check(b" \"{}\"", "parameters are a JSON object, this is a string");
        check(b"null", "parameters are a JSON object, this is null");
        check(b"1.5", "parameters are a JSON object, this is a number");
        check(b"{\"a\":1,\n \"\\u0061\":2}", "`a` occurs twice in one object, again at 2:2");
        check(b"{\"x\":[{\"b\":{},\"b\":1}]}", "`b` occurs twice in one object, again at 1:15");
        check(b"{\"a\":\"\\ud800\"}", "the string at 1:6 has an escape that is not a character");
        check(b"{\"\\udc00\":1}", "the string at 1:2 has an escape that is not a character");
    }
}
