//! What a node does: execute an item.

use rye_item::ItemKind;
use rye_template::graph::{InterpolateError, Roots, TextTemplate, ValueTemplate};
use serde_json::{Map, Value};

use super::Place;

/// An item to execute, and its parameters.
#[derive(Debug, Clone)]
pub struct Action {
    /// The kind of the item.
    pub item_kind: ItemKind,
    /// The id of the item.
    pub item_id: TextTemplate,
    /// The parameters, in the order of the file.
    pub params: Vec<Param>,
    /// Where the action stands in its file.
    pub position: Place,
}

/// A parameter of an [`Action`].
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// What it gets.
    pub value: ValueTemplate,
    /// Where its value stands in the file.
    pub position: Place,
}

impl Action {
    /// The id, if it depends on nothing.
    #[must_use]
    pub fn literal_id(&self) -> Option<&str> {
        self.item_id.as_literal()
    }

    /// The parameters as they are for one call.
    pub(crate) fn render_params(&self, roots: &Roots<'_>) -> Result<Value, InterpolateError> {
        let params = self.params.iter().map(|param| Ok((param.name.clone(), param.value.render(roots)?)));
        params.collect::<Result<Map<_, _>, _>>().map(Value::Object)
    }
}
