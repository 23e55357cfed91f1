//! Reading a query. Whatever a person types is read as something, and what was repaired is told.

use super::lexer::{Token, tokens};
use super::pattern::Pattern;
use super::{Field, Note, Query};

/// The most bytes of a query that are read.
const MAX_BYTES: usize = 32 * 1024;
/// The most words, phrases and values.
const MAX_TERMS: usize = 64;
/// The most bytes of one of them.
const MAX_TERM_BYTES: usize = 256;
/// The most parentheses inside of each other.
const MAX_DEPTH: usize = 16;

/// A query as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedQuery {
    /// What is sought.
    pub query: Query,
    /// What had to be repaired to read it.
    pub notes: Vec<Note>,
}

impl Query {
    /// Reads a query. There is none that cannot be read; an empty one asks for everything.
    ///
    /// ```
    /// use rye_search::Query;
    ///
    /// let parsed = Query::parse("read (file OR \"text document\" -type:directive");
    /// assert_eq!(parsed.query.to_string(), "read (file OR \"text document\" NOT kind:directive)");
    /// assert_eq!(parsed.notes[0].to_string(), "1 opening parentheses are not closed");
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> ParsedQuery {
        let mut notes = Vec::new();
        let mut text = text;
        if text.len() > MAX_BYTES {
            text = &text[..text.floor_char_boundary(MAX_BYTES)];
            notes.push(Note::TooLong);
        }
        let tokens = tokens(text, &mut notes);
        let mut parser =
            Parser { tokens: &tokens, terms: 0, depth: 0, ignored: 0, stray: 0, unclosed: 0, notes };
        let query = parser.either(None).unwrap_or(Self::All);
        parser.finish(query)
    }
}

struct Parser<'t, 'a> {
    /// What is still to be read.
    tokens: &'t [Token<'a>],
    terms: usize,
    depth: usize,
    /// Opening parentheses that were passed over, and so must be their closing ones.
    ignored: usize,
    stray: usize,
    unclosed: usize,
    notes: Vec<Note>,
}

impl<'a> Parser<'_, 'a> {
    fn finish(mut self, query: Query) -> ParsedQuery {
        if self.unclosed > 0 {
            self.note(Note::UnclosedParentheses { count: self.unclosed });
        }
        if self.stray > 0 {
            self.note(Note::StrayParentheses { count: self.stray });
        }
        ParsedQuery { query, notes: self.notes }
    }

    fn peek(&mut self) -> Option<Token<'a>> {
        loop {
            match self.tokens.first()? {
                Token::Close if self.ignored > 0 => self.ignored -= 1,
                Token::Close if self.depth == 0 => self.stray += 1,
                token => return Some(token.clone()),
            }
            self.advance();
        }
    }

    fn advance(&mut self) {
        self.tokens = &self.tokens[1..];
    }

    fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Alternatives, up to the end or to the parenthesis that closes them.
    fn either(&mut self, field: Option<Field>) -> Option<Query> {
        let mut alternatives = Vec::new();
        loop {
            let alternative = self.both(field);
            let is_missing = alternative.is_none();
            alternatives.extend(alternative);
            let goes_on = self.peek() == Some(Token::Or);
            if is_missing && (goes_on || !alternatives.is_empty()) {
                self.note(Note::DanglingOperator { operator: "OR" });
            }
            if !goes_on {
                return Query::or(alternatives);
            }
            self.advance();
        }
    }

    /// What has to hold at once.
    fn both(&mut self, field: Option<Field>) -> Option<Query> {
        let mut parts = Vec::new();
        let mut after_and = false;
        loop {
            match self.peek() {
                None | Some(Token::Or | Token::Close) => break,
                Some(Token::And) => {
                    self.advance();
                    if after_and || parts.is_empty() {
                        self.note(Note::DanglingOperator { operator: "AND" });
                    }
                    after_and = true;
                }
                Some(_) => {
                    parts.extend(self.one(field));
                    after_and = false;
                }
            }
        }
        if after_and {
            self.note(Note::DanglingOperator { operator: "AND" });
        }
        Query::and(parts)
    }

    /// One term, one group, or the negation of it.
    fn one(&mut self, field: Option<Field>) -> Option<Query> {
        let mut is_negated = false;
        let mut field = field;
        loop {
            let token = self.peek();
            let operator = match token {
                Some(Token::Not) => "NOT",
                _ => "-",
            };
            if !matches!(token, None | Some(Token::And | Token::Or | Token::Close)) {
                self.advance();
            }
            let found = match token {
                Some(Token::Not | Token::Minus) => {
                    is_negated = !is_negated;
                    continue;
                }
                Some(Token::Field(named)) => {
                    field = Some(named);
                    continue;
                }
                Some(Token::Value(named, text)) => self.phrase(text, Some(named)),
                Some(Token::Word(text)) => self.word(text, field),
                Some(Token::Phrase(text)) => self.phrase(text, field),
                Some(Token::Open) => self.group(field),
                None | Some(Token::And | Token::Or | Token::Close) => {
                    let operator = if is_negated { "NOT" } else { operator };
                    self.note(Note::DanglingOperator { operator });
                    None
                }
            };
            return found.map(|query| if is_negated { query.negated() } else { query });
        }
    }

    fn group(&mut self, field: Option<Field>) -> Option<Query> {
        if self.depth == MAX_DEPTH {
            self.note(Note::TooDeep);
            self.ignored += 1;
            return None;
        }
        self.depth += 1;
        let inner = self.either(field);
        match self.peek() {
            Some(_) => self.advance(),
            None => self.unclosed += 1,
        }
        self.depth -= 1;
        inner
    }

    fn word(&mut self, text: &'a str, field: Option<Field>) -> Option<Query> {
        if field.is_none() && text.bytes().all(|byte| byte == b'*') {
            return self.term(text).map(|_| Query::All);
        }
        self.term(text).map(|text| match field {
            Some(field) => Query::Field { field, value: Pattern::new(text) },
            None => Query::Word(Pattern::new(text)),
        })
    }

    fn phrase(&mut self, text: &'a str, field: Option<Field>) -> Option<Query> {
        let text = text.trim();
        self.term(text).map(|text| match field {
            Some(field) => Query::Field { field, value: Pattern::new(text) },
            None => Query::Phrase(text.to_owned()),
        })
    }

    /// Counts a term, and shortens it if it is too long.
    fn term(&mut self, text: &'a str) -> Option<&'a str> {
        let mut text = text;
        if text.len() > MAX_TERM_BYTES {
            self.note(Note::TooLong);
            text = text[..text.floor_char_boundary(MAX_TERM_BYTES)].trim();
        }
        if !text.contains(|c: char| c.is_alphanumeric() || c == '*') {
            self.note(Note::NothingToSearch { text: text.to_owned() });
            return None;
        }
        if self.terms == MAX_TERMS {
            self.note(Note::TooManyTerms);
            return None;
        }
        self.terms += 1;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str, notes: &[&str]) {
        let parsed = Query::parse(text);
        assert_eq!(parsed.query.to_string(), expect, "{text}");
        let shown: Vec<String> = parsed.notes.iter().map(ToString::to_string).collect();
        assert_eq!(shown, notes, "{text}");
    }

    #[test]
    fn words_are_joined_by_and_before_or() {
        check("file read", "file read", &[]);
        check("file AND read", "file read", &[]);
        check("a b OR c d", "a b OR c d", &[]);
        check("(a OR b) c", "(a OR b) c", &[]);
        check("a (b c) ((d))", "a b c d", &[]);
        check("and or not", "and or not", &[]);
        check("", "*", &[]);
        check("  * ", "*", &[]);
    }

    #[test]
    fn what_is_left_of_a_long_term_must_be_searchable() {
        let long = format!("tag:({}a)", "[".repeat(300));
        assert_eq!(Query::parse(&long).query, Query::All);
    }

    #[test]
    fn exclusions_have_two_spellings() {
        check("a -b NOT c", "a NOT b NOT c", &[]);
        check("-(a OR b) x-y", "NOT (a OR b) x-y", &[]);
        check("NOT -a", "a", &[]);
        check("-\"a b\" -tag:c", "NOT \"a b\" NOT tag:c", &[]);
    }

    #[test]
    fn fields_have_values() {
        check(
            "type:tool cat:rye/core* tags:\"two words\"",
            "kind:tool category:rye/core* tag:\"two words\"",
            &[],
        );
        check("EXECUTOR_ID:script", "executor:script", &[]);
        check("tag:(a OR -b)", "tag:a OR NOT tag:b", &[]);
        check("https://example.com/x std::io 12:30", "https://example.com/x std::io 12:30", &[]);
    }

    #[test]
    fn nothing_fails() {
        check("\"open", "\"open\"", &["a quote is not closed: it was read up to the end"]);
        check("((a OR b", "a OR b", &["2 opening parentheses are not closed"]);
        check("a) b)", "a b", &["2 closing parentheses were ignored"]);
        check("OR a AND", "a", &["`OR` has nothing to work on", "`AND` has nothing to work on"]);
        check("a OR", "a", &["`OR` has nothing to work on"]);
        check("a NOT", "a", &["`NOT` has nothing to work on"]);
        check("a - b", "a b", &["`-` has nothing to work on"]);
        check(
            "!!! \"\" a",
            "a",
            &["`!!!` has no letter or digit to search for", "`` has no letter or digit to search for"],
        );
        check("tag: a", "tag: a", &["`tag:` has no value: it was searched as text"]);
        check("()", "*", &[]);
        check(
            "catgory:x colour:red",
            "catgory:x colour:red",
            &[
                "there is no field `catgory`: it was searched as text; did you mean `category`?",
                "there is no field `colour`: it was searched as text; the fields are `kind`, `space`, `category`, \
                 `executor`, `version`, `tag`, `id`, `name`",
            ],
        );
    }

    #[test]
    fn size_is_bounded() {
        let deep = format!("{}a{}", "(".repeat(5000), ")".repeat(5000));
        check(&deep, "a", &["the query is nested too deeply: the innermost parentheses were ignored"]);
        let parsed = Query::parse(&"word ".repeat(100));
        assert_eq!((parsed.query.conjuncts().len(), parsed.notes), (MAX_TERMS, vec![Note::TooManyTerms]));
        let parsed = Query::parse(&"é".repeat(50_000));
        assert_eq!(parsed.notes, [Note::TooLong]);
        assert_eq!(parsed.query.to_string().len(), MAX_TERM_BYTES);
    }

    fn query_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("("),
            Just(")"),
            Just("\""),
            Just("-"),
            Just(" "),
            Just(" OR "),
            Just(" AND "),
            Just("NOT "),
            Just("tag:"),
            Just("type:"),
            Just("colour:"),
            Just("*"),
            Just("a"),
            Just("bc"),
            Just("é"),
            Just("..."),
            Just(":"),
            Just("/"),
            Just("“"),
            Just("\u{a0}"),
            Just("x-y"),
            Just("'")
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_shown_is_read_as_the_same(text in query_text()) {
            let query = Query::parse(&text).query;
            prop_assert_eq!(Query::parse(&query.to_string()).query, query);
        }

        #[test]
        fn anything_is_read(text in any::<String>()) {
            let query = Query::parse(&text).query;
            prop_assert_eq!(Query::parse(&query.to_string()).query, query);
        }
    }
}
