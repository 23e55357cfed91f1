//! What is code in the program and not a file.

use std::fmt;

use rye_item::ItemId;
use serde::Serialize;

/// The things that the program itself can do for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Primitive {
    /// Run a program.
    Execute,
    /// Send an HTTP request.
    HttpClient,
}

impl Primitive {
    /// The folder that primitives are in.
    const FOLDER: &'static str = "primitives";

    /// All names of primitives.
    pub const NAMES: [(&'static str, Self); 3] =
        [("execute", Self::Execute), ("subprocess", Self::Execute), ("http_client", Self::HttpClient)];

    /// The primitive that an item stands for: by its name, in a folder `primitives`.
    #[must_use]
    pub fn of(id: &ItemId) -> Option<Self> {
        let folder = id.parent()?;
        if folder.rsplit('/').next() != Some(Self::FOLDER) {
            return None;
        }
        Self::NAMES.iter().find(|(name, _)| *name == id.stem()).map(|(_, primitive)| *primitive)
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Execute => "execute",
            Self::HttpClient => "http_client",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_primitive_is_a_name_in_its_folder() {
        let check = |id: &str, expect| assert_eq!(Primitive::of(&ItemId::new(id).unwrap()), expect, "{id}");
        check("rye/core/primitives/execute", Some(Primitive::Execute));
        check("rye/core/primitives/subprocess", Some(Primitive::Execute));
        check("rye/primitives/subprocess", Some(Primitive::Execute));
        check("rye/core/primitives/http_client", Some(Primitive::HttpClient));
        check("primitives/execute", Some(Primitive::Execute));
        check("execute", None);
        check("my_primitives/execute", None);
        check("rye/core/primitives/spawn", None);
        check("rye/core/primitives/execute/other", None);
    }
}
