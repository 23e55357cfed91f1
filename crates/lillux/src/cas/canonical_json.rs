//! JSON in the one spelling that RFC 8785 gives each value.

use std::collections::HashSet;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Number, Value};

use crate::Digest;

/// A JSON value in its canonical form: equal values have equal bytes, and so the same digest.
///
/// Numbers are doubles there. An integer that would come out as a different one is refused; whoever needs such a
/// number writes it as a string.
///
/// ```
/// use lillux::cas::CanonicalJson;
///
/// let json = CanonicalJson::parse(br#"{ "b": 1.50, "a": "\u0041" }"#)?;
/// assert_eq!(json.as_bytes(), br#"{"a":"A","b":1.5}"#);
/// # Ok::<(), lillux::cas::CanonicalJsonError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalJson(Vec<u8>);

/// A text or value that has no canonical form.
#[derive(Debug, thiserror::Error)]
#[error("cannot bring JSON into canonical form")]
pub struct CanonicalJsonError {
    #[source]
    kind: CanonicalJsonErrorKind,
}

/// Why there is no canonical form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CanonicalJsonErrorKind {
    /// The text is not JSON, or an object in it has the same key twice.
    #[error("the text is not JSON with distinct keys")]
    Parse(#[source] serde_json::Error),
    /// The integer has more digits than a double.
    #[error("the integer `{integer}` would become `{canonical}`")]
    InexactInteger {
        /// The integer.
        integer: String,
        /// What the canonical form would make of it.
        canonical: String,
    },
    /// Arrays and objects are nested more deeply than can be read back.
    #[error("arrays and objects are nested more than {max} deep")]
    TooDeep {
        /// The deepest nesting that is possible.
        max: usize,
    },
    /// The value cannot be written.
    #[error("the value cannot be written")]
    Write(#[source] serde_json::Error),
}

/// The nesting that the parser goes along with.
const MAX_DEPTH: usize = 127;

impl CanonicalJson {
    /// The canonical form of `value`.
    ///
    /// # Errors
    /// If an integer has more digits than a double, or the nesting is too deep.
    pub fn of(value: &Value) -> Result<Self, CanonicalJsonError> {
        check(value, MAX_DEPTH)
            .and_then(|()| serde_json_canonicalizer::to_vec(value).map_err(CanonicalJsonErrorKind::Write))
            .map(Self)
            .map_err(|kind| CanonicalJsonError { kind })
    }

    /// The canonical form of the value that `text` spells in whatever way.
    ///
    /// # Errors
    /// If the text is not JSON, has the same key twice in an object, or as for [`CanonicalJson::of`].
    pub fn parse(text: &[u8]) -> Result<Self, CanonicalJsonError> {
        // Of two equal keys the parser would silently take the last; other readers of the text take the first.
        serde_json::from_slice::<DistinctKeys>(text)
            .and_then(|DistinctKeys| serde_json::from_slice(text))
            .map_err(|source| CanonicalJsonError { kind: CanonicalJsonErrorKind::Parse(source) })
            .and_then(|value| Self::of(&value))
    }

    /// The bytes of the canonical form, which are UTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The digest of the canonical form.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(&self.0)
    }

    /// The value whose canonical form is exactly `bytes`, if there is one.
    pub(super) fn value_of(bytes: &[u8]) -> Option<Value> {
        let value = serde_json::from_slice(bytes).ok()?;
        let canonical = Self::of(&value).ok()?;
        (canonical.0 == bytes).then_some(value)
    }
}

impl CanonicalJsonError {
    /// Why there is no canonical form.
    #[must_use]
    pub fn kind(&self) -> &CanonicalJsonErrorKind {
        &self.kind
    }
}

/// Refuses what would not come back as it went in.
fn check(value: &Value, depth_left: usize) -> Result<(), CanonicalJsonErrorKind> {
    let inside = || depth_left.checked_sub(1).ok_or(CanonicalJsonErrorKind::TooDeep { max: MAX_DEPTH });
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
        Value::Number(number) => check_number(number),
        Value::Array(items) => {
            let inside = inside()?;
            items.iter().try_for_each(|item| check(item, inside))
        }
        Value::Object(members) => {
            let inside = inside()?;
            members.values().try_for_each(|member| check(member, inside))
        }
    }
}

/// Refuses an integer whose digits would not be the same. That is a matter of the digits, not of the value: 2^63
/// is a double, but its canonical form is `9223372036854776000`, from which no reader gets the integer back.
fn check_number(number: &Number) -> Result<(), CanonicalJsonErrorKind> {
    const EXACT: u64 = 1 << f64::MANTISSA_DIGITS;
    let magnitude = number.as_i64().map(i64::unsigned_abs).or_else(|| number.as_u64());
    if magnitude.is_none_or(|magnitude| magnitude <= EXACT) {
        return Ok(());
    }
    let integer = number.to_string();
    let canonical = serde_json_canonicalizer::to_string(number).map_err(CanonicalJsonErrorKind::Write)?;
    if integer == canonical {
        Ok(())
    } else {
        Err(CanonicalJsonErrorKind::InexactInteger { integer, canonical })
    }
}

/// Reads any JSON, keeps nothing, and fails if an object has the same key twice.
struct DistinctKeys;

impl<'de> Deserialize<'de> for DistinctKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DistinctKeysVisitor)
    }
}

struct DistinctKeysVisitor;

impl<'de> Visitor<'de> for DistinctKeysVisitor {
    type Value = DistinctKeys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_bool<E>(self, _: bool) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_i64<E>(self, _: i64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_u64<E>(self, _: u64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_f64<E>(self, _: f64) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_str<E>(self, _: &str) -> Result<DistinctKeys, E> {
        Ok(DistinctKeys)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<DistinctKeys, A::Error> {
        while items.next_element::<DistinctKeys>()?.is_some() {}
        Ok(DistinctKeys)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<DistinctKeys, A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            members.next_value::<DistinctKeys>()?;
            if let Some(key) = keys.replace(key) {
                return Err(de::Error::custom(format_args!("the key `{key}` is there twice")));
            }
        }
        Ok(DistinctKeys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_keeps_its_digits_or_is_refused() {
        let limit = 1_i64 << 53;
        for number in
            [0.into(), limit.into(), (-limit).into(), (limit + 2).into(), Number::from(10_u64.pow(19))]
        {
            let digits = number.to_string();
            assert_eq!(CanonicalJson::of(&Value::Number(number)).unwrap().as_bytes(), digits.as_bytes());
        }
        for number in [(limit + 1).into(), (-limit - 1).into(), i64::MIN.into(), Number::from(u64::MAX)] {
            let error = CanonicalJson::of(&Value::Number(number)).unwrap_err();
            assert!(matches!(error.kind, CanonicalJsonErrorKind::InexactInteger { .. }), "{error:?}");
        }
    }

    #[test]
    fn a_double_that_looks_like_an_integer_comes_back() {
        let json = CanonicalJson::of(&serde_json::json!(12_345_678_901_234_567_890.0)).unwrap();
        assert_eq!(json.as_bytes(), b"12345678901234567000");
        assert!(CanonicalJson::value_of(json.as_bytes()).is_some());
    }

    #[test]
    fn only_the_canonical_spelling_has_a_value() {
        assert_eq!(CanonicalJson::value_of(br#"{"a":1}"#), Some(serde_json::json!({"a": 1})));
        for bytes in [&br#"{"a": 1}"#[..], br#"{"a":1.0}"#, br#"{"b":1,"a":1}"#, b"\"\\u0041\"", b"", b"{"] {
            assert_eq!(CanonicalJson::value_of(bytes), None, "{}", String::from_utf8_lossy(bytes));
        }
    }
}
