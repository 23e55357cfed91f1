//! Secret variables of an environment.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use zeroize::Zeroizing;

/// Variables with secret values. The values are wiped from memory when they are dropped, and the `Debug` form
/// shows the names only.
#[derive(Default)]
pub struct SecretEnvironment(BTreeMap<String, SecretString>);

/// A variable that no process could be given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The name is empty, or has `=` or a NUL in it.
    #[error("`{name}` cannot be the name of a variable")]
    Name {
        /// The name.
        name: String,
    },
    /// The value has a NUL in it.
    #[error("the value of `{name}` has a NUL in it")]
    Value {
        /// The name of the variable.
        name: String,
    },
}

impl SecretEnvironment {
    /// Sets a variable, and gives back the value that it had.
    ///
    /// # Errors
    /// If no process could be given such a variable.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        value: SecretString,
    ) -> Result<Option<SecretString>, EnvironmentError> {
        let name = name.into();
        check(&name, &value)?;
        Ok(self.0.insert(name, value))
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SecretString> {
        self.0.get(name)
    }

    /// All variables, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &SecretString)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many variables there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn to_json(&self) -> Result<Zeroizing<Vec<u8>>, serde_json::Error> {
        // An escaped byte takes up to six, so the buffer never grows and leaves no copies behind.
        let bytes: usize = self.iter().map(|(name, value)| name.len() + value.expose_secret().len()).sum();
        let mut json = Zeroizing::new(Vec::with_capacity(6 * bytes + 6 * self.len() + 2));
        serde_json::to_writer(&mut *json, &Exposed(self))?;
        Ok(json)
    }

    /// Reads a JSON object whose values are strings.
    ///
    /// # Errors
    /// If it is anything else, or a name cannot be one. The error does not repeat a value.
    pub fn from_json(json: &[u8]) -> Result<Self, serde_json::Error> {
        // For anything but an object, the reader's own message would show what it found.
        if json.trim_ascii_start().first() != Some(&b'{') {
            return Err(serde_json::Error::custom("it is not a JSON object"));
        }
        serde_json::from_slice::<Received>(json).map(|received| received.0)
    }
}

impl TryFrom<BTreeMap<String, String>> for SecretEnvironment {
    type Error = EnvironmentError;

    fn try_from(variables: BTreeMap<String, String>) -> Result<Self, Self::Error> {
        let mut environment = Self::default();
        for (name, value) in variables {
            environment.insert(name, value.into())?;
        }
        Ok(environment)
    }
}

impl fmt::Debug for SecretEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretEnvironment")?;
        f.debug_set().entries(self.0.keys()).finish()
    }
}

fn check(name: &str, value: &SecretString) -> Result<(), EnvironmentError> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Err(EnvironmentError::Name { name: name.to_owned() });
    }
    if value.expose_secret().contains('\0') {
        return Err(EnvironmentError::Value { name: name.to_owned() });
    }
    Ok(())
}

/// Writes the values too. The environment itself cannot be serialised, so that nobody does it by accident.
struct Exposed<'environment>(&'environment SecretEnvironment);

impl Serialize for Exposed<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in self.0.iter() {
            map.serialize_entry(name, value.expose_secret())?;
        }
        map.end()
    }
}

/// An environment from outside: every name is checked, and none may come twice.
struct Received(SecretEnvironment);

impl<'de> Deserialize<'de> for Received {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ReceivedVisitor)
    }
}

struct ReceivedVisitor;

impl<'de> Visitor<'de> for ReceivedVisitor {
    type Value = Received;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object whose values are strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Received, A::Error> {
        let mut variables = BTreeMap::new();
        while let Some(name) = map.next_key::<String>()? {
            // The reader's own message would show the value that it found in place of a string.
            let value = map
                .next_value::<String>()
                .map_err(|_| A::Error::custom(format_args!("the value of `{name}` is not a string")))?;
            let value = SecretString::from(value);
            check(&name, &value).map_err(A::Error::custom)?;
            match variables.entry(name) {
                Entry::Vacant(entry) => entry.insert(value),
                Entry::Occupied(entry) => {
                    return Err(A::Error::custom(format_args!("`{}` comes twice", entry.key())));
                }
            };
        }
        Ok(Received(SecretEnvironment(variables)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> Result<SecretEnvironment, String> {
        SecretEnvironment::from_json(json.as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn values_stay_out_of_debug() {
        let mut environment = SecretEnvironment::default();
        environment.insert("TOKEN", "hunter2".to_owned().into()).unwrap();
        assert_eq!(format!("{environment:?}"), r#"SecretEnvironment{"TOKEN"}"#);
    }

    #[test]
    fn only_a_flat_object_of_strings_is_an_environment() {
        assert!(parse(r#"{"A":"1","B":""}"#).is_ok());
        for wrong in ["", "[]", r#"{"A":{}}"#, r#"{"A":"1","A":"2"}"#, r#"{"A":"1"} x"#, r#"{"":"1"}"#] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse(r#"{"A=B":"1"}"#).is_err());
        assert!(parse(r#"{"A":"\u0000"}"#).is_err());
    }

    #[test]
    fn errors_do_not_repeat_values() {
        for wrong in [
            "4711",
            "\"4711\"",
            " [4711]",
            "{4711",
            r#"{"A":4711}"#,
            r#"{"A":["4711"]}"#,
            r#"{"A":"4711" 4711}"#,
            r#"{"A":"4711","A":"4711"}"#,
            r#"{"A":"4711\u0000"}"#,
        ] {
            let message = parse(wrong).unwrap_err();
            assert!(!message.contains("4711"), "{message}");
        }
    }
}
