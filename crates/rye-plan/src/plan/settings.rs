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
            let seconds = value.as_f64().or_else(|| with_unit(value.as_str()?));
            let seconds = seconds.filter(|seconds| *seconds > 0.0)?;
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

/// The seconds of a text such as `500ms`, `30s`, `5m` or `2h`, which is how graphs name times.
fn with_unit(text: &str) -> Option<f64> {
    const UNITS: [(&str, f64); 4] = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
    let (number, unit) = text.split_at(end);
    let (_, factor) = UNITS.into_iter().find(|(known, _)| *known == unit.trim())?;
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_have_a_unit() {
        for (text, expect) in
            [("500ms", Some(0.5)), ("5m", Some(300.0)), ("2 h", Some(7200.0)), ("5", None), ("m", None)]
        {
            assert_eq!(with_unit(text), expect, "{text}");
        }
    }
}
