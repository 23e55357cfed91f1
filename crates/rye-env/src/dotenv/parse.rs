//! The text of a `.env` file.
//!
//! | line | gives |
//! |---|---|
//! | `NAME=value # note` | `value`: up to a `#` after a blank, without blanks around it |
//! | `export NAME=value` | the same |
//! | `NAME='a ${B}\n'` | what stands between the quotes, over several lines too |
//! | `NAME="a\tb"` | the same with `\n`, `\r`, `\t`, `\"`, `\'`, `\\`, `\$` and a backslash before a line's end |
//! | `NAME=` | an empty value |
//! | `# note` | nothing |
//!
//! Nothing is substituted: a `$` is a `$`, whatever the quotes.

/// A variable that a `.env` file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The line, counted from 1; of a value with several lines, the first.
    pub line: usize,
}

/// A line of a `.env` file that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}")]
pub struct LineError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub kind: LineErrorKind,
}

/// What is wrong with a line of a `.env` file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineErrorKind {
    /// It is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotUtf8,
    /// A NUL, which no variable can have.
    #[error("it has a NUL byte, which no variable can have")]
    Nul,
    /// It does not begin with a name.
    #[error("it does not begin with a name of letters, digits and `_`")]
    NoName,
    /// There is no `=` after the name.
    #[error("there is no `=` after the name")]
    NoEquals,
    /// A quote that is opened and not closed.
    #[error("the quote that opens here is not closed")]
    OpenQuote,
    /// A backslash before something that needs none.
    #[error("`\\{escape}` is no escape; write `\\\\` for a backslash, or use single quotes")]
    UnknownEscape {
        /// What stands behind the backslash.
        escape: char,
    },
    /// Something after the closing quote that is no comment.
    #[error("something stands behind the closing quote")]
    AfterQuote,
}

/// Reads the text of a `.env` file: every line, those too that would not count.
///
/// # Errors
/// At the first line that cannot be understood.
pub fn parse_dotenv(bytes: &[u8]) -> Result<Vec<Assignment>, LineError> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
        Err(error) => {
            let line = 1 + count_lines(&bytes[..error.valid_up_to()]);
            return Err(LineError { line, kind: LineErrorKind::NotUtf8 });
        }
    };
    if let Some(at) = text.find('\0') {
        return Err(LineError { line: 1 + count_lines(&text.as_bytes()[..at]), kind: LineErrorKind::Nul });
    }
    let mut lines = Lines { rest: text, line: 1 };
    let mut assignments = Vec::new();
    while !lines.rest.is_empty() {
        let line = lines.line;
        match lines.assignment() {
            Ok(assignment) => assignments.extend(assignment),
            Err(kind) => return Err(LineError { line, kind }),
        }
    }
    Ok(assignments)
}

/// What is left to read.
struct Lines<'t> {
    rest: &'t str,
    line: usize,
}

impl<'t> Lines<'t> {
    /// Reads one line, or as many as a quoted value has.
    fn assignment(&mut self) -> Result<Option<Assignment>, LineErrorKind> {
        let line = self.line;
        self.skip_blanks();
        if self.at_line_end() || self.rest.starts_with('#') {
            self.take_line();
            return Ok(None);
        }
        let mut name = self.take_name();
        if name == "export" && self.rest.starts_with(is_blank) {
            self.skip_blanks();
            name = self.take_name();
        }
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(LineErrorKind::NoName);
        }
        self.skip_blanks();
        self.rest = self.rest.strip_prefix('=').ok_or(LineErrorKind::NoEquals)?;
        self.skip_blanks();
        let value = match self.rest.chars().next() {
            Some(quote @ ('\'' | '"')) => self.quoted(quote)?,
            _ => self.unquoted(),
        };
        Ok(Some(Assignment { name: name.to_owned(), value, line }))
    }

    fn unquoted(&mut self) -> String {
        let line = self.take_line();
        let mut after_blank = true;
        let comment = line.find(|c| {
            let starts = after_blank && c == '#';
            after_blank = is_blank(c);
            starts
        });
        line[..comment.unwrap_or(line.len())].trim_matches(is_blank).to_owned()
    }

    fn quoted(&mut self, quote: char) -> Result<String, LineErrorKind> {
        let mut value = String::new();
        let mut chars = self.rest[1..].char_indices();
        let end = loop {
            match chars.next().ok_or(LineErrorKind::OpenQuote)? {
                (at, c) if c == quote => break 1 + at + 1,
                (_, '\\') if quote == '"' => {
                    let (_, escape) = chars.next().ok_or(LineErrorKind::OpenQuote)?;
                    value.extend(unescape(escape)?);
                }
                (_, c) => value.push(c),
            }
        };
        self.line += count_lines(&self.rest.as_bytes()[..end]);
        self.rest = &self.rest[end..];
        self.skip_blanks();
        if !self.at_line_end() && !self.rest.starts_with('#') {
            return Err(LineErrorKind::AfterQuote);
        }
        self.take_line();
        Ok(value)
    }

    fn take_name(&mut self) -> &'t str {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let end = self.rest.find(|c| !is_name(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest;
        name
    }

    /// The rest of the line, without its end.
    fn take_line(&mut self) -> &'t str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        self.line += 1;
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches(is_blank);
    }

    fn at_line_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with('\n') || self.rest.starts_with("\r\n")
    }
}

/// What a backslash and `escape` stand for; nothing if it joins two lines.
fn unescape(escape: char) -> Result<Option<char>, LineErrorKind> {
    match escape {
        'n' => Ok(Some('\n')),
        'r' => Ok(Some('\r')),
        't' => Ok(Some('\t')),
        '"' | '\'' | '\\' | '$' => Ok(Some(escape)),
        '\n' => Ok(None),
        escape => Err(LineErrorKind::UnknownEscape { escape }),
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

/// How many lines end in these bytes.
fn count_lines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expect: &[(&str, &str, usize)]) {
        let found = parse_dotenv(text.as_bytes()).unwrap();
        let found: Vec<_> = found.iter().map(|a| (a.name.as_str(), a.value.as_str(), a.line)).collect();
        assert_eq!(found, expect, "{text:?}");
    }

    fn refused(text: impl AsRef<[u8]>, line: usize, kind: LineErrorKind) {
        let text = text.as_ref();
        assert_eq!(parse_dotenv(text), Err(LineError { line, kind }), "{:?}", String::from_utf8_lossy(text));
    }

    #[test]
    fn plain_lines() {
        check("", &[]);
        check("A=1", &[("A", "1", 1)]);
        check("A=1\n\n# note\n  B = two words \t\r\n", &[("A", "1", 1), ("B", "two words", 4)]);
        check("\u{feff}A=1\r\nB=2\r\n", &[("A", "1", 1), ("B", "2", 2)]);
        check("export A=1\nexport=2\nexport B =3", &[("A", "1", 1), ("export", "2", 2), ("B", "3", 3)]);
        check(
            "A=\nB=  \nC=#x\nD=x#y\nE=x #y",
            &[("A", "", 1), ("B", "", 2), ("C", "", 3), ("D", "x#y", 4), ("E", "x", 5)],
        );
        check("URL=https://u:p@h/?a=b&c='d'", &[("URL", "https://u:p@h/?a=b&c='d'", 1)]);
        check("A=${B}$(c)`d`\\n", &[("A", "${B}$(c)`d`\\n", 1)]);
        check("a.b_C9=1", &[("a.b_C9", "1", 1)]);
    }

    #[test]
    fn quotes() {
        check(r"A='a # ${B}\n' # note", &[("A", r"a # ${B}\n", 1)]);
        check(r#"A="a # ${B}\n\"\$\\\t""#, &[("A", "a # ${B}\n\"$\\\t", 1)]);
        check("A=\"1\n2\"\nB='3\n4'\nC=5", &[("A", "1\n2", 1), ("B", "3\n4", 3), ("C", "5", 5)]);
        check("A=\"1\\\n2\"\nB=3", &[("A", "12", 1), ("B", "3", 3)]);
        check("A=''\nB=\"\"", &[("A", "", 1), ("B", "", 2)]);
    }

    #[test]
    fn bad_lines_are_told_with_their_place() {
        refused("A=1\nB", 2, LineErrorKind::NoEquals);
        refused("A B=1", 1, LineErrorKind::NoEquals);
        refused("export A", 1, LineErrorKind::NoEquals);
        refused("=1", 1, LineErrorKind::NoName);
        refused("9A=1", 1, LineErrorKind::NoName);
        refused("\n\nBASH_FUNC_x%%=() { :; }", 3, LineErrorKind::NoEquals);
        refused("Ä=1", 1, LineErrorKind::NoName);
        refused("A='1\n2\n3", 1, LineErrorKind::OpenQuote);
        refused("A=\"1\\", 1, LineErrorKind::OpenQuote);
        refused("A='1\n2' 3", 1, LineErrorKind::AfterQuote);
        refused(r#"A="C:\Users""#, 1, LineErrorKind::UnknownEscape { escape: 'U' });
        refused(b"A=1\nB=\xff", 2, LineErrorKind::NotUtf8);
        refused(b"A=1\nB=a\0b", 2, LineErrorKind::Nul);
    }

    proptest! {
        #[test]
        fn any_value_survives_double_quotes(value in "[^\0]*") {
            let escaped: String = value.chars().flat_map(|c| {
                let escape = matches!(c, '"' | '\\').then_some('\\');
                escape.into_iter().chain([c])
            }).collect();
            let found = parse_dotenv(format!("B=1\nA=\"{escaped}\"\nC='x'").as_bytes()).unwrap();
            prop_assert_eq!(&found[1].value, &value);
            prop_assert_eq!(found[2].line, 3 + count_lines(value.as_bytes()));
        }

        #[test]
        fn any_bytes_give_a_result(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse_dotenv(&bytes);
        }
    }
}
