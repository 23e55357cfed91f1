//! Holding parameters against a schema.

use serde_json::Value;

use super::value::{Extent, on_deep_stack, to_value};
use super::{ParameterErrors, Parameters, Schema, Violation, ViolationKind, translate};

/// How many violations are listed.
const MAX_VIOLATIONS: usize = 1_000;

/// From how many values on only the first violation is looked for: each could have one, and each one takes memory.
const MANY_VALUES: usize = 100_000;

/// From how many levels on a stack of its own is needed.
const DEEP: usize = 128;

/// Finds out whether the parameters fit, and in what ways they do not.
pub(super) fn check(parameters: &Parameters, schema: &Schema) -> Result<(), ParameterErrors> {
    if schema.plain().is_some_and(|plain| plain.fits(parameters.iter())) {
        return Ok(());
    }
    let value = to_value(&parameters.to_json()).ok_or_else(|| whole("is not JSON that can be checked"))?;
    let extent = Extent::of(&value);
    if extent.depth > DEEP {
        on_deep_stack(|| validate(&value, &extent, schema))
    } else {
        validate(&value, &extent, schema)
    }
}

fn validate(value: &Value, extent: &Extent, schema: &Schema) -> Result<(), ParameterErrors> {
    let validator =
        schema.validator().map_err(|error| whole(&format!("cannot be checked: {}", error.kind)))?;
    let many = extent.count > MANY_VALUES;
    let errors: Box<dyn Iterator<Item = _>> = if many {
        Box::new(validator.validate(value).err().into_iter())
    } else {
        Box::new(validator.iter_errors(value))
    };
    let mut violations: Vec<_> =
        translate::violations(errors, schema.source()).take(MAX_VIOLATIONS + 1).collect();
    if violations.is_empty() {
        return Ok(());
    }
    let more = many || violations.len() > MAX_VIOLATIONS;
    violations.truncate(MAX_VIOLATIONS);
    Err(ParameterErrors { violations, more })
}

fn whole(reason: &str) -> ParameterErrors {
    let kind = ViolationKind::Unfit { reason: reason.to_owned() };
    ParameterErrors { violations: vec![Violation { path: String::new(), kind }], more: false }
}
