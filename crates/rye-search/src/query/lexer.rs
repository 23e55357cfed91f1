//! Cutting a query into its signs.

use super::{Field, Note};

/// A sign of the query language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    And,
    Or,
    Not,
    /// A `-` right before what it excludes.
    Minus,
    Word(&'a str),
    Phrase(&'a str),
    /// `field:` with its value.
    Value(Field, &'a str),
    /// `field:` right before a parenthesis.
    Field(Field),
}

/// The tokens of `text`, and what had to be repaired on the way.
pub(super) fn tokens<'a>(text: &'a str, notes: &mut Vec<Note>) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            quote if is_quote(quote) => {
                let (text, length) = phrase(rest, notes);
                (Some(Token::Phrase(text)), length)
            }
            '-' => minus(rest, notes),
            _ => chunk(rest, notes),
        };
        tokens.extend(token);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// What stands between the quote at the beginning of `rest` and the next one, and the length of it with both.
fn phrase<'a>(rest: &'a str, notes: &mut Vec<Note>) -> (&'a str, usize) {
    let opening = rest.chars().next().map_or(0, char::len_utf8);
    let inner = &rest[opening..];
    if let Some((end, closing)) = inner.char_indices().find(|&(_, c)| is_quote(c)) {
        (&inner[..end], opening + end + closing.len_utf8())
    } else {
        notes.push(Note::UnclosedQuote);
        (inner, rest.len())
    }
}

/// Dashes negate what follows them at once, and are nothing by themselves.
fn minus<'a>(rest: &'a str, notes: &mut Vec<Note>) -> (Option<Token<'a>>, usize) {
    let after = rest.trim_start_matches('-');
    let length = rest.len() - after.len();
    if after.is_empty() || after.starts_with(char::is_whitespace) || after.starts_with(')') {
        notes.push(Note::DanglingOperator { operator: "-" });
        return (None, length);
    }
    (Some(Token::Minus), length)
}

/// A word, an operator, or the name of a field.
fn chunk<'a>(rest: &'a str, notes: &mut Vec<Note>) -> (Option<Token<'a>>, usize) {
    let ends = |c: char| c.is_whitespace() || c == '(' || c == ')' || is_quote(c);
    let length = rest.find(ends).unwrap_or(rest.len());
    let word = &rest[..length];
    let token = match word {
        "AND" => Token::And,
        "OR" => Token::Or,
        "NOT" => Token::Not,
        _ => return field(word, rest, notes).unwrap_or((Some(Token::Word(word)), length)),
    };
    (Some(token), length)
}

/// The field that `word` begins with and its value, if it has one, and the length of both.
fn field<'a>(word: &'a str, rest: &'a str, notes: &mut Vec<Note>) -> Option<(Option<Token<'a>>, usize)> {
    let (name, value) = word.split_once(':')?;
    let start = name.len() + 1;
    let next = rest[start..].chars().next().filter(|c| !c.is_whitespace());
    let has_value = next.is_some_and(|c| !matches!(c, ':' | '/' | ')'));
    let Some(field) = Field::from_spelling(name) else {
        let is_name = name.len() > 1 && name.chars().all(|c| c.is_alphabetic() || c == '_');
        if is_name && has_value {
            notes.push(Note::UnknownField { name: name.to_owned(), nearest: Field::nearest(name) });
        }
        return None;
    };
    match next {
        Some('(') => Some((Some(Token::Field(field)), start)),
        Some(c) if is_quote(c) => {
            let (text, length) = phrase(&rest[start..], notes);
            Some((Some(Token::Value(field, text)), start + length))
        }
        _ if has_value => Some((Some(Token::Value(field, value)), word.len())),
        _ => {
            if value.is_empty() {
                notes.push(Note::EmptyField { field });
            }
            None
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '«' | '»')
}
