//! A value whose texts are templates.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::measure::Budget;
use super::{Expression, ExpressionError, InterpolateError, MAX_VALUE_BYTES, Roots, TextTemplate};

/// A value that was parsed once: what is in it may depend on paths. Keys of maps never do.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueTemplate {
    /// A value without any expression.
    Literal(Value),
    /// A text with at least one expression.
    Text(TextTemplate),
    /// A list, in which something has an expression.
    List(Vec<ValueTemplate>),
    /// A map, in which something has an expression.
    Map(Vec<(String, ValueTemplate)>),
}

impl ValueTemplate {
    /// Reads a value. Nesting is followed as far as the value goes, so it has to be one that was read with a limit.
    ///
    /// # Errors
    /// If a text in it cannot be read.
    pub fn parse(value: &Value) -> Result<Self, ExpressionError> {
        Ok(match value {
            Value::String(text) => Self::text(TextTemplate::parse(text)?),
            Value::Array(items) => Self::list(items.iter().map(Self::parse).collect::<Result<_, _>>()?),
            Value::Object(map) => {
                let entries = map.iter().map(|(key, item)| Ok((key.clone(), Self::parse(item)?)));
                Self::map(entries.collect::<Result<_, _>>()?)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Self::Literal(value.clone()),
        })
    }

    /// The template of a text.
    #[must_use]
    pub fn text(template: TextTemplate) -> Self {
        match template.as_literal() {
            Some(text) => Self::Literal(Value::from(text)),
            None => Self::Text(template),
        }
    }

    /// The template of a list.
    #[must_use]
    pub fn list(items: Vec<Self>) -> Self {
        match items.iter().map(|item| item.as_literal().cloned()).collect() {
            Some(values) => Self::Literal(Value::Array(values)),
            None => Self::List(items),
        }
    }

    /// The template of a map.
    #[must_use]
    pub fn map(entries: Vec<(String, Self)>) -> Self {
        let literal: Option<Map<_, _>> =
            entries.iter().map(|(key, item)| Some((key.clone(), item.as_literal()?.clone()))).collect();
        match literal {
            Some(map) => Self::Literal(Value::Object(map)),
            None => Self::Map(entries),
        }
    }

    /// The value that it always becomes, if it depends on nothing.
    #[must_use]
    pub fn as_literal(&self) -> Option<&Value> {
        match self {
            Self::Literal(value) => Some(value),
            Self::Text(_) | Self::List(_) | Self::Map(_) => None,
        }
    }

    /// What it becomes.
    ///
    /// # Errors
    /// If an expression leads nowhere, or the result is too large or too deep.
    pub fn render(&self, roots: &Roots<'_>) -> Result<Value, InterpolateError> {
        self.resolve(roots).map(Cow::into_owned)
    }

    /// What it becomes, borrowed where nothing has to be put together.
    ///
    /// # Errors
    /// As for [`Self::render`].
    pub fn resolve<'v>(&'v self, roots: &Roots<'v>) -> Result<Cow<'v, Value>, InterpolateError> {
        self.render_within(roots, &mut Budget::new(MAX_VALUE_BYTES), 0)
    }

    /// Calls `visit` with every expression.
    pub fn for_each_expression<'t>(&'t self, visit: &mut impl FnMut(&'t Expression)) {
        match self {
            Self::Literal(_) => {}
            Self::Text(text) => text.expressions().for_each(visit),
            Self::List(items) => items.iter().for_each(|item| item.for_each_expression(visit)),
            Self::Map(entries) => entries.iter().for_each(|(_, item)| item.for_each_expression(visit)),
        }
    }

    fn render_within<'v>(
        &'v self,
        roots: &Roots<'v>,
        budget: &mut Budget,
        depth: usize,
    ) -> Result<Cow<'v, Value>, InterpolateError> {
        match self {
            Self::Literal(value) => {
                budget.spend_value(value, depth)?;
                Ok(Cow::Borrowed(value))
            }
            Self::Text(text) => text.render_within(roots, budget, depth),
            Self::List(items) => {
                let items =
                    items.iter().map(|item| Ok(item.render_within(roots, budget, depth + 1)?.into_owned()));
                Ok(Cow::Owned(Value::Array(items.collect::<Result<_, _>>()?)))
            }
            Self::Map(entries) => {
                let entries = entries.iter().map(|(key, item)| {
                    budget.spend(key.len())?;
                    Ok((key.clone(), item.render_within(roots, budget, depth + 1)?.into_owned()))
                });
                Ok(Cow::Owned(Value::Object(entries.collect::<Result<_, _>>()?)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_keep_their_shape() {
        let state = json!({"n": 1, "list": ["${state.n}"]});
        let roots = Roots::new().with("state", &state);
        let check = |value: Value, expect: Value| {
            assert_eq!(ValueTemplate::parse(&value).unwrap().render(&roots).unwrap(), expect);
        };
        check(json!({"${state.n}": "${state.n}"}), json!({"${state.n}": 1}));
        check(json!([1, null, {"a": ["${state.list}"]}]), json!([1, null, {"a": [["${state.n}"]]}]));
        check(json!({"a": "$${x}", "b": []}), json!({"a": "${x}", "b": []}));
        assert_eq!(
            ValueTemplate::parse(&json!({"a": [1, "x"]})).unwrap().as_literal(),
            Some(&json!({"a": [1, "x"]}))
        );
        assert_eq!(ValueTemplate::parse(&json!({"a": ["${b}"]})).unwrap().as_literal(), None);
    }

    #[test]
    fn what_grows_too_large_is_refused() {
        let mut deep = json!(1);
        for _ in 0..super::super::MAX_VALUE_DEPTH {
            deep = json!([deep]);
        }
        let roots = Roots::new().with("state", &deep);
        assert!(ValueTemplate::parse(&json!("${state}")).unwrap().render(&roots).is_ok());
        let nested = ValueTemplate::parse(&json!(["${state}"])).unwrap();
        assert_eq!(nested.render(&roots), Err(InterpolateError::TooDeep));

        let text = json!("x".repeat(64 * 1024 * 1024));
        let roots = Roots::new().with("t", &text);
        let many = ValueTemplate::parse(&json!("${t}${t}${t}${t}${t}")).unwrap();
        assert_eq!(many.render(&roots), Err(InterpolateError::TooLarge { limit: MAX_VALUE_BYTES }));
    }
}
