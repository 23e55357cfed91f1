//! The JSON Schema of graph files, for editors and other programs.
//!
//! It knows the shape of a file. That targets exist, that templates can be read and that the items are permitted is known
//! to [`read`](crate::read) alone.

/// The schema, as JSON Schema 2020-12.
pub const GRAPH_SCHEMA: &str = include_str!("../graph.schema.json");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::known_node_fields;
    use rye_metadata::Field;
    use serde_json::Value;

    fn names(schema: &Value, pointer: &str) -> Vec<String> {
        let properties = schema.pointer(pointer).unwrap().as_object().unwrap();
        let mut names: Vec<_> = properties.keys().cloned().collect();
        names.sort();
        names
    }

    fn sorted(names: &[&str]) -> Vec<String> {
        let mut names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_schema_has_the_fields_that_are_read() {
        let schema: Value = serde_json::from_str(GRAPH_SCHEMA).unwrap();
        for (word, fields) in known_node_fields() {
            assert_eq!(names(&schema, &format!("/$defs/node_{word}/properties")), sorted(fields), "{word}");
        }
        assert_eq!(names(&schema, "/properties"), sorted(&Field::ALL.map(Field::as_str)));
        assert_eq!(names(&schema, "/$defs/config/properties"), sorted(&crate::read::CONFIG));
        assert_eq!(names(&schema, "/$defs/action/properties"), sorted(&crate::read::ACTION));
    }
}
