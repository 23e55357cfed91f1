//! Reading a configuration that has been joined.

use std::time::Duration;

use serde_json::{Map, Value};

use super::error::SettingError;

/// A configuration, read key by key.
#[derive(Debug, Clone, Copy)]
pub(super) struct Settings<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Settings<'a> {
    /// The longest time that can be said in seconds: a year.
    const MAX_SECONDS: f64 = 366.0 * 24.0 * 3600.0;

    pub(super) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn text(self, key: &str) -> Result<Option<&'a str>, SettingError> {
        self.read(key, "a text", Value::as_str)
    }

    pub(super) fn list(self, key: &str) -> Result<&'a [Value], SettingError> {
        Ok(self.read(key, "a list", Value::as_array)?.map_or(&[], Vec::as_slice))
    }

    pub(super) fn map(self, key: &str) -> Result<Option<&'a Map<String, Value>>, SettingError> {
        self.read(key, "a map", Value::as_object)
    }

    pub(super) fn whole_number(self, key: &str) -> Result<Option<u32>, SettingError> {
        let number = |value: &Value| value.as_u64().and_then(|number| u32::try_from(number).ok());
        self.read(key, "a whole number", number)
    }

    pub(super) fn seconds(self, key: &str) -> Result<Option<Duration>, SettingError> {
        let duration = |value: &Value| {
            let seconds = value.as_f64().filter(|seconds| *seconds > 0.0)?;
            Duration::try_from_secs_f64(seconds.min(Self::MAX_SECONDS)).ok()
        };
        self.read(key, "a number of seconds", duration)
    }

    fn read<T>(
        self,
        key: &str,
        expected: &'static str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, SettingError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        match read(value) {
            Some(read) => Ok(Some(read)),
            None => Err(SettingError::WrongType { key: key.to_owned(), expected }),
        }
    }
}
