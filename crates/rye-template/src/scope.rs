//! Filling in templates: texts, values and argument lists.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::name_value::json_text;
use crate::template::Piece;
use crate::{NameValue, Names, RenderError, Template};

/// How many bytes one rendering gives at most, if the scope does not say otherwise.
pub const MAX_RENDERED_BYTES: usize = 256 * 1024 * 1024;

/// How many lists and maps a template may have inside each other.
pub const MAX_TEMPLATE_DEPTH: usize = 128;

/// What templates are filled in with: the variables of an environment, and [`Names`].
#[derive(Debug, Clone, Copy)]
pub struct Scope<'s, L> {
    names: &'s Names<'s>,
    variables: L,
    limit: usize,
}

impl<'s, L, V> Scope<'s, L>
where
    L: Fn(&str) -> Option<V>,
    V: AsRef<str>,
{
    /// Fills in `{name}` from `names`, and `${VAR}` with what `variables` gives for it.
    pub fn new(names: &'s Names<'s>, variables: L) -> Self {
        Self { names, variables, limit: MAX_RENDERED_BYTES }
    }

    /// The same with another limit for what one rendering gives, in bytes.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Fills in a text. Of the values, a text goes in as it is, null as nothing, and all else as compact JSON.
    ///
    /// # Errors
    ///
    /// The result would be longer than the limit, or a value that was sent is not valid text.
    pub fn render_text(&self, text: &str) -> Result<String, RenderError> {
        self.text(&Template::parse(text), &mut Budget::new(self.limit))
    }

    /// Fills in all texts of a value; the keys of maps are none of them. A text that is `{name}` and nothing else
    /// becomes the value of the name, whatever its type.
    ///
    /// # Errors
    ///
    /// The result would be longer than the limit, `value` is nested more than [`MAX_TEMPLATE_DEPTH`] levels deep, or
    /// a value that was sent is one that [`Value`] cannot hold.
    pub fn render_value(&self, value: &Value) -> Result<Value, RenderError> {
        self.value(value, 0, &mut Budget::new(self.limit))
    }

    /// Fills in a list of arguments. An argument that is `{name}` and nothing else becomes as many as the value of the
    /// name stands for: one for each element of a list, none for null. Anything that is not a text is an argument
    /// in compact JSON, and null is none.
    ///
    /// # Errors
    ///
    /// As for [`Self::render_text`] and [`Self::render_value`].
    pub fn render_args(&self, args: &[Value]) -> Result<Vec<String>, RenderError> {
        let mut budget = Budget::new(self.limit);
        let mut rendered = Vec::with_capacity(args.len());
        for arg in args {
            match arg {
                Value::String(text) => self.argument(text, &mut rendered, &mut budget)?,
                Value::Null => {}
                other => rendered.push(json_text(&self.value(other, 1, &mut budget)?).into_owned()),
            }
        }
        Ok(rendered)
    }

    /// The names in the texts of a value that have no value in this scope, so that `{name}` would stay as it is.
    /// A default that is not needed is left out.
    #[must_use]
    pub fn unknown_names<'v>(&self, value: &'v Value) -> BTreeSet<&'v str> {
        let mut unknown = BTreeSet::new();
        for text in texts(value) {
            for piece in Template::parse(text).pieces(&self.variables) {
                if let Piece::Name(source) = piece
                    && self.names.get(name_of(source)).is_none()
                {
                    unknown.insert(name_of(source));
                }
            }
        }
        unknown
    }

    fn text(&self, template: &Template<'_>, budget: &mut Budget) -> Result<String, RenderError> {
        let mut rendered = String::new();
        for piece in template.pieces(&self.variables) {
            match piece {
                Piece::Literal(text) => budget.push(&mut rendered, text)?,
                Piece::Variable(value) => budget.push(&mut rendered, value.as_ref())?,
                Piece::Name(source) => match self.names.get(name_of(source)) {
                    None => budget.push(&mut rendered, source)?,
                    Some(value) => {
                        let text = value.to_text().map_err(|error| unusable(source, &error))?;
                        budget.push(&mut rendered, &text)?;
                    }
                },
            }
        }
        Ok(rendered)
    }

    fn argument(
        &self,
        text: &str,
        rendered: &mut Vec<String>,
        budget: &mut Budget,
    ) -> Result<(), RenderError> {
        let template = Template::parse(text);
        let Some(value) = self.whole(&template) else {
            rendered.push(self.text(&template, budget)?);
            return Ok(());
        };
        budget.spend(value.json_length())?;
        let arguments = value.to_arguments().map_err(|error| unusable(text, &error))?;
        rendered.extend(arguments.into_iter().map(Cow::into_owned));
        Ok(())
    }

    fn value(&self, value: &Value, depth: usize, budget: &mut Budget) -> Result<Value, RenderError> {
        if depth > MAX_TEMPLATE_DEPTH {
            return Err(RenderError::TooDeep { limit: MAX_TEMPLATE_DEPTH });
        }
        match value {
            Value::String(text) => {
                let template = Template::parse(text);
                let Some(value) = self.whole(&template) else {
                    return self.text(&template, budget).map(Value::from);
                };
                budget.spend(value.json_length())?;
                value.to_value().map_err(|error| unusable(text, &error))
            }
            Value::Array(items) => items
                .iter()
                .map(|item| self.value(item, depth + 1, budget))
                .collect::<Result<_, _>>()
                .map(Value::Array),
            Value::Object(map) => {
                let render =
                    |(key, item): (&String, &Value)| Ok((key.clone(), self.value(item, depth + 1, budget)?));
                map.iter().map(render).collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(value.clone()),
        }
    }

    /// What the template stands for if it is a known `{name}` and nothing else.
    fn whole(&self, template: &Template<'_>) -> Option<&'s NameValue<'s>> {
        self.names.get(template.as_name()?)
    }
}

/// The names of all `{name}` in the texts of a value, whether they are needed or not.
#[must_use]
pub fn names_in(value: &Value) -> BTreeSet<&str> {
    texts(value).flat_map(|text| Template::parse(text).names().collect::<Vec<_>>()).collect()
}

/// All texts of a value but the keys.
fn texts(value: &Value) -> impl Iterator<Item = &str> {
    let mut rest = vec![value];
    std::iter::from_fn(move || {
        loop {
            match rest.pop()? {
                Value::String(text) => return Some(text.as_str()),
                Value::Array(items) => rest.extend(items),
                Value::Object(map) => rest.extend(map.values()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    })
}

/// `{name}` without its braces.
fn name_of(source: &str) -> &str {
    &source[1..source.len() - 1]
}

fn unusable(source: &str, error: &serde_json::Error) -> RenderError {
    RenderError::Unusable { name: name_of(source).to_owned(), message: error.to_string() }
}

/// How much a rendering may still give.
struct Budget {
    limit: usize,
    left: usize,
}

impl Budget {
    fn new(limit: usize) -> Self {
        Self { limit, left: limit }
    }

    fn spend(&mut self, bytes: usize) -> Result<(), RenderError> {
        self.left = self.left.checked_sub(bytes).ok_or(RenderError::TooLong { limit: self.limit })?;
        Ok(())
    }

    fn push(&mut self, rendered: &mut String, text: &str) -> Result<(), RenderError> {
        self.spend(text.len())?;
        rendered.push_str(text);
        Ok(())
    }
}
