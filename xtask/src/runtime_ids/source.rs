//! The string literals of a Rust source file that are not in comments or test modules.
//!
//! This is a lexer and no parser: it knows where literals, comments and braces are, and nothing else. Escapes in
//! a literal stay as written, and only a plain `#[cfg(test)]` makes an item a test.

use std::iter::Peekable;
use std::str::Chars;

/// What is left of a file for this check.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    pub(super) literals: Vec<Literal>,
    /// The names in `#[cfg(test)] mod name;`, whose files are tests too.
    pub(super) test_modules: Vec<String>,
}

/// A string literal without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) text: String,
    pub(super) line: usize,
}

impl Source {
    pub(super) fn read(text: &str) -> Self {
        let tokens = Lexer { chars: text.chars().peekable(), line: 1 }.tokens();
        let mut source = Self::default();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let Some(item) = test_item(&tokens[at..]) {
                source.test_modules.extend(item.module);
                at += item.length;
                continue;
            }
            if let Token::Literal(literal) = token {
                source.literals.push(literal.clone());
            }
            at += 1;
        }
        source
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    Literal(Literal),
    Word(String),
    Mark(char),
}

struct TestItem {
    length: usize,
    module: Option<String>,
}

/// The item behind a `#[cfg(test)]` that stands at the start of these tokens, that attribute included.
fn test_item(tokens: &[Token]) -> Option<TestItem> {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let starts =
        tokens.len() >= ATTRIBUTE.len() && tokens.iter().zip(ATTRIBUTE).all(|(token, want)| token.is(want));
    if !starts {
        return None;
    }
    let mut depth = 0_usize;
    let mut module = None;
    for (index, token) in tokens.iter().enumerate().skip(ATTRIBUTE.len()) {
        match token {
            Token::Word(word) if word == "mod" && depth == 0 => {
                module = tokens.get(index + 1).and_then(Token::word).map(str::to_owned);
            }
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark(')' | ']') => depth = depth.saturating_sub(1),
            Token::Mark('}') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(TestItem { length: index + 1, module: None });
                }
            }
            Token::Mark(';') if depth == 0 => return Some(TestItem { length: index + 1, module }),
            _ => {}
        }
    }
    Some(TestItem { length: tokens.len(), module: None })
}

impl Token {
    fn is(&self, text: &str) -> bool {
        match self {
            Self::Word(word) => word == text,
            Self::Mark(mark) => text.starts_with(*mark) && text.len() == mark.len_utf8(),
            Self::Literal(_) => false,
        }
    }

    fn word(&self) -> Option<&str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Literal(_) | Self::Mark(_) => None,
        }
    }
}

struct Lexer<'a> {
    chars: Peekable<Chars<'a>>,
    line: usize,
}

impl Lexer<'_> {
    fn tokens(mut self) -> Vec<Token> {
        let mut tokens = Vec::new();
        while let Some(first) = self.next() {
            match first {
                '/' if self.chars.peek() == Some(&'/') => while self.next().is_some_and(|c| c != '\n') {},
                '/' if self.chars.peek() == Some(&'*') => self.skip_block_comment(),
                '"' => tokens.push(self.string()),
                '\'' => self.skip_char_or_lifetime(),
                c if c.is_alphabetic() || c == '_' => tokens.push(self.word_or_prefixed_string(c)),
                c if c.is_whitespace() => {}
                c => tokens.push(Token::Mark(c)),
            }
        }
        tokens
    }

    fn next(&mut self) -> Option<char> {
        let c = self.chars.next();
        self.line += usize::from(c == Some('\n'));
        c
    }

    /// Block comments nest.
    fn skip_block_comment(&mut self) {
        let mut depth = 0_usize;
        let mut before = '/';
        while let Some(c) = self.next() {
            match (before, c) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    before = c;
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
            before = ' ';
        }
    }

    /// The rest of a string whose opening quote is read.
    fn string(&mut self) -> Token {
        let line = self.line;
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '"' => break,
                '\\' => {
                    text.push(c);
                    text.extend(self.next());
                }
                c => text.push(c),
            }
        }
        Token::Literal(Literal { text, line })
    }

    /// The rest of a raw string whose opening quote is read.
    fn raw_string(&mut self, hashes: usize) -> Token {
        let line = self.line;
        let end = format!("\"{}", "#".repeat(hashes));
        let mut text = String::new();
        while let Some(c) = self.next() {
            text.push(c);
            if text.ends_with(&end) {
                text.truncate(text.len() - end.len());
                break;
            }
        }
        Token::Literal(Literal { text, line })
    }

    fn word_or_prefixed_string(&mut self, first: char) -> Token {
        let mut word = String::from(first);
        while let Some(c) = self.chars.next_if(|c| c.is_alphanumeric() || *c == '_') {
            word.push(c);
        }
        let is_raw = matches!(word.as_str(), "r" | "br" | "cr");
        let is_prefix = is_raw || matches!(word.as_str(), "b" | "c");
        if is_prefix && self.chars.peek() == Some(&'"') {
            self.next();
            return if is_raw { self.raw_string(0) } else { self.string() };
        }
        if is_raw && self.chars.peek() == Some(&'#') {
            return self.raw_string_or_identifier(word);
        }
        Token::Word(word)
    }

    fn raw_string_or_identifier(&mut self, prefix: String) -> Token {
        let mut hashes = 0;
        while self.chars.next_if_eq(&'#').is_some() {
            hashes += 1;
        }
        if self.chars.next_if_eq(&'"').is_some() { self.raw_string(hashes) } else { Token::Word(prefix) }
    }

    /// `'a'` and `'\''` are read whole; of `'static` only the quote, the rest is a word.
    fn skip_char_or_lifetime(&mut self) {
        let mut ahead = self.chars.clone();
        match (ahead.next(), ahead.next()) {
            (Some('\\'), _) => {
                self.next();
                self.next();
                while self.next().is_some_and(|c| c != '\'') {}
            }
            (Some(_), Some('\'')) => {
                self.next();
                self.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &str, expect: &[(&str, usize)]) {
        let literals = Source::read(source).literals;
        let found: Vec<_> = literals.iter().map(|literal| (literal.text.as_str(), literal.line)).collect();
        assert_eq!(found, expect, "{source}");
    }

    #[test]
    fn every_form_of_string_is_found() {
        check(r#"f("a"); g(b"b", c"c")"#, &[("a", 1), ("b", 1), ("c", 1)]);
        check("r\"a\\\" r#\"b\"c\"# br##\"d\"#e\"##", &[("a\\", 1), ("b\"c", 1), ("d\"#e", 1)]);
        check(r#""say \"hi\"" "next""#, &[(r#"say \"hi\""#, 1), ("next", 1)]);
        check("\n\n\"third\nline\" \"fourth\"", &[("third\nline", 3), ("fourth", 4)]);
    }

    #[test]
    fn comments_are_not_code() {
        check("// \"a\"\n/// \"b\"\n/* \"c\" /* \"d\" */ \"e\" */ \"f\"", &[("f", 3)]);
        check("\"// no comment\" \"/*\"", &[("// no comment", 1), ("/*", 1)]);
        check("/**/ \"a\" /***/ \"b\"", &[("a", 1), ("b", 1)]);
    }

    #[test]
    fn quotes_of_chars_and_lifetimes_open_no_string() {
        check(r#"'"' "a" '\'' "b" b'"' "c" '\u{22}' "d""#, &[("a", 1), ("b", 1), ("c", 1), ("d", 1)]);
        check(r#"fn f<'a>(x: &'a str) -> &'static str { "x" }"#, &[("x", 1)]);
        check(r#"r#type "a""#, &[("a", 1)]);
    }

    #[test]
    fn test_items_are_left_out() {
        check("#[cfg(test)]\nmod tests { fn f() { \"}\"; } }\nfn g() { \"a\" }", &[("a", 3)]);
        check("#[cfg(test)] #[allow(x)] fn f(a: [u8; 2]) { \"a\" } \"b\"", &[("b", 1)]);
        check("#[cfg(not(test))] fn f() { \"a\" }", &[("a", 1)]);
        check("#[cfg(test)] use a::{b}; const C: &str = \"a\";", &[("a", 1)]);
    }

    #[test]
    fn test_modules_in_other_files_are_named() {
        assert_eq!(Source::read("#[cfg(test)]\nmod cases;\nmod real;").test_modules, ["cases"]);
    }
}
