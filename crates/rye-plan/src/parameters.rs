//! The parameters of a call, and the schema that they have to fit.

mod check;
mod defaults;
mod error;
mod known_names;
mod plain_schema;
mod schema;
mod sent_json;
mod translate;
mod value;
mod value_type;
mod violation;

use indexmap::IndexMap;
use serde_json::Value;
use serde_json::value::RawValue;

pub use error::{ParametersError, SchemaError, SchemaErrorKind};
pub use schema::{MAX_SCHEMA_DEPTH, Schema};
pub use sent_json::MAX_DEPTH;
pub use value_type::ValueType;
pub use violation::{ParameterErrors, Violation, ViolationKind};

/// The parameters of a call, as they were sent: any names, any values, in their order, numbers with their digits.
///
/// A call that says the same thing twice, or that is nested more than [`MAX_DEPTH`] levels deep, is refused.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    values: IndexMap<String, Box<RawValue>>,
}

impl Parameters {
    /// Reads a JSON object. Space between its tokens is dropped; nothing else changes.
    ///
    /// # Errors
    ///
    /// The text is not JSON in UTF-8, not an object, nested too deeply, has the same name twice in one object, or has
    /// an escape that is not a character.
    pub fn parse(json: impl AsRef<[u8]>) -> Result<Self, ParametersError> {
        let compact = sent_json::read(json.as_ref())?;
        let values =
            serde_json::from_str(&compact).map_err(|error| ParametersError::syntax(&compact, &error))?;
        Ok(Self { values })
    }

    /// Takes names and their values. A name that comes twice is refused.
    ///
    /// # Errors
    ///
    /// As for [`Self::parse`].
    pub fn from_pairs<N: Into<String>>(
        pairs: impl IntoIterator<Item = (N, Value)>,
    ) -> Result<Self, ParametersError> {
        let members = pairs.into_iter().map(|(name, value)| format!("{}:{value}", Value::from(name.into())));
        Self::parse(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }

    /// The parameters with one more, in place of one of the same name.
    ///
    /// # Errors
    ///
    /// As for [`Self::parse`].
    pub fn with(mut self, name: &str, value: &Value) -> Result<Self, ParametersError> {
        let added = Self::from_pairs([(name, value.clone())])?;
        self.values.extend(added.values);
        Ok(self)
    }

    /// The parameters as a JSON object on one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let length =
            self.values.iter().map(|(name, raw)| name.len() + raw.get().len() + 4).sum::<usize>() + 2;
        let mut json = String::with_capacity(length);
        json.push('{');
        for (name, raw) in &self.values {
            if json.len() > 1 {
                json.push(',');
            }
            json.push_str(&Value::from(name.as_str()).to_string());
            json.push(':');
            json.push_str(raw.get());
        }
        json.push('}');
        json
    }

    /// The value of a parameter. A number that no [`Value`] can hold is the nearest one that it can.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Value> {
        value::to_value(self.sent(name)?.get())
    }

    /// The value of a parameter as it was sent.
    #[must_use]
    pub fn sent(&self, name: &str) -> Option<&RawValue> {
        self.values.get(name).map(AsRef::as_ref)
    }

    /// All parameters as they were sent, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RawValue)> {
        self.values.iter().map(|(name, raw)| (name.as_str(), raw.as_ref()))
    }

    /// How many parameters there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was sent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The parameters with the defaults of the schema added, if they fit it. What was sent is not altered.
    ///
    /// Defaults are those of `properties`, and of `properties` inside of these, where an object was sent.
    ///
    /// # Errors
    ///
    /// The parameters do not fit. Every violation is reported, up to a limit of which [`ParameterErrors`] tells.
    pub fn check(&self, schema: &Schema) -> Result<Self, ParameterErrors> {
        let complete = self.with_defaults(schema);
        check::check(&complete, schema)?;
        Ok(complete)
    }

    /// The parameters with the defaults of the schema added, whether they fit it or not.
    #[must_use]
    pub fn with_defaults(&self, schema: &Schema) -> Self {
        let mut values = self.values.clone();
        defaults::add(schema.source(), &mut values);
        Self { values }
    }
}
