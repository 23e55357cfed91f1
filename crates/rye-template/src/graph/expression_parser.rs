//! Reads expressions and paths, in time proportional to their length.

use serde_json::Value;

use super::path::is_name_character;
use super::{Expression, ExpressionError, ExpressionErrorKind, Path, PathStep, Term};

/// A place in a text.
pub(super) struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    /// Where reading goes on, in bytes.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    pub(super) fn error(&self, kind: ExpressionErrorKind) -> ExpressionError {
        ExpressionError { character: self.text[..self.at].chars().count() + 1, kind }
    }

    /// Reads an expression and the brace that closes it.
    pub(super) fn expression(&mut self) -> Result<Expression, ExpressionError> {
        let start = self.at;
        let mut terms = Vec::new();
        loop {
            self.skip_spaces();
            terms.push(self.term()?);
            self.skip_spaces();
            if self.rest().starts_with("||") {
                self.at += 2;
                continue;
            }
            return match self.peek() {
                Some('}') => {
                    let source = self.text[start..self.at].trim().to_owned();
                    self.at += 1;
                    Ok(Expression { terms, source })
                }
                None => Err(self.error(ExpressionErrorKind::Unclosed)),
                found => Err(self.error(ExpressionErrorKind::NoOperator { found })),
            };
        }
    }

    /// Reads a name and the steps after it.
    pub(super) fn path(&mut self) -> Result<Path, ExpressionError> {
        let root = self.name();
        if root.is_empty() {
            return Err(self.error(ExpressionErrorKind::NoTerm { found: self.peek() }));
        }
        let mut steps = Vec::new();
        loop {
            match self.peek() {
                Some('.') => {
                    self.at += 1;
                    let key = self.name();
                    if key.is_empty() {
                        return Err(self.bad_step());
                    }
                    steps.push(PathStep::Key(key.to_owned()));
                }
                Some('[') => {
                    self.at += 1;
                    steps.push(self.bracket()?);
                }
                _ => return Ok(Path { root: root.to_owned(), steps }),
            }
        }
    }

    fn term(&mut self) -> Result<Term, ExpressionError> {
        match self.peek() {
            Some('\'') => self.quoted().map(|text| Term::Literal(Value::from(text))),
            Some('"' | '[' | '{' | '-' | '0'..='9') => self.json().map(Term::Literal),
            Some(_) => {
                let path = self.path()?;
                let literal = match path.root.as_str() {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" => Value::Null,
                    _ => return Ok(Term::Path(path)),
                };
                if path.steps.is_empty() { Ok(Term::Literal(literal)) } else { Ok(Term::Path(path)) }
            }
            None => Err(self.error(ExpressionErrorKind::Unclosed)),
        }
    }

    /// What stands between brackets, and the closing one.
    fn bracket(&mut self) -> Result<PathStep, ExpressionError> {
        self.skip_spaces();
        let step = match self.peek() {
            Some('\'') => PathStep::Key(self.quoted()?.to_owned()),
            Some('"') => match self.json()? {
                Value::String(key) => PathStep::Key(key),
                _ => return Err(self.bad_step()),
            },
            _ => PathStep::Index(self.index()?),
        };
        self.skip_spaces();
        if self.peek() != Some(']') {
            return Err(self.bad_step());
        }
        self.at += 1;
        Ok(step)
    }

    fn index(&mut self) -> Result<i64, ExpressionError> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
        let index = rest[..end].parse().map_err(|_| self.bad_step())?;
        self.at += end;
        Ok(index)
    }

    /// A text between single quotes, which has none inside.
    fn quoted(&mut self) -> Result<&'t str, ExpressionError> {
        let inside = &self.text[self.at + 1..];
        let end = inside.find('\'').ok_or_else(|| {
            self.error(ExpressionErrorKind::BadLiteral { message: "the quote is not closed".to_owned() })
        })?;
        self.at += end + 2;
        Ok(&inside[..end])
    }

    /// One JSON value, whatever comes after it.
    fn json(&mut self) -> Result<Value, ExpressionError> {
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                self.at += values.byte_offset();
                Ok(value)
            }
            Some(Err(error)) => {
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default().to_owned();
                Err(self.error(ExpressionErrorKind::BadLiteral { message }))
            }
            None => Err(self.error(ExpressionErrorKind::Unclosed)),
        }
    }

    fn name(&mut self) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|c: char| !is_name_character(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn bad_step(&self) -> ExpressionError {
        self.error(ExpressionErrorKind::BadStep { found: self.peek() })
    }
}
