//! From the validator's errors to violations, in words that never repeat what was sent.

use jsonschema::error::{TypeKind, ValidationErrorKind as Error};
use std::collections::HashSet;

use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::known_names::KnownNames;
use super::{ValueType, Violation, ViolationKind};

/// How many alternatives are told in words.
const MAX_ALTERNATIVES: usize = 5;

/// Whether each alternative that does not fit is told.
#[derive(Clone, Copy)]
enum Alternatives {
    Told,
    Untold,
}

/// The violations that errors consist of, each one once. `schema` is where known names are looked up.
pub(super) fn violations<'e>(
    errors: impl IntoIterator<Item = ValidationError<'e>>,
    schema: &Value,
) -> impl Iterator<Item = Violation> {
    let mut told = HashSet::new();
    let all = errors.into_iter().flat_map(move |error| translate(&error, schema, Alternatives::Told));
    all.filter(move |violation| told.insert(violation.to_string()))
}

fn translate(error: &ValidationError<'_>, schema: &Value, detail: Alternatives) -> Vec<Violation> {
    let path = error.instance_path().as_str();
    match error.kind() {
        Error::AdditionalProperties { unexpected } | Error::UnevaluatedProperties { unexpected } => {
            let known = KnownNames::new(error, schema);
            let unknown = |name: &String| Violation {
                path: member(path, name),
                kind: ViolationKind::Unknown { nearest: known.nearest_known(name) },
            };
            unexpected.iter().map(unknown).collect()
        }
        Error::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let similar = KnownNames::new(error, schema).nearest_unknown(name);
            vec![Violation { path: member(path, name), kind: ViolationKind::Missing { similar } }]
        }
        _ => vec![Violation { path: path.to_owned(), kind: kind(error, schema, detail) }],
    }
}

fn kind(error: &ValidationError<'_>, schema: &Value, detail: Alternatives) -> ViolationKind {
    match error.kind() {
        Error::Type { kind } => {
            let names: Vec<&str> = match kind {
                TypeKind::Single(single) => vec![single.as_str()],
                TypeKind::Multiple(set) => set.iter().map(JsonType::as_str).collect(),
            };
            let expected = names.into_iter().filter_map(ValueType::named).collect();
            ViolationKind::WrongType { expected, found: ValueType::of(error.instance()) }
        }
        Error::Enum { options } => {
            ViolationKind::NotAChoice { choices: options.as_array().cloned().unwrap_or_default() }
        }
        Error::Constant { expected_value } => {
            ViolationKind::NotAChoice { choices: vec![expected_value.as_ref().clone()] }
        }
        Error::AnyOf { context } | Error::OneOfNotValid { context }
            if matches!(detail, Alternatives::Told) =>
        {
            let path = error.instance_path().as_str();
            ViolationKind::Unfit { reason: alternatives(path, schema, context) }
        }
        Error::PropertyNames { error } => {
            let name = kind(error, schema, Alternatives::Untold);
            ViolationKind::Unfit { reason: format!("has a name that {name}") }
        }
        other => ViolationKind::Unfit { reason: reason(other) },
    }
}

/// What has to hold, as the end of a sentence about the value.
fn reason(kind: &Error) -> String {
    match kind {
        Error::AdditionalItems { limit } => {
            format!("must have at most {}", counted(u64::try_from(*limit).unwrap_or(u64::MAX), "element"))
        }
        Error::AnyOf { .. } | Error::OneOfNotValid { .. } => "fits none of the alternatives".to_owned(),
        Error::BacktrackLimitExceeded { .. } => "takes too long to be matched with its pattern".to_owned(),
        Error::RegexEngineFailure { message } => format!("cannot be matched with its pattern: {message}"),
        Error::Contains => {
            "does not have as many of the elements that `contains` asks for as it must".to_owned()
        }
        Error::ContentEncoding { content_encoding } => format!("must be encoded as `{content_encoding}`"),
        Error::ContentMediaType { content_media_type } => {
            format!("must be of the type `{content_media_type}`")
        }
        Error::Custom { message, .. } => message.clone(),
        Error::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Error::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Error::FalseSchema => "is not allowed".to_owned(),
        Error::Format { format } => format!("must be in the format `{format}`"),
        Error::FromUtf8 { .. } => "must be UTF-8 when it is decoded".to_owned(),
        Error::MaxItems { limit } => format!("must have at most {}", counted(*limit, "element")),
        Error::Maximum { limit } => format!("must be at most {limit}"),
        Error::MaxLength { limit } => format!("must have at most {}", counted(*limit, "character")),
        Error::MaxProperties { limit } => format!("must have at most {}", counted(*limit, "name")),
        Error::MinItems { limit } => format!("must have at least {}", counted(*limit, "element")),
        Error::Minimum { limit } => format!("must be at least {limit}"),
        Error::MinLength { limit } => format!("must have at least {}", counted(*limit, "character")),
        Error::MinProperties { limit } => format!("must have at least {}", counted(*limit, "name")),
        Error::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Error::Not { .. } => "is what the schema excludes with `not`".to_owned(),
        Error::OneOfMultipleValid { .. } => "fits more than one of the alternatives".to_owned(),
        Error::Pattern { pattern } => format!("must match the pattern `{pattern}`"),
        Error::UnevaluatedItems { .. } => "has elements that are not allowed".to_owned(),
        Error::UniqueItems => "must not have the same element twice".to_owned(),
        Error::Referencing(error) => format!("cannot be checked: {error}"),
        Error::Required { .. }
        | Error::Type { .. }
        | Error::Enum { .. }
        | Error::Constant { .. }
        | Error::PropertyNames { .. }
        | Error::AdditionalProperties { .. }
        | Error::UnevaluatedProperties { .. } => format!("does not fit `{}`", kind.keyword()),
    }
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Why a value at `path` fits none of several alternatives: the first reason of each.
fn alternatives(path: &str, schema: &Value, context: &[Vec<ValidationError<'static>>]) -> String {
    let mut reasons: Vec<String> = Vec::new();
    for error in context.iter().filter_map(|errors| errors.first()) {
        for violation in translate(error, schema, Alternatives::Untold).into_iter().take(1) {
            let told =
                if violation.path == path { violation.kind.to_string() } else { violation.to_string() };
            if !reasons.contains(&told) && reasons.len() < MAX_ALTERNATIVES {
                reasons.push(told);
            }
        }
    }
    match reasons.as_slice() {
        [] => "fits none of the alternatives".to_owned(),
        [only] => only.clone(),
        several => format!("fits none of the alternatives: {}", several.join("; or ")),
    }
}

/// The JSON pointer of a member of the object at `path`.
fn member(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}
