//! A text with `${…}` in it.

use std::borrow::Cow;

use serde_json::Value;

use super::expression::text_of;
use super::expression_parser::Parser;
use super::measure::Budget;
use super::{Expression, ExpressionError, InterpolateError, MAX_VALUE_BYTES, Roots};

/// A text that was parsed once.
#[derive(Debug, Clone, PartialEq)]
pub struct TextTemplate {
    pieces: Vec<Piece>,
    source: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Literal(String),
    Expression(Expression),
}

impl TextTemplate {
    /// Reads a text.
    ///
    /// # Errors
    /// If a `${` in it begins no expression.
    pub fn parse(text: &str) -> Result<Self, ExpressionError> {
        let (mut pieces, mut literal, mut at) = (Vec::new(), String::new(), 0);
        while let Some(found) = text[at..].find("${").map(|found| at + found) {
            if found > at && text.as_bytes()[found - 1] == b'$' {
                literal.push_str(&text[at..found - 1]);
                literal.push_str("${");
                at = found + 2;
                continue;
            }
            literal.push_str(&text[at..found]);
            let mut parser = Parser::new(text, found + 2);
            let expression = parser.expression()?;
            if !literal.is_empty() {
                pieces.push(Piece::Literal(std::mem::take(&mut literal)));
            }
            pieces.push(Piece::Expression(expression));
            at = parser.at();
        }
        literal.push_str(&text[at..]);
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        Ok(Self { pieces, source: text.to_owned() })
    }

    /// The text as it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The expressions in it, in their order.
    pub fn expressions(&self) -> impl Iterator<Item = &Expression> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Literal(_) => None,
            Piece::Expression(expression) => Some(expression),
        })
    }

    /// The text that it always becomes, if there is no expression in it.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Literal(text)] => Some(text),
            _ => None,
        }
    }

    /// The expression, if there is nothing else.
    #[must_use]
    pub fn as_expression(&self) -> Option<&Expression> {
        match self.pieces.as_slice() {
            [Piece::Expression(expression)] => Some(expression),
            _ => None,
        }
    }

    /// What it becomes.
    ///
    /// # Errors
    /// If an expression leads nowhere, or the result is too large or too deep.
    pub fn render(&self, roots: &Roots<'_>) -> Result<Value, InterpolateError> {
        self.render_within(roots, &mut Budget::new(MAX_VALUE_BYTES), 0).map(Cow::into_owned)
    }

    pub(super) fn render_within<'v>(
        &'v self,
        roots: &Roots<'v>,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<Cow<'v, Value>, InterpolateError> {
        if let Some(expression) = self.as_expression() {
            let value = expression.find(roots)?;
            budget.spend_value(value, depth)?;
            return Ok(Cow::Borrowed(value));
        }
        let mut rendered = String::new();
        for piece in &self.pieces {
            let text = match piece {
                Piece::Literal(text) => Cow::Borrowed(text.as_str()),
                Piece::Expression(expression) => text_of(expression.find(roots)?),
            };
            budget.spend(text.len())?;
            rendered.push_str(&text);
        }
        Ok(Cow::Owned(Value::String(rendered)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rendered(text: &str) -> String {
        let state = json!({"n": 3, "t": "${state.n}", "null": null, "list": [1, "x"], "map": {"k": true}});
        let roots = Roots::new().with("state", &state);
        match TextTemplate::parse(text) {
            Err(error) => format!("invalid {error}"),
            Ok(template) => match template.render(&roots) {
                Ok(value) => value.to_string(),
                Err(error) => error.to_string(),
            },
        }
    }

    #[test]
    fn texts_become_values() {
        let check = |text: &str, expect: &str| assert_eq!(rendered(text), expect, "{text}");
        check("", r#""""#);
        check("plain {x} $y $", r#""plain {x} $y $""#);
        check("${state.n}", "3");
        check("${ state.n }", "3");
        check("a${state.n}b${state.t}", r#""a3b${state.n}""#);
        check("${state.t}", r#""${state.n}""#);
        check("${state.list}", r#"[1,"x"]"#);
        check("<${state.list}${state.null}>", r#""<[1,\"x\"]>""#);
        check("${state.map.k}", "true");
        check("$${state.n}", r#""${state.n}""#);
        check("a $${HOME} ${state.n}", r#""a ${HOME} 3""#);
        check("$$${state.n}", r#""$${state.n}""#);
    }

    #[test]
    fn alternatives_are_taken_in_order() {
        let check = |text: &str, expect: &str| assert_eq!(rendered(text), expect, "{text}");
        check("${state.a || state.n}", "3");
        check("${state.n||state.a}", "3");
        check("${state.a || 'x}y' }", r#""x}y""#);
        check(r#"${state.a || "q\"}"}"#, r#""q\"}""#);
        check(r#"${state.a || {"a": [1]}}"#, r#"{"a":[1]}"#);
        check("${state.a || []}", "[]");
        check("${state.a || -1.5}", "-1.5");
        check("${state.a || false}", "false");
        check("${state.null || 0}", "0");
        check("${state.null}", "null");
        check("${state.a || null}", "null");
        check("${state.a || state.b}", "there is no `state.a || state.b`");
        check("x ${state.a}", "there is no `state.a`");
        check("${other.a}", "there is no `other.a`");
    }

    #[test]
    fn mistakes_say_where() {
        let check =
            |text: &str, expect: &str| assert_eq!(rendered(text), format!("invalid at {expect}"), "{text}");
        check("ä${", "character 4: `${` has no closing brace; write `$${` for the characters themselves");
        check("${}", "character 3: expected a path such as `state.name`, or a value, found `}`");
        check("${state.a |}", "character 11: expected `||` or the end, found `|`");
        check("${state.a | state.b}", "character 11: expected `||` or the end, found `|`");
        check("${state.a || }", "character 14: expected a path such as `state.name`, or a value, found `}`");
        check("${state.a && b}", "character 11: expected `||` or the end, found `&`");
        check(
            "${state.a",
            "character 10: `${` has no closing brace; write `$${` for the characters themselves",
        );
        check("${a || 'x}", "character 8: not a JSON value: the quote is not closed");
        check("${a || [1}", "character 8: not a JSON value: expected `,` or `]`");
        check("${VAR:-x}", "character 6: expected `||` or the end, found `:`");
    }
}
