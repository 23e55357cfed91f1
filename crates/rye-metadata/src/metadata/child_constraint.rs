//! Which versions of a child an executor accepts.

use indexmap::IndexMap;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

use crate::node::{Node, NodeKind};
use crate::reading::{Fields, Reading, join};

/// What an executor demands of the version of a child.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum VersionConstraint {
    /// Bounds, both inclusive.
    Range {
        /// The oldest version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_version: Option<Version>,
        /// The newest version.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_version: Option<Version>,
    },
    /// A requirement as Cargo writes it: `>=2, <4`.
    Requirement(VersionReq),
}

impl VersionConstraint {
    /// Whether `version` is accepted.
    #[must_use]
    pub fn accepts(&self, version: &Version) -> bool {
        match self {
            Self::Range { min_version, max_version } => {
                min_version.as_ref().is_none_or(|min| version >= min)
                    && max_version.as_ref().is_none_or(|max| version <= max)
            }
            Self::Requirement(requirement) => requirement.matches(version),
        }
    }

    /// A map from child to constraint.
    pub(super) fn read_all(
        reading: &mut Reading<'_>,
        path: &str,
        node: &Node,
    ) -> Option<IndexMap<String, Self>> {
        let entries = reading.entries(path, node)?;
        Some(
            entries
                .iter()
                .filter_map(|entry| {
                    let path = join(path, &entry.key);
                    Some((entry.key.clone(), Self::read(reading, &path, &entry.value)?))
                })
                .collect(),
        )
    }

    fn read(reading: &mut Reading<'_>, path: &str, node: &Node) -> Option<Self> {
        if let NodeKind::Text(text) = &node.kind {
            return match VersionReq::parse(text) {
                Ok(requirement) => Some(Self::Requirement(requirement)),
                Err(error) => {
                    reading.error(path, node.at, format!("is not a version requirement: {error}"));
                    None
                }
            };
        }
        let fields = reading.fields(path, node, &["min_version", "max_version"])?;
        let min_version = bound(reading, fields, "min_version");
        let max_version = bound(reading, fields, "max_version");
        if let (Some(min), Some(max)) = (&min_version, &max_version)
            && min > max
        {
            reading.error(path, node.at, format!("accepts no version: {min} is newer than {max}"));
        }
        Some(Self::Range { min_version, max_version })
    }
}

fn bound(reading: &mut Reading<'_>, fields: Fields<'_>, key: &str) -> Option<Version> {
    fields.read(reading, key, |reading, path, node| {
        let text = reading.text(path, node)?;
        Version::parse(&text)
            .inspect_err(|error| {
                reading.error(path, node.at, format!("is not a semantic version: {error}"));
            })
            .ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive() {
        let version = |text| Version::parse(text).unwrap();
        let range = VersionConstraint::Range {
            min_version: Some(version("1.2.0")),
            max_version: Some(version("2.0.0")),
        };
        let check = |text, expect| assert_eq!(range.accepts(&version(text)), expect, "{text}");
        check("1.1.9", false);
        check("1.2.0", true);
        check("2.0.0", true);
        check("2.0.1", false);
        let requirement = VersionConstraint::Requirement(VersionReq::parse(">=2, <4").unwrap());
        assert!(requirement.accepts(&version("3.9.9")));
        assert!(!requirement.accepts(&version("4.0.0")));
    }
}
