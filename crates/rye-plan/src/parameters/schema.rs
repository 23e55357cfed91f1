//! A schema that is known to be one.

use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{PatternOptions, ReferencingError, ValidationError, Validator, draft202012};
use serde_json::Value;

use super::plain_schema::PlainSchema;
use super::value::Extent;
use super::{SchemaError, SchemaErrorKind, translate};

/// How many lists and maps a schema may have inside each other.
pub const MAX_SCHEMA_DEPTH: usize = 128;

/// How many steps back the search for a pattern may take before it is given up.
const BACKTRACK_LIMIT: usize = 100_000;

/// The schema of a tool's parameters: JSON Schema 2020-12, or the version that its `$schema` names.
///
/// `format` is a remark, as JSON Schema says, and checks nothing.
#[derive(Debug)]
pub struct Schema {
    source: Value,
    plain: Option<PlainSchema>,
    /// For a plain schema it is made when a call is not seen to fit at once.
    validator: OnceLock<Validator>,
}

impl Schema {
    /// Checks that `schema` is a valid schema, and prepares it.
    ///
    /// # Errors
    ///
    /// It is not a valid JSON Schema, it refers to another document, or it is nested more than [`MAX_SCHEMA_DEPTH`]
    /// levels deep.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        if Extent::of(schema).depth > MAX_SCHEMA_DEPTH {
            return Err(SchemaError { kind: SchemaErrorKind::TooDeep });
        }
        let plain = PlainSchema::read(schema);
        let compiled = Self { source: schema.clone(), plain, validator: OnceLock::new() };
        if compiled.plain.is_none() {
            compiled.validator()?;
        }
        Ok(compiled)
    }

    /// The schema as it was given.
    #[must_use]
    pub fn source(&self) -> &Value {
        &self.source
    }

    pub(super) fn plain(&self) -> Option<&PlainSchema> {
        self.plain.as_ref()
    }

    pub(super) fn validator(&self) -> Result<&Validator, SchemaError> {
        if let Some(validator) = self.validator.get() {
            return Ok(validator);
        }
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT);
        let built = jsonschema::options().offline().with_pattern_options(patterns).build(&self.source);
        let validator = built.map_err(|error| SchemaError { kind: self.refusal(error) })?;
        Ok(self.validator.get_or_init(|| validator))
    }

    /// Why there is no validator, where `first` is the first reason.
    fn refusal(&self, first: ValidationError<'static>) -> SchemaErrorKind {
        if let ValidationErrorKind::Referencing(error) = first.kind() {
            return match error {
                ReferencingError::Unretrievable { uri, .. } => {
                    SchemaErrorKind::External { reference: uri.clone() }
                }
                ReferencingError::UnknownSpecification { specification } => {
                    SchemaErrorKind::UnknownDialect { dialect: specification.clone() }
                }
                other => SchemaErrorKind::Dangling { message: other.to_string() },
            };
        }
        let rules = draft202012::meta::validator();
        let mut violations: Vec<_> =
            translate::violations(rules.iter_errors(&self.source), &Value::Null).collect();
        // The schema may follow the rules of 2020-12, and not those of the version that it names.
        if violations.is_empty() {
            violations = translate::violations([first], &Value::Null).collect();
        }
        SchemaErrorKind::Invalid { violations }
    }
}
