//! How large a value is.

use serde_json::Value;

use super::InterpolateError;

/// How deep a value of a graph may be nested. It stays readable as JSON inside of a snapshot, and code that walks it may
/// recurse.
pub const MAX_VALUE_DEPTH: usize = 100;

/// How large one value of a graph may be, in bytes of JSON, about.
pub const MAX_VALUE_BYTES: usize = 256 * 1024 * 1024;

/// About how many bytes of JSON a value has.
///
/// # Errors
/// If it is larger than `limit`, or nested deeper than [`MAX_VALUE_DEPTH`].
pub fn measure(value: &Value, limit: usize) -> Result<usize, InterpolateError> {
    let mut budget = Budget::new(limit);
    budget.spend_value(value, 0)?;
    Ok(limit - budget.left)
}

/// How much may still come out.
pub(super) struct Budget {
    limit: usize,
    left: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, left: limit }
    }

    pub(super) fn spend(&mut self, bytes: usize) -> Result<(), InterpolateError> {
        self.left = self.left.checked_sub(bytes).ok_or(InterpolateError::TooLarge { limit: self.limit })?;
        Ok(())
    }

    /// Counts a value that stands `depth` levels below the top.
    pub(super) fn spend_value(&mut self, value: &Value, depth: usize) -> Result<(), InterpolateError> {
        if depth > MAX_VALUE_DEPTH {
            return Err(InterpolateError::TooDeep);
        }
        match value {
            Value::Null | Value::Bool(_) => self.spend(5),
            Value::Number(_) => self.spend(8),
            Value::String(text) => self.spend(text.len() + 2),
            Value::Array(items) => {
                self.spend(2 + items.len())?;
                items.iter().try_for_each(|item| self.spend_value(item, depth + 1))
            }
            Value::Object(map) => {
                self.spend(2)?;
                map.iter().try_for_each(|(key, item)| {
                    self.spend(key.len() + 4)?;
                    self.spend_value(item, depth + 1)
                })
            }
        }
    }
}
